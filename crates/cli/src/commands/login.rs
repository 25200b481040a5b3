//! `toolgate login`: a person logs in to a server, in a browser or by a pasted address.

use std::future::pending;

use async_trait::async_trait;
use serde_json::json;
use toolgate_auth::login::LoginError;
use toolgate_daemon::{LoginCode, LoginConversation, LoginLink, PersonLogin, open_in_browser};
use toolgate_terminal::moment::written;
use toolgate_terminal::{CommandOutput, can_ask, is_terminal_there, read_secret, talk};
use toolgate_types::visible;
use url::Url;

use super::login_place::LoginPlace;
use crate::args::LoginArgs;
use crate::command_runtime::command_runtime;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::Surroundings;

pub(crate) fn run(
    arguments: &LoginArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let place = LoginPlace::find(&arguments.id, arguments.account.as_deref(), surroundings)?;
    if !is_terminal_there() {
        return Err(
            CliFailure::new("logging in needs a person at a terminal").exits(Exit::LoginNeeded)
        );
    }
    let mut configured = place.remote.oauth.clone().unwrap_or_default();
    output.flush();
    let conversation = TerminalLogin { surroundings, opens: !arguments.no_browser };
    let runtime = command_runtime()?;
    let logged_in = loop {
        let login = PersonLogin {
            logins: place.logins.clone(),
            key: place.key.clone(),
            remote: &place.remote,
            configured: configured.clone(),
            scope: arguments.scopes.as_deref(),
            fetch: place.fetch(surroundings)?,
            with_code: arguments.device,
            patience: PersonLogin::PATIENCE,
        };
        match runtime.block_on(login.log_in(&conversation)) {
            Err(LoginError::NeedsSecret) => {
                let asked = read_secret("the client's secret (not shown):");
                let asked = asked.map_err(|error| CliFailure::new(error.to_string()))?;
                let Some(secret) = asked.filter(|secret| !secret.expose().is_empty()) else {
                    return Err(CliFailure::new("nothing was given").exits(Exit::LoginNeeded));
                };
                let secret = toolgate_types::ConfigText::hidden(secret.expose().to_owned());
                configured.client_secret = Some(secret);
            }
            done => break done,
        }
    };
    // A question that nobody answered holds nobody up.
    runtime.shutdown_background();
    let id = visible(&arguments.id);
    let login = logged_in.map_err(|error| explain(&arguments.id, &error))?;
    let Some(login) = login else {
        output.note(format!("{id} wants no login: it answers without one"));
        return Ok(Exit::Ok);
    };
    let tokens = login.tokens.as_ref();
    let expires = tokens.and_then(|tokens| tokens.expires_at).map(written);
    let scope = tokens.and_then(|tokens| tokens.scope.clone());
    if output.json {
        let fields = json!({
            "login": arguments.id, "account": place.key.account, "issuer": login.binding.issuer,
            "expiresAt": expires, "scope": scope,
        });
        output.document(fields.as_object().cloned().unwrap_or_default());
        return Ok(Exit::Ok);
    }
    output.line(format!("logged in to {}", place.shown()));
    output.note(match place.logins.vault().is_in_keyring(&place.key) {
        true => "its tokens are kept in your keyring",
        false => "its tokens are kept in a file for you alone, beside the state of Toolgate",
    });
    output.note("its next call uses it; end it with: toolgate logout ".to_owned() + &id);
    Ok(Exit::Ok)
}

fn explain(id: &str, error: &LoginError) -> CliFailure {
    let failure = CliFailure::new(format!("{}: {error}", visible(id))).exits(Exit::LoginNeeded);
    match error {
        LoginError::NotOffered => failure
            .hint("it takes a key, most likely: set `headers.Authorization` or `bearer_token_env`"),
        LoginError::NeedsRegistration(_) => failure
            .hint("register a client there, and put its id into the entry's `oauth.client_id`"),
        _ => failure,
    }
}

/// The person at this terminal.
struct TerminalLogin<'a> {
    surroundings: &'a Surroundings,
    opens: bool,
}

#[async_trait]
impl LoginConversation for TerminalLogin<'_> {
    async fn show(&self, link: &LoginLink<'_>) {
        let mut text = format!("log in here:\n  {}\n", visible(link.url));
        if let Some(issuer) = link.issuer {
            text.push_str(&format!("issuer  {}\n", visible(issuer)));
        }
        if let Some(before) = link.issuer_before {
            text.push_str(&format!("changed: the login before was at {}\n", visible(before)));
        }
        if let Some(scope) = link.scope {
            text.push_str(&format!("scopes  {}\n", visible(scope)));
        }
        if link.takes_code && !self.opens {
            text.push_str("or, with a code to type in on another device: --device\n");
        }
        let asks = self.opens && can_ask();
        let agreed = talk(move |at| {
            at.say(text.trim_end())?;
            if asks { at.agrees("open it in your browser?") } else { Ok(false) }
        });
        let agreed = agreed.await.unwrap_or(false);
        if agreed && let Ok(url) = Url::parse(link.url) {
            let opened = open_in_browser(&url, &self.surroundings.variables);
            if !opened {
                let _ =
                    talk(|at| at.say("no browser could be opened; open the link yourself")).await;
            }
        }
    }

    async fn show_code(&self, code: &LoginCode<'_>) {
        let LoginCode { code, url, issuer, issuer_before, scope, lasts } = *code;
        let mut text = format!("type in the code  {}\nhere:\n  {}\n", visible(code), visible(url));
        let facts = [("issuer ", issuer), ("changed: the login before was at", issuer_before)];
        for (what, fact) in facts.into_iter().chain([("scopes ", scope)]) {
            if let Some(fact) = fact {
                text.push_str(&format!("{what} {}\n", visible(fact)));
            }
        }
        text.push_str(&format!("it counts for {} minutes", lasts.as_secs().div_ceil(60)));
        let _ = talk(move |at| at.say(&text)).await;
    }

    async fn pasted(&self) -> String {
        let question = "or paste the address that your browser ended on:";
        match talk(move |at| at.ask(question)).await {
            Ok(Some(pasted)) if !pasted.is_empty() => pasted,
            // Nobody pastes here; the browser may still come back.
            _ => pending().await,
        }
    }

    async fn not_believed(&self, why: &LoginError) {
        let told = why.to_string();
        let _ = talk(move |at| at.say(&told)).await;
    }
}
