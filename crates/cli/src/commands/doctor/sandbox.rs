//! Whether walls can be built on this machine, and what to do where they cannot.

use std::path::Path;

use toolgate_daemon::{needs_walls, typed_command};
use toolgate_sandbox::{HelperPath, ProcessSpawner, SandboxSupport};

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
    // This very program, doing next to nothing: a machine need not have another.
    let own = std::env::current_exe().unwrap_or_default();
    let words = [own.display().to_string(), "--version".to_owned()];
    let nothing = typed_command(&words, Path::new("/tmp"), &surroundings.variables);
    let Some(nothing) = nothing else { return Vec::new() };
    let support = runtime.block_on(SandboxSupport::find(&spawner, &nothing));
    let Some(trouble) = &support.trouble else {
        return vec![DoctorFinding::fine(ABOUT, support.summary())];
    };
    let message = format!("no walls, so nothing that is to be confined starts: {trouble}");
    let hint = support.advice(&own);
    match needs_walls(&loaded.config) {
        true => vec![DoctorFinding::wrong(ABOUT, message, hint)],
        false => {
            vec![DoctorFinding { hint: Some(hint), ..DoctorFinding::warning(ABOUT, message) }]
        }
    }
}
