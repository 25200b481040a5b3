//! What a person reads when the gateway starts: where it is, its token, how to connect, the log, and what
//! is protected. The token itself is shown at a terminal alone: what is printed elsewhere is kept.

use serde::Serialize;
use toolgate_config::clients::KnownClient;
use toolgate_daemon::ServeStarted;
use toolgate_terminal::CommandOutput;
use toolgate_types::config::CallerAuth;

use crate::surroundings::Surroundings;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WelcomeJson {
    endpoint: String,
    /// Where the token is kept that callers need.
    #[serde(skip_serializing_if = "Option::is_none")]
    token_file: Option<String>,
    folder: String,
    log: Option<String>,
}

pub(crate) fn greet(
    started: &ServeStarted,
    serves_suite: bool,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) {
    let ServeStarted { scheme, address, token, auth, is_added } = started;
    let token = token.as_ref();
    let endpoint = format!("{scheme}://{address}/mcp");
    let log = surroundings.log_folder().ok().map(|folder| folder.join("toolgate.log"));
    let log = log.map(|log| log.display().to_string());
    let folder = surroundings.cwd.display().to_string();
    // Without a token there is nothing that `connect` could write.
    let state = surroundings.state_folder().ok().filter(|_| token.is_some());
    let token_file = state.map(|state| state.join("tokens/default").display().to_string());
    if output.json {
        output.document_of(&WelcomeJson { endpoint, token_file, folder, log });
        output.flush();
        return;
    }
    output.line(format!("serving {folder}"));
    output.line(format!("  endpoint  {endpoint}"));
    match (token, &token_file) {
        (Some(token), _) if output.is_at_terminal() => {
            output.line(format!("  token     {}", token.expose()));
        }
        (Some(_), Some(file)) => output.line(format!("  token     in {file}")),
        _ => {}
    }
    if let Some(log) = log {
        output.line(format!("  log       {log}"));
    }
    output.line(format!("  guarded   {}", protection(serves_suite)));
    if *auth == CallerAuth::None {
        output.warning("no token is asked for: every program on this machine may call");
    }
    if let Some(file) = &token_file {
        let file = shell_word(file);
        let found = found_clients(surroundings);
        if !found.is_empty() {
            output.line("connect a client found here:");
        }
        for client in found {
            let name = client.as_str();
            output.line(format!("  toolgate connect {name} --http {endpoint} --token-file {file}"));
        }
    }
    if *is_added {
        output.line("served by the daemon that runs; it goes on when this ends");
        if surroundings.logging.is_wanted_here() {
            output.note("the log is the daemon's: toolgate logs --follow");
        }
    }
    output.line("stop with Ctrl-C");
    output.flush();
}

/// What somebody who has read nothing should know.
fn protection(serves_suite: bool) -> &'static str {
    match serves_suite {
        true => {
            "agents get tools for this folder alone, without Git's own files and files that usually \
             hold secrets; nothing is changed unasked, and calls are recorded (toolgate audit)"
        }
        false => {
            "agents get what is configured here; what you did not approve waits for you (toolgate \
             approvals), and calls are recorded (toolgate audit)"
        }
    }
}

/// The clients that have a configuration on this machine.
fn found_clients(surroundings: &Surroundings) -> Vec<KnownClient> {
    let Ok(places) = surroundings.client_places() else { return Vec::new() };
    let has_file =
        |client: &KnownClient| client.files(&places).iter().any(|file| file.path.exists());
    KnownClient::ALL.iter().copied().filter(has_file).collect()
}

/// A word that can be pasted into a shell.
fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    match word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
