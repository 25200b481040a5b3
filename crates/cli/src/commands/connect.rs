//! `toolgate connect <client>`: writes the one entry `gate` into a client's own file, or into those of
//! every client that is found here.
//!
//! The old file is kept beside it and the change is shown, without anybody's secrets.

pub(super) mod client_change;
mod route;

use serde_json::{Map, Value};
use toolgate_config::EditScope;
use toolgate_config::change::ServerChange;
use toolgate_config::clients::{ClientScope, KnownClient};
use toolgate_terminal::CommandOutput;
use toolgate_types::config::{ApprovalMode, Server};
use toolgate_types::{Trust, visible};

use super::add::edit;
use crate::args::{ConnectArgs, ScopeArg};
use crate::auto_offer::accepts_auto;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::Surroundings;
use client_change::{ClientChange, client_named};

pub(crate) fn run(
    arguments: &ConnectArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let clients = match &arguments.client {
        Some(name) => vec![client_named(name)?],
        None => found(arguments.scope, surroundings)?,
    };
    let Some(route) = route::route(arguments, surroundings, output)? else {
        output.note("nothing was written");
        return Ok(Exit::Ok);
    };
    let edit = |client: KnownClient, output: &mut CommandOutput| {
        ClientChange::new(client, arguments.scope, arguments.dry_run, surroundings)?
            .connect(&route, output)
    };
    let exit = one_or_all(&clients, arguments.client.is_some(), output, edit)?;
    if !arguments.dry_run {
        offer_auto(surroundings, output);
    }
    Ok(exit)
}

/// Servers of the person's own file whose every call would ask, for want of a word about it.
fn offer_auto(surroundings: &Surroundings, output: &mut CommandOutput) {
    let own = surroundings.load(ScopeArg::Global).config.servers;
    let asks = |server: &Server| {
        server.enabled
            && server.approval.is_none()
            && server.declared_trust != Some(Trust::Untrusted)
    };
    let ids: Vec<_> =
        own.iter().filter(|(_, entry)| asks(&entry.value)).map(|(id, _)| id).collect();
    let names: Vec<_> = ids.iter().map(|id| id.as_str()).collect();
    if names.is_empty() || !accepts_auto(&format!("tools of {}", names.join(", ")), output) {
        return;
    }
    for id in names {
        let change = ServerChange::Approval(ApprovalMode::Auto);
        match edit(id, EditScope::Global, &change, surroundings) {
            Ok(_) => output.note(format!("{id}: tools that only read run without asking you")),
            // The client is connected all the same.
            Err(failure) => output.warning(format!("{id}: {}", visible(&failure.message))),
        }
    }
}

/// The clients that have a file here, or a folder for one.
fn found(scope: EditScope, surroundings: &Surroundings) -> Result<Vec<KnownClient>, CliFailure> {
    let places = surroundings.client_places()?;
    let has_files_here = |client: &KnownClient| {
        let mut files = client.files(&places).into_iter();
        match scope {
            EditScope::Global => client.is_found(&places, &|path| path.exists()),
            EditScope::Project => {
                files.any(|file| file.scope == ClientScope::Project && file.path.exists())
            }
        }
    };
    let found: Vec<KnownClient> = KnownClient::ALL.into_iter().filter(has_files_here).collect();
    match found.is_empty() {
        false => Ok(found),
        true => {
            Err(CliFailure::new("no client was found here")
                .hint("name one: toolgate connect <client>"))
        }
    }
}

/// Does the same for each; where all were meant, one that cannot be edited holds up no other.
pub(super) fn one_or_all(
    clients: &[KnownClient],
    is_one: bool,
    output: &mut CommandOutput,
    mut edit: impl FnMut(KnownClient, &mut CommandOutput) -> Result<Map<String, Value>, CliFailure>,
) -> CommandResult {
    let (mut documents, mut exit) = (Vec::new(), Exit::Ok);
    for &client in clients {
        match edit(client, output) {
            Ok(document) if is_one && output.json => output.document(document),
            Ok(document) => documents.push(Value::Object(document)),
            Err(failure) if is_one => return Err(failure),
            Err(failure) => {
                let CliFailure { message, hint, .. } = failure;
                output.failure(&format!("{}: {message}", client.title()), hint.as_deref());
                let fields = [("client", client.as_str().to_owned()), ("error", message)];
                documents.push(fields.into_iter().collect());
                exit = Exit::Error;
            }
        }
    }
    if output.json && !is_one {
        output.document([("clients".to_owned(), Value::Array(documents))].into_iter().collect());
    }
    Ok(exit)
}
