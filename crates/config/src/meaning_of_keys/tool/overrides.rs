//! The variables that a session may set for a command tool.

use toolgate_types::EnvName;

use super::super::process;
use crate::fingerprint::variables_that_run::is_of_consequence;
use crate::place::DocumentPlace;
use crate::problem::Severity;
use crate::reader::DocumentReader;

/// The names; never one that makes a program run something, since a session is whoever connects.
pub(super) fn env_overrides(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    written: Option<Vec<String>>,
) -> Vec<EnvName> {
    let at = place.at(&["env_overrides"]);
    let mut names = Vec::new();
    for (index, name) in written.unwrap_or_default().iter().enumerate() {
        let at = at.item(index);
        if is_of_consequence(name) {
            let message = format!("no session may set `{name}`: it can make programs run things");
            let help = "set it under `env`, where you say what it is".to_owned();
            reader.report(Severity::Error, &at, "executing-variable", message, Some(help));
            continue;
        }
        names.extend(process::env_name(reader, &at, name));
    }
    names
}
