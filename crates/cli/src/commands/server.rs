//! `toolgate server`: one of the servers that Toolgate brings, for this folder, over the standard streams.
//!
//! Alone it has no gate before it: no rules, approvals or records but those of whoever starts it. It connects
//! to nothing, so it runs behind walls without a network as it does without.

use std::sync::Arc;

use toolgate_assembly::{SharedStore, one_builtin};
use toolgate_terminal::ForClientAsync;
use toolgate_upstream::serve_own_stream;

use crate::args::OwnServerArgs;
use crate::command_runtime::command_runtime;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::Surroundings;

pub(crate) fn run(arguments: &OwnServerArgs, surroundings: &Surroundings) -> CommandResult {
    let context = surroundings.context();
    let store: Option<SharedStore> = match arguments.name.as_str() {
        "workflow" => Some(Arc::new(surroundings.store()?)),
        _ => None,
    };
    let own_places = surroundings.own_places();
    let server = one_builtin(&arguments.name, &context, &own_places, store.as_ref());
    let server = server.ok_or_else(|| CliFailure::new("there is no such server"))?;
    let failed = |error| CliFailure::new(format!("cannot use the standard streams: {error}"));
    let runtime = command_runtime()?;
    runtime.block_on(async {
        let writer = ForClientAsync::open().map_err(failed)?;
        serve_own_stream(server, tokio::io::stdin(), writer).await;
        Ok::<_, CliFailure>(())
    })?;
    // A read of standard input that nobody waits for any more must not hold us up.
    runtime.shutdown_background();
    Ok(Exit::Ok)
}
