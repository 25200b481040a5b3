//! Whether the configuration that counts here can be read, and the administrator's rules.

use std::sync::Arc;

use toolgate_assembly::{administrator, literal_credentials};
use toolgate_config::{Severity, unset_variables};
use toolgate_daemon::unfit_tool_settings;
use toolgate_terminal::counted;

use super::DoctorFinding;
use crate::args::ScopeArg;
use crate::failure::CliFailure;
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
    // What keeps this from being known is told by whoever looks after that.
    let unfit = unfit_settings(surroundings).unwrap_or_default();
    found.extend(unfit.iter().map(|why| DoctorFinding::warning(ABOUT, why)));
    found.extend(
        loaded.not_yet.iter().map(|problem| DoctorFinding::warning(ABOUT, problem.to_string())),
    );
    found
}

/// What is configured of single tools and does not fit them.
fn unfit_settings(surroundings: &Surroundings) -> Result<Vec<String>, CliFailure> {
    let loaded = surroundings.load_as_hosted();
    let known = surroundings.acceptances(&loaded)?;
    let store = Arc::new(surroundings.store_to_read()?);
    Ok(unfit_tool_settings(&surroundings.context(), &loaded, known, store)?)
}
