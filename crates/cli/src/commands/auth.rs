//! `toolgate auth list`: which logins are kept, until when and what for; never a token.

use std::time::SystemTime;

use serde::Serialize;
use toolgate_store::{KeptLogin, LoginHolder, LoginKey, LoginVault};
use toolgate_terminal::moment::written;
use toolgate_terminal::{CommandOutput, table};
use toolgate_types::{since_1970, visible};

use crate::args::AuthVerb;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::Surroundings;

#[derive(Serialize)]
struct AuthListJson {
    logins: Vec<ListedLogin>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedLogin {
    server: String,
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<String>,
    /// Whose it is, where it is not the person's own for a server of their own file.
    #[serde(skip_serializing_if = "Option::is_none")]
    principal: Option<String>,
    state: &'static str,
    /// `keyring` or `file`.
    kept_in: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    issuer: Option<String>,
}

pub(crate) fn run(
    AuthVerb::List: &AuthVerb,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let known = surroundings.logins(&surroundings.load_as_hosted().config)?;
    let vault = known.vault();
    let all = vault.all().map_err(CliFailure::new)?;
    let now = since_1970(SystemTime::now());
    let logins: Vec<ListedLogin> =
        all.into_iter().map(|(key, login)| listed(key, login, vault.as_ref(), now)).collect();
    if output.json {
        output.document_of(&AuthListJson { logins });
        return Ok(Exit::Ok);
    }
    if logins.is_empty() {
        output.line("no logins are kept");
        return Ok(Exit::Ok);
    }
    let rows: Vec<Vec<String>> = logins
        .iter()
        .map(|login| {
            let shown = |text: &Option<String>| text.as_deref().map(visible).unwrap_or_default();
            let until = shown(&login.expires_at);
            let state = if until.is_empty() {
                login.state.to_owned()
            } else {
                format!("{} until {until}", login.state)
            };
            vec![
                visible(&login.server),
                shown(&login.principal),
                shown(&login.account),
                state,
                login.kept_in.to_owned(),
                shown(&login.scope),
                visible(&login.url),
            ]
        })
        .collect();
    output.raw(&table(&["server", "of", "account", "state", "kept in", "scopes", "url"], &rows));
    Ok(Exit::Ok)
}

fn listed(key: LoginKey, login: KeptLogin, vault: &dyn LoginVault, now: u64) -> ListedLogin {
    let tokens = login.tokens.as_ref();
    let expires_at = tokens.and_then(|tokens| tokens.expires_at);
    let state = match tokens {
        None => "over",
        Some(tokens) if tokens.refresh_token.is_some() => "renewed by itself",
        Some(_) if expires_at.is_some_and(|at| at <= now) => "expired",
        Some(_) => "valid",
    };
    let kept_in = if vault.is_in_keyring(&key) { "keyring" } else { "file" };
    let principal = match key.holder {
        LoginHolder::Owner => None,
        LoginHolder::Other { principal } => Some(principal),
    };
    ListedLogin {
        server: key.server.to_string(),
        url: key.url,
        account: key.account,
        principal,
        state,
        kept_in,
        expires_at: expires_at.map(written),
        scope: tokens.and_then(|tokens| tokens.scope.clone()),
        issuer: login.binding.issuer,
    }
}
