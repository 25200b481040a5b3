//! Whether walls can be built on this machine, and what to do where they cannot.

use toolgate_config::McpConfigLoadResult;
use toolgate_daemon::PackageState;
use toolgate_sandbox::{
    Description, ForbiddenNamespaces, HelperPath, ProcessSpawner, SandboxSupport,
};
use toolgate_types::config::{Entry, InheritEnv, SandboxProfile, Server, Transport};
use toolgate_types::{ConfigText, EntryStanding, ServerId};

use super::DoctorFinding;
use crate::args::ScopeArg;
use crate::command_runtime::command_runtime;
use crate::fetch_packages::package_state_of;
use crate::surroundings::Surroundings;
use crate::trust_standing::server_standing;

const ABOUT: &str = "sandbox";

/// A profile that lets this program have namespaces of its own, for systems that ask for one.
const APPARMOR_PROFILE: &str = "\
this system lets only programs with an AppArmor profile have namespaces; write /etc/apparmor.d/toolgate:
  abi <abi/4.0>,
  profile toolgate EXECUTABLE flags=(unconfined) {
    userns,
  }
and load it with: sudo apparmor_parser -r /etc/apparmor.d/toolgate";

pub(super) fn look(surroundings: &Surroundings) -> Vec<DoctorFinding> {
    let loaded = surroundings.load(ScopeArg::Effective);
    let spawner = ProcessSpawner::new(HelperPath::current_exe());
    spawner.stand_on(surroundings.test_ground(&loaded.config).walls);
    let Ok(runtime) = command_runtime() else { return Vec::new() };
    let support = runtime.block_on(SandboxSupport::find(&spawner, &nothing(surroundings)));
    let landlock = match support.landlock {
        Some(version) => format!("Landlock {version}"),
        None => "no Landlock".to_owned(),
    };
    let Some(trouble) = &support.trouble else {
        let message = format!(
            "walls are built in: namespaces, {landlock}, refused system calls; limits by rlimit and \
             by watching the tree"
        );
        let mut findings = vec![DoctorFinding::fine(ABOUT, message)];
        findings.extend(unfetched(&loaded, surroundings));
        return findings;
    };
    let message = format!("no walls, so nothing that is to be confined starts: {trouble}");
    let hint = hint(&support);
    match needs_walls(&loaded) {
        true => vec![DoctorFinding::wrong(ABOUT, message, hint)],
        false => {
            vec![DoctorFinding { hint: Some(hint), ..DoctorFinding::warning(ABOUT, message) }]
        }
    }
}

/// Servers that were never fetched; those that are pending are told of elsewhere.
fn unfetched(loaded: &McpConfigLoadResult, surroundings: &Surroundings) -> Option<DoctorFinding> {
    let known = surroundings.acceptances(loaded).ok()?;
    let is_lacking = |(id, entry): &(&ServerId, &Entry<Server>)| {
        let standing = server_standing(id.as_str(), entry, &known);
        let state = package_state_of(id.as_str(), loaded, surroundings);
        matches!(standing, EntryStanding::Accepted(_)) && matches!(state, PackageState::NotFixed)
    };
    let lacking: Vec<&str> =
        loaded.config.servers.iter().filter(is_lacking).map(|(id, _)| id.as_str()).collect();
    let message = format!("packages that are not fetched yet: of {}", lacking.join(", "));
    let hint =
        "your own are fetched at their first start, a project's by: toolgate trust".to_owned();
    (!lacking.is_empty())
        .then(|| DoctorFinding { hint: Some(hint), ..DoctorFinding::warning(ABOUT, message) })
}

/// This very program, doing next to nothing: a machine need not have another.
fn nothing(surroundings: &Surroundings) -> Description {
    let own = std::env::current_exe().unwrap_or_default();
    Description {
        program: ConfigText::Plain(own.display().to_string()),
        args: vec![ConfigText::Plain("--version".to_owned())],
        folder: "/tmp".into(),
        env: Default::default(),
        pass: Vec::new(),
        inherit: InheritEnv::Core,
        source: surroundings.variables.iter().collect(),
    }
}

fn needs_walls(loaded: &McpConfigLoadResult) -> bool {
    let servers = loaded.config.servers.values().any(|entry| match &entry.value.transport {
        Transport::Stdio(stdio) => stdio.confinement.profile != SandboxProfile::None,
        Transport::Remote(_) | Transport::Builtin | Transport::Commands(_) => false,
    });
    let mut tools = loaded.config.tools.values();
    servers || tools.any(|entry| entry.value.confinement.profile != SandboxProfile::None)
}

fn hint(support: &SandboxSupport) -> String {
    match support.forbidden {
        Some(ForbiddenNamespaces::None) => {
            "allow namespaces: sudo sysctl user.max_user_namespaces=10000".to_owned()
        }
        Some(ForbiddenNamespaces::OnlyRoot) => {
            "allow namespaces: sudo sysctl kernel.unprivileged_userns_clone=1".to_owned()
        }
        Some(ForbiddenNamespaces::AppArmor) => {
            let own = std::env::current_exe().ok();
            let own =
                own.map_or_else(|| "EXECUTABLE".to_owned(), |path| path.display().to_string());
            APPARMOR_PROFILE.replace("EXECUTABLE", &own)
        }
        None => {
            "within a container that forbids namespaces, `[sandbox] outer = \"container\"` in your \
                 own file says that the container is the outer wall"
                .to_owned()
        }
    }
}
