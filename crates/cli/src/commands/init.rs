//! `toolgate init`: writes a commented file to begin with, after looking at which clients and servers are
//! here; what they have is offered for import.

use std::io;

use serde::Serialize;
use toolgate_config::clients::{FoundServer, ImportSearch, KnownClient};
use toolgate_config::write_starter;
use toolgate_terminal::{CommandOutput, can_ask, counted};

use super::import;
use crate::args::{ImportArgs, InitArgs};
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::Surroundings;

#[derive(Serialize)]
struct InitJson {
    file: String,
    clients: Vec<ClientHere>,
}

/// A client that is used here, and how many of its servers could be taken over.
#[derive(Serialize)]
struct ClientHere {
    client: &'static str,
    servers: usize,
}

pub(crate) fn run(
    arguments: &InitArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let file = surroundings.file_of(arguments.scope)?.path;
    let shown = surroundings.shown(&file);
    write_starter(&file, arguments.scope).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => CliFailure::new(format!("{shown} is there already"))
            .hint("`toolgate config check` looks at it, `toolgate add` adds to it"),
        _ => CliFailure::new(format!("{shown} cannot be written: {error}")),
    })?;
    let clients = clients_here(surroundings)?;
    if output.json {
        output.document_of(&InitJson { file: file.display().to_string(), clients });
        return Ok(Exit::Ok);
    }
    output
        .line(format!("wrote {shown}: everything in it is a comment until you take out its `#:`"));
    for ClientHere { client, servers } in &clients {
        output.line(match *servers {
            0 => format!("found {client}"),
            servers => format!("found {client}, with {} to take over", counted(servers, "server")),
        });
    }
    if !can_ask() {
        output.line("next:");
    }
    let have_servers = clients.iter().filter(|one| one.servers > 0);
    for ClientHere { client, .. } in have_servers {
        match can_ask() {
            // It shows what would come in, and asks.
            true => drop(import::run(&import_of(client), surroundings, output)?),
            false => output.line(format!("  toolgate import {client}")),
        }
    }
    for ClientHere { client, .. } in &clients {
        output.line(format!("  toolgate connect {client}"));
    }
    output.line("  toolgate serve          # or for clients over HTTP");
    Ok(Exit::Ok)
}

/// The clients whose files are here. One whose files cannot be read is one without servers.
fn clients_here(surroundings: &Surroundings) -> Result<Vec<ClientHere>, CliFailure> {
    let places = surroundings.client_places()?;
    let search = ImportSearch { folders: &places, variables: &surroundings.variables, scope: None };
    let here = KnownClient::ALL.into_iter().filter(|client| {
        client.is_found(&places, &|path| path.exists())
            || client.files(&places).iter().any(|file| file.path.exists())
    });
    let looked_at = here.map(|client| {
        let found = search.find(client.as_str()).unwrap_or_default();
        let all = found.iter().flat_map(|file| &file.servers);
        let is_ready = |found: &&FoundServer| found.server.is_ready();
        ClientHere { client: client.as_str(), servers: all.filter(is_ready).count() }
    });
    Ok(looked_at.collect())
}

fn import_of(client: &str) -> ImportArgs {
    ImportArgs { from: client.to_owned(), scope: None, replace: false, dry_run: false }
}
