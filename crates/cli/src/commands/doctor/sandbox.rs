//! Whether walls can be built on this machine, and what to do where they cannot.

use std::path::Path;

use toolgate_config::McpConfigLoadResult;
use toolgate_daemon::{PackageState, needs_walls, typed_command};
use toolgate_sandbox::{HelperPath, ProcessSpawner, SandboxSupport};
use toolgate_types::config::{Entry, Server};
use toolgate_types::{EntryStanding, ServerId};

use super::DoctorFinding;
use crate::args::ScopeArg;
use crate::command_runtime::command_runtime;
use crate::fetch_packages::package_state_of;
use crate::surroundings::Surroundings;
use crate::trust_standing::server_standing;

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
        let mut findings = vec![DoctorFinding::fine(ABOUT, support.summary())];
        findings.extend(unfetched(&loaded, surroundings));
        return findings;
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
