//! Whether the configuration that counts here can be read, and the administrator's rules.

use toolgate_assembly::{administrator, literal_credentials};
use toolgate_config::{Severity, unset_variables};
use toolgate_terminal::counted;

use super::DoctorFinding;
use crate::args::ScopeArg;
use crate::surroundings::Surroundings;

const ABOUT: &str = "configuration";

pub(super) fn look(surroundings: &Surroundings) -> Vec<DoctorFinding> {
    let loaded = surroundings.load(ScopeArg::Effective);
    let errors = loaded.problems.iter().filter(|problem| problem.severity == Severity::Error);
    let mut found: Vec<_> = errors
        .map(|problem| {
            let hint = "correct the file; `toolgate config check` shows all of it".to_owned();
            DoctorFinding::wrong(ABOUT, problem.to_string(), hint)
        })
        .collect();
    if let Err(rules) = administrator() {
        found.push(DoctorFinding::wrong(ABOUT, rules.to_string(), Some(rules.hint().to_owned())));
    }
    if found.is_empty() {
        let files = counted(loaded.sources.len(), "source");
        let servers = counted(loaded.config.servers.len(), "server");
        found.push(DoctorFinding::fine(ABOUT, format!("{files}, {servers}")));
    }
    let warnings = unset_variables(&loaded.config, &surroundings.variables);
    let warnings = warnings.into_iter().chain(literal_credentials(&loaded));
    found.extend(warnings.map(|problem| DoctorFinding::warning(ABOUT, problem.to_string())));
    found.extend(
        loaded.not_yet.iter().map(|problem| DoctorFinding::warning(ABOUT, problem.to_string())),
    );
    found
}
