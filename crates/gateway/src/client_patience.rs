//! Clients that list once and never again, and how long each waits for that list.
//!
//! Known by name: of `stdio --client`, of the token, or what a client calls itself. Anybody can claim
//! such a name, so it decides about nothing but how long a first list waits.

use std::time::Duration;

/// How names begin, in small letters, and how long the client waits from its first message on. Codex
/// goes on without the tools of a server after about a second, and hears no `list_changed` in a turn;
/// a tenth of that is left for the way.
const LISTING_ONCE: [(&str, Duration); 1] = [("codex", Duration::from_millis(900))];

/// How long this client waits for its first list, where it is known to make only one.
pub(crate) fn patience_of(client: &str) -> Option<Duration> {
    let is_it = |(name, _): &&(&str, Duration)| {
        client.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    LISTING_ONCE.iter().find(is_it).map(|(_, patience)| *patience)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_clients_that_never_list_again_have_a_patience_of_their_own() {
        for name in ["codex", "Codex", "codex-mcp-client"] {
            assert!(patience_of(name).is_some(), "{name}");
        }
        for name in ["", "code", "cödex", "claude-code", "my-codex"] {
            assert_eq!(patience_of(name), None, "{name}");
        }
    }
}
