//! Whether the configuration that counts here can be read, and the administrator's rules.

use toolgate_assembly::administrator;
use toolgate_config::Severity;

use super::Finding;
use crate::args::Scope;
use crate::output::counted;
use crate::surroundings::Surroundings;

const ABOUT: &str = "configuration";

pub(super) fn look(surroundings: &Surroundings) -> Vec<Finding> {
    let loaded = surroundings.load(Scope::Effective);
    let errors = loaded.problems.iter().filter(|problem| problem.severity == Severity::Error);
    let mut found: Vec<_> = errors
        .map(|problem| {
            let hint = "correct the file; `toolgate config check` shows all of it".to_owned();
            Finding::wrong(ABOUT, problem.to_string(), hint)
        })
        .collect();
    if let Err(rules) = administrator() {
        found.push(Finding::wrong(ABOUT, rules.to_string(), Some(rules.hint().to_owned())));
    }
    if found.is_empty() {
        let files = counted(loaded.sources.len(), "source");
        let servers = counted(loaded.config.servers.len(), "server");
        found.push(Finding::fine(ABOUT, format!("{files}, {servers}")));
    }
    found
}
