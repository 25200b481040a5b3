//! `toolgate token list`: what tokens there are, those that no longer count among them.

use serde::Serialize;
use toolgate_store::KeptToken;
use toolgate_terminal::{CommandOutput, table};
use toolgate_types::visible;

use super::{ShownToken, failed, now, to_look};
use crate::failure::{CommandResult, Exit};
use crate::surroundings::{Surroundings, wait};

const HEADER: [&str; 8] =
    ["name", "state", "roles", "client", "forms", "mine", "created", "expires"];

#[derive(Serialize)]
struct TokenListJson {
    tokens: Vec<ListedToken>,
}

#[derive(Serialize)]
struct ListedToken {
    state: &'static str,
    #[serde(flatten)]
    shown: ShownToken,
}

pub(super) fn run(surroundings: &Surroundings, output: &mut CommandOutput) -> CommandResult {
    let now = now();
    let tokens = wait(to_look(surroundings)?.list()).map_err(failed)?;
    let listed = |token: KeptToken| ListedToken { state: state(&token, now), shown: token.into() };
    let tokens: Vec<ListedToken> = tokens.into_iter().map(listed).collect();
    if output.json {
        output.document_of(&TokenListJson { tokens });
    } else if tokens.is_empty() {
        output.line("there are no tokens");
    } else {
        output.raw(&table(&HEADER, &tokens.iter().map(ListedToken::cells).collect::<Vec<_>>()));
    }
    Ok(Exit::Ok)
}

/// One that expired gives its name free by being marked as revoked; it has expired all the same.
fn state(token: &KeptToken, now: u64) -> &'static str {
    match (token.expires_at, token.revoked_at) {
        (Some(expires), revoked) if expires <= revoked.unwrap_or(now) => "expired",
        (_, Some(_)) => "revoked",
        (_, None) => "active",
    }
}

impl ListedToken {
    fn cells(&self) -> Vec<String> {
        let ShownToken { name, roles, client, forms, mine, created_at, expires_at, .. } =
            &self.shown;
        let yes = |is_so: bool| if is_so { "yes" } else { "-" }.to_owned();
        vec![
            name.clone(),
            self.state.to_owned(),
            roles.as_ref().map_or_else(|| "any".to_owned(), |roles| roles.join(",")),
            client.as_deref().map_or_else(|| "-".to_owned(), visible),
            yes(*forms),
            yes(*mine),
            created_at.clone(),
            expires_at.clone().unwrap_or_else(|| "never".to_owned()),
        ]
    }
}
