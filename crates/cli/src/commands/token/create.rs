//! `toolgate token create <name>`: makes a token and prints it, this once.
//!
//! On standard output stands the token alone, so that it can go into a file or a pipe unseen.

use serde::Serialize;
use toolgate_auth::callers::NewToken;
use toolgate_terminal::CommandOutput;
use toolgate_types::visible;

use super::{ShownToken, failed, now, to_write};
use crate::args::{ScopeArg, TokenCreate};
use crate::failure::{CommandResult, Exit};
use crate::moment::written;
use crate::surroundings::{Surroundings, wait};

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
    let TokenCreate { name, roles, client, forms: shows_forms, expires } = arguments;
    let now = now();
    let expires_at = expires.map(|expiry| expiry.from(now));
    let roles = (!roles.is_empty()).then(|| roles.into_iter().collect());
    let new = NewToken { name, roles, client, shows_forms, expires_at };
    let (token, kept) = wait(to_write(surroundings)?.create(new, now)).map_err(failed)?;
    // Only a person's own layers have clients, so what is missing here is missing everywhere.
    let unknown = kept.client.as_deref().filter(|client| !is_configured(client, surroundings));
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

fn is_configured(client: &str, surroundings: &Surroundings) -> bool {
    surroundings.load(ScopeArg::Effective).config.gateway.clients.contains_key(client)
}
