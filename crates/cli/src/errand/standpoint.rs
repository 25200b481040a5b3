//! Where a command stands: what decides which configuration counts for it, and whose that is.

use toolgate_config::{McpConfigLoadResult, VariableNames};
use toolgate_control::Standpoint;

use crate::failure::CliFailure;
use crate::surroundings::Surroundings;

pub(crate) fn standpoint_of(
    loaded: &McpConfigLoadResult,
    surroundings: &Surroundings,
) -> Result<Standpoint, CliFailure> {
    let variable = |name: &str| surroundings.variables.get(name).cloned();
    let project = [VariableNames::PROJECT_FILE, VariableNames::INLINE_JSON];
    let project = project.iter().flat_map(|names| [names.own, names.alias]);
    let project = project.filter_map(|name| Some((name.to_owned(), variable(name)?)));
    let variables = loaded.variables.iter().map(|name| (name.clone(), variable(name)));
    Ok(Standpoint {
        folder: surroundings.cwd.clone(),
        config: surroundings.options().path,
        project: project.collect(),
        variables: variables.collect(),
        own: (loaded.global_file.clone(), surroundings.state_folder()?),
    })
}
