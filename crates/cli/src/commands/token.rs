//! `toolgate token`: the credentials that clients of the gateway bring.
//!
//! Making and judging them is `toolgate-auth`'s; what is here asks and prints.

mod create;
mod list;
mod revoke;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::SystemTime;

use serde::Serialize;
use toolgate_auth::callers::{ClientTokens, TokenError};
use toolgate_store::KeptToken;
use toolgate_terminal::CommandOutput;
use toolgate_types::{RoleId, since_1970};

use crate::args::TokenVerb;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::Surroundings;
use toolgate_terminal::moment::written;

pub(crate) fn run(
    verb: TokenVerb,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    match verb {
        TokenVerb::Create(arguments) => create::run(arguments, surroundings, output),
        TokenVerb::List => list::run(surroundings, output),
        TokenVerb::Revoke { name } => revoke::run(&name, surroundings, output),
    }
}

/// A token as it is shown: everything but the token.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownToken {
    name: String,
    kind: &'static str,
    /// None is every role, and none at all.
    roles: Option<Vec<String>>,
    client: Option<String>,
    forms: bool,
    /// Whether its bearer is the owner of the gate.
    mine: bool,
    created_at: String,
    expires_at: Option<String>,
    revoked_at: Option<String>,
}

impl From<KeptToken> for ShownToken {
    fn from(token: KeptToken) -> Self {
        let KeptToken { name, hash: _, kind, roles, client, shows_forms, is_owners, .. } = token;
        let KeptToken { created_at, expires_at, revoked_at, .. } = token;
        let words = |roles: BTreeSet<RoleId>| roles.iter().map(RoleId::to_string).collect();
        Self {
            name: name.to_string(),
            kind: kind.as_str(),
            roles: roles.map(words),
            client,
            forms: shows_forms,
            mine: is_owners,
            created_at: written(created_at),
            expires_at: expires_at.map(written),
            revoked_at: revoked_at.map(written),
        }
    }
}

fn to_write(surroundings: &Surroundings) -> Result<ClientTokens, CliFailure> {
    Ok(ClientTokens::new(Arc::new(surroundings.store()?)))
}

fn to_look(surroundings: &Surroundings) -> Result<ClientTokens, CliFailure> {
    Ok(ClientTokens::new(Arc::new(surroundings.store_to_read()?)))
}

fn now() -> u64 {
    since_1970(SystemTime::now())
}

fn failed(error: TokenError) -> CliFailure {
    let exit = match error {
        TokenError::Reserved | TokenError::AlreadyExpired => Exit::Usage,
        _ => Exit::Error,
    };
    let hint = error.hint().map(str::to_owned);
    CliFailure { hint, ..CliFailure::new(error).exits(exit) }
}
