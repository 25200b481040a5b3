//! What a program that an agent started may have done here: the verbs of this table, and nothing else.
//!
//! A verb that is not in it is refused before it runs, with exit code 6; so is every one to come. Who
//! counts as an agent's program is found out elsewhere.

use toolgate_control::LineageRequest;

use crate::args::{ConfigVerb, PinsVerb, SandboxVerb, TokenVerb, Verb};

/// Why an agent may have this done; nothing where it may not.
pub(super) fn may_have_it_done(verb: &Verb) -> Option<&'static str> {
    const SHOWS: &str = "it shows what is configured, secrets masked, and changes nothing";
    const SHOWS_STATE: &str = "it shows what runs or happened, and changes nothing";
    const USES: &str = "it uses servers as a window does: the same rules, approvals and records";
    const PRINTS: &str = "it prints what is in the program itself";
    match verb {
        Verb::List(_) | Verb::Get(_) | Verb::Explain(_) => Some(SHOWS),
        Verb::Sandbox { verb: SandboxVerb::Explain { .. } } => Some(SHOWS),
        Verb::Config { verb } => match verb {
            ConfigVerb::Check { .. } | ConfigVerb::Show | ConfigVerb::Path => Some(SHOWS),
            ConfigVerb::Schema => Some(PRINTS),
        },
        Verb::Import(arguments) if arguments.dry_run => Some(SHOWS),
        Verb::Trust(arguments) if arguments.list => Some(SHOWS),
        Verb::Auth { .. } => Some("it shows no token, only whose they are"),
        Verb::Token { verb: TokenVerb::List } => Some("it shows no token, only their names"),
        Verb::Pins { verb: None | Some(PinsVerb::List | PinsVerb::Diff { .. }) } => Some(SHOWS),
        Verb::Status(_) | Verb::Logs(_) | Verb::Audit(_) | Verb::Doctor => Some(SHOWS_STATE),
        Verb::Approvals(_) => Some("it shows what waits; whose answer counts the daemon knows"),
        Verb::Tools(_) | Verb::Test(_) | Verb::Call(_) => Some(USES),
        Verb::Resources { .. } | Verb::Prompts { .. } => Some(USES),
        Verb::Stdio(_) => Some("it is how an agent gets a window"),
        Verb::Daemon => Some("a window starts it where none runs"),
        Verb::Complete { .. } => Some("it shows names that other open verbs show"),
        Verb::Completions { .. } | Verb::Man => Some(PRINTS),
        _ => None,
    }
}

/// What is asked of whoever knows the agents, before another verb runs.
pub(super) fn wish(verb: &Verb) -> LineageRequest {
    // Its name as the program spells it is the first word of this.
    let words = format!("{verb:?}");
    let name = words.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    // A service manager starts gates, with nobody at a terminal.
    let is_for_services = matches!(verb, Verb::Serve(_));
    LineageRequest { verb: name.to_ascii_lowercase(), is_for_services }
}

#[cfg(test)]
mod tests;
