//! Whether walls can be built on this machine, and what to do where they cannot.

use toolgate_config::McpConfigLoadResult;
use toolgate_sandbox::{
    Description, ForbiddenNamespaces, HelperPath, ProcessSpawner, SandboxSupport, SpawnError,
};
use toolgate_types::ConfigText;
use toolgate_types::config::{InheritEnv, SandboxProfile, Transport};

use super::DoctorFinding;
use crate::args::ScopeArg;
use crate::command_runtime::command_runtime;
use crate::surroundings::Surroundings;

const ABOUT: &str = "sandbox";

/// A profile that lets this program have namespaces of its own, for systems that ask for one.
const APPARMOR_PROFILE: &str = "\
this system lets only programs with an AppArmor profile have namespaces; write /etc/apparmor.d/toolgate:
  abi <abi/4.0>,
  profile toolgate EXECUTABLE flags=(unconfined) {
    userns,
  }
and load it with: sudo apparmor_parser -r /etc/apparmor.d/toolgate
or install bubblewrap, if it has such a profile here: then bwrap builds the walls";

pub(super) fn look(surroundings: &Surroundings) -> Vec<DoctorFinding> {
    let loaded = surroundings.load(ScopeArg::Effective);
    let spawner = ProcessSpawner::new(HelperPath::current_exe());
    spawner.stand_on(surroundings.test_ground(&loaded.config).walls);
    let Ok(runtime) = command_runtime() else { return Vec::new() };
    let support = runtime.block_on(SandboxSupport::find(&spawner, &nothing(surroundings)));
    let landlock = match (support.landlock, support.landlock_lacks()) {
        (Some(version), lacks) if lacks.is_empty() => format!("Landlock {version}"),
        (Some(version), lacks) => {
            format!("Landlock {version} (this kernel's does not hold: {})", lacks.join(", "))
        }
        (None, _) => "no Landlock".to_owned(),
    };
    let Some(trouble) = &support.trouble else {
        let outer = match support.uses_bubblewrap {
            true => "walls are built by bwrap",
            false => "walls are built in",
        };
        let limits = support.limit_groups.as_ref().map(|place| place.display().to_string());
        let limits = limits.map(|place| format!("a control group in {place}, "));
        let limits = limits.unwrap_or_default();
        let message = format!(
            "{outer}: namespaces, {landlock}, refused system calls; limits by {limits}rlimit and by \
             watching the tree"
        );
        return vec![DoctorFinding::fine(ABOUT, message)];
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
    // Where bwrap was asked for, what it needs is all that counts.
    if let Some(trouble @ (SpawnError::Walls(_) | SpawnError::Unbuilt)) = &support.trouble
        && let Some(hint) = trouble.hint()
    {
        return hint.to_owned();
    }
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
