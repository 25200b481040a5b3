//! `toolgate token create <name>`: makes a token and prints it, this once.
//!
//! On standard output stands the token alone, so that it can go into a file or a pipe unseen.

use serde::Serialize;
use toolgate_auth::callers::NewToken;
use toolgate_daemon::unknown_role;
use toolgate_terminal::CommandOutput;
use toolgate_types::{RoleId, visible};

use super::{ShownToken, failed, now, to_write};
use crate::args::{ScopeArg, TokenCreate};
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::{Surroundings, wait};
use toolgate_terminal::moment::written;

#[derive(Serialize)]
struct TokenCreatedJson<'a> {
    token: &'a str,
    #[serde(flatten)]
    shown: ShownToken,
}

pub(super) fn run(
    arguments: TokenCreate,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let TokenCreate { name, roles, client, forms: shows_forms, mine: is_owners, expires } =
        arguments;
    let config = surroundings.load(ScopeArg::Effective).config;
    if let Some(role) = roles.iter().find(|role| !config.roles.contains_key(*role)) {
        let known = config.roles.keys().map(RoleId::as_str);
        let failure = CliFailure::from(unknown_role(role.as_str(), known));
        let hint = failure.hint.clone().unwrap_or_default();
        return Err(failure.hint(format!("{hint}; a project's role is known in its folder")));
    }
    let now = now();
    let expires_at = expires.map(|expiry| expiry.from(now));
    let roles = (!roles.is_empty()).then(|| roles.into_iter().collect());
    let new = NewToken { name, roles, client, shows_forms, is_owners, expires_at };
    let (token, kept) = wait(to_write(surroundings)?.create(new, now)).map_err(failed)?;
    // Only a person's own layers have clients, so what is missing here is missing everywhere.
    let unknown =
        kept.client.as_deref().filter(|client| !config.gateway.clients.contains_key(*client));
    if let Some(client) = unknown {
        let client = visible(client);
        output.warning(format!("there are no settings `[gateway.clients.{client}]` yet"));
    }
    let lasts = match kept.expires_at {
        Some(at) => format!("it expires at {}", written(at)),
        None => "it does not expire".to_owned(),
    };
    let name = kept.name.clone();
    match output.json {
        true => output.document_of(&TokenCreatedJson { token: token.expose(), shown: kept.into() }),
        false => output.line(token.expose()),
    }
    output.note(format!("made token `{name}`; {lasts}. It is shown this once."));
    output.note("A client sends it as the header `Authorization: Bearer <token>`.");
    Ok(Exit::Ok)
}
