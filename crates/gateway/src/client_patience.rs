//! Clients that list once and never again, and how long each waits for that list.
//!
//! Known by name: of `stdio --client`, of the token, or what a client calls itself. Anybody can claim
//! such a name, so it decides about nothing but how long a first list waits.

use std::time::Duration;

/// Whole names, in small letters, and how long the client waits from its first message on. Codex goes on
/// without the tools of a server after about a second, and hears no `list_changed` in a turn; a tenth of
/// that is left for the way. The others wait longer than anybody would want to: Gemini's command line
/// and the Inspector's, and whatever is written with the Python SDK or FastMCP and says no name of its
/// own, list once and do their work.
const LISTING_ONCE: [(&str, Duration); 8] = [
    ("codex", Duration::from_millis(900)),
    ("codex-mcp-client", Duration::from_millis(900)),
    ("gemini", LONG),
    ("gemini-cli", LONG),
    ("gemini-cli-mcp-client", LONG),
    ("inspector-cli", LONG),
    ("mcp", LONG),
    ("mcporter", LONG),
];

/// Only for servers that are making progress; somebody sits there and waits.
const LONG: Duration = Duration::from_secs(10);

/// How long this client waits for its first list, where it is known to make only one.
pub(crate) fn patience_of(client: &str) -> Option<Duration> {
    let is_it = |(name, _): &&(&str, Duration)| client.eq_ignore_ascii_case(name);
    LISTING_ONCE.iter().find(is_it).map(|(_, patience)| *patience)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_clients_that_never_list_again_have_a_patience_of_their_own() {
        for name in ["codex", "Codex", "codex-mcp-client", "mcp", "gemini-cli-mcp-client"] {
            assert!(patience_of(name).is_some(), "{name}");
        }
        for name in ["", "code", "cödex", "claude-code", "my-codex", "mcp-remote"] {
            assert_eq!(patience_of(name), None, "{name}");
        }
    }
}
