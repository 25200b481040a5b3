//! Whether walls can be built on this machine, and what to do where they cannot.

use toolgate_config::McpConfigLoadResult;
use toolgate_sandbox::{Description, HelperPath, ProcessSpawner, SandboxSupport};
use toolgate_types::ConfigText;
use toolgate_types::config::{InheritEnv, SandboxProfile, Transport};

use super::DoctorFinding;
use crate::args::ScopeArg;
use crate::command_runtime::command_runtime;
use crate::surroundings::Surroundings;

const ABOUT: &str = "sandbox";

pub(super) fn look(surroundings: &Surroundings) -> Vec<DoctorFinding> {
    let loaded = surroundings.load(ScopeArg::Effective);
    let spawner = ProcessSpawner::new(HelperPath::current_exe());
    spawner.stand_on(surroundings.test_ground(&loaded.config).walls);
    let Ok(runtime) = command_runtime() else { return Vec::new() };
    let support = runtime.block_on(SandboxSupport::find(&spawner, &nothing(surroundings)));
    let Some(trouble) = &support.trouble else {
        return vec![DoctorFinding::fine(ABOUT, support.summary())];
    };
    let message = format!("no walls, so nothing that is to be confined starts: {trouble}");
    let hint = support.advice(&std::env::current_exe().unwrap_or_default());
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
