//! `toolgate __complete <kind>`: what is configured, one a line, for the completion scripts of shells.
//!
//! Nothing is started or contacted, and nothing is said but names. Some shells expand the words that
//! they get, and tools are named by whoever wrote their server: a name with anything else in it than
//! letters, digits and four signs is left out.

use toolgate_config::clients::KnownClient;
use toolgate_daemon::{ErrandHost, HostWish};
use toolgate_store::{SqliteStore, Tokens as _};
use toolgate_terminal::CommandOutput;

use crate::args::NameKind;
use crate::command_host::with_host;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::{Surroundings, wait};

pub(crate) fn run(
    kind: NameKind,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let names = match kind {
        NameKind::Servers => servers(surroundings),
        NameKind::Roles => {
            let roles = surroundings.load_as_hosted().config.roles;
            roles.keys().map(ToString::to_string).collect()
        }
        NameKind::Tools => tools(surroundings, output)?,
        NameKind::Tokens => tokens(&surroundings.store_to_read()?)?,
        NameKind::Clients => {
            KnownClient::ALL.into_iter().map(|client| client.as_str().to_owned()).collect()
        }
    };
    let is_plain = |name: &&String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
        !name.is_empty() && !name.starts_with('-') && name.chars().all(plain)
    };
    for name in names.iter().filter(is_plain) {
        output.line(name);
    }
    Ok(Exit::Ok)
}

fn servers(surroundings: &Surroundings) -> Vec<String> {
    let servers = surroundings.load_as_hosted().config.servers;
    servers.keys().map(ToString::to_string).collect()
}

/// By the names that agents see, as far as servers are known from before; and the servers, whose ids
/// may stand in front of a tool.
fn tools(surroundings: &Surroundings, output: &CommandOutput) -> Result<Vec<String>, CliFailure> {
    let wish = HostWish { cached: true, ..HostWish::default() };
    let view = async |hosted: &ErrandHost| {
        hosted.host.recall().await;
        hosted.host.view(&hosted.audience)
    };
    // Nobody wants to read of every key that was pressed.
    let unlogged = surroundings.unlogged();
    let view = with_host(wish, &unlogged, &mut output.silenced(), view)?;
    let names = view.tools().map(|entry| entry.name().to_owned());
    Ok(names.chain(servers(surroundings)).collect())
}

fn tokens(store: &SqliteStore) -> Result<Vec<String>, CliFailure> {
    let active = wait(store.tokens())?.into_iter().filter(|token| token.revoked_at.is_none());
    Ok(active.map(|token| token.name.to_string()).collect())
}
