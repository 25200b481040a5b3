//! `toolgate server`: one of the servers that Toolgate brings, for this folder.
//!
//! Over the standard streams it is alone: no rules, approvals or records but those of whoever starts it. It
//! connects to nothing, and gives up the network before it reads a word.

mod over_http;

use std::sync::Arc;

use toolgate_assembly::{SharedStore, one_builtin};
use toolgate_sandbox::forgo_network;
use toolgate_terminal::{CommandOutput, ForClientAsync};
use toolgate_upstream::serve_own_stream;

use crate::args::OwnServerArgs;
use crate::command_runtime::command_runtime;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::Surroundings;

pub(crate) fn run(
    arguments: &OwnServerArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    match arguments.http {
        Some(listen) => over_http::run(&arguments.name, listen, surroundings, output),
        None => over_streams(&arguments.name, surroundings, output),
    }
}

fn over_streams(
    name: &str,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    // Before there is any other thread: those that come later have no network either.
    if let Err(error) = forgo_network() {
        output.warning(format!("this system does not let it give up the network: {error}"));
    }
    let context = surroundings.context();
    let store: Option<SharedStore> = match name {
        "workflow" => Some(Arc::new(surroundings.store()?)),
        _ => None,
    };
    let own_places = surroundings.own_places();
    let server = one_builtin(name, &context, &own_places, store.as_ref());
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
