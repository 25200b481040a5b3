//! `toolgate config`: check, show, path, schema.

mod check;
mod path;
pub(super) mod show;

pub(crate) use check::shown;

use toolgate_terminal::CommandOutput;

use crate::args::ConfigVerb;
use crate::failure::{CommandResult, Exit};
use crate::surroundings::Surroundings;

pub(crate) fn run(
    verb: &ConfigVerb,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    match verb {
        ConfigVerb::Check { strict } => check::run(*strict, surroundings, output),
        ConfigVerb::Show => show::run(surroundings, output),
        ConfigVerb::Path => path::run(surroundings, output),
        ConfigVerb::Schema => {
            output.json_text(&format!("{:#}", toolgate_config::schema::json_schema()));
            Ok(Exit::Ok)
        }
    }
}
