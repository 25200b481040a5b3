//! What was asked for at the command line and could not even be begun, written down from here: nobody
//! else heard of it.

use std::sync::Arc;

use toolgate_daemon::{CarryFailure, CarryOut, UnmadeRecord};
use toolgate_types::Code;
use toolgate_types::config::Config;

use crate::args::ScopeArg;
use crate::command_runtime::command_runtime;
use crate::failure::CliFailure;
use crate::surroundings::Surroundings;

/// It made no sense in the configuration as it counts here.
pub(super) fn record_refused(errand: &CarryOut, failure: &CliFailure, surroundings: &Surroundings) {
    let code = |config: &Config| errand.refusal_code(failure.exit, config);
    write(errand, code, &failure.message, surroundings);
}

/// It came to nothing before a server was asked. Answers the reference of the record.
pub(super) fn record(
    errand: &CarryOut,
    not_done: &CarryFailure,
    surroundings: &Surroundings,
) -> Option<String> {
    let (code, why) = not_done.unmade()?;
    write(errand, |_| code, &why, surroundings)
}

fn write(
    errand: &CarryOut,
    code: impl FnOnce(&Config) -> Code,
    why: &str,
    surroundings: &Surroundings,
) -> Option<String> {
    let store = Arc::new(surroundings.store().ok()?);
    let config = surroundings.load(ScopeArg::Effective).config;
    let code = code(&config);
    let (folder, variables) = (surroundings.cwd.as_path(), &surroundings.variables);
    let record = UnmadeRecord { config, folder, variables, store };
    Some(command_runtime().ok()?.block_on(errand.record_unmade(code, why, record)))
}
