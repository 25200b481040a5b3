//! The tokens that callers showed, for servers whose own tokens are to be had for them (RFC 8693), and what
//! was had. In memory alone, each for as long as it counts: a caller's token itself goes to the
//! authorization server that a person named, and to no server.

use std::collections::HashMap;

use parking_lot::Mutex;
use toolgate_store::{LoginKey, LoginTokens};
use toolgate_types::Secret;

/// How many callers, and how many of their tokens for servers, are remembered.
const MOST: usize = 1024;

/// A token that holds no longer than this is had anew before it is used.
const RENEWED_BEFORE_MS: u64 = 60_000;

/// How long one is used that does not say how long it holds.
const UNSAID_MS: u64 = 5 * 60_000;

/// Tokens of callers, by principal.
#[derive(Default)]
pub struct CallerTokens {
    shown: Mutex<HashMap<String, (Secret, u64)>>,
    had: Mutex<HashMap<(String, LoginKey), (Secret, u64)>>,
}

impl CallerTokens {
    /// A caller showed a token that counts until then.
    pub fn show(&self, principal: &str, token: &str, until: u64, now: u64) {
        let mut shown = self.shown.lock();
        if shown.get(principal).is_some_and(|(known, _)| known.expose() == token) {
            return;
        }
        // What was had for another token may be good for more than this one is.
        self.had.lock().retain(|(of, _), _| of != principal);
        make_room(&mut shown, now);
        shown.insert(principal.to_owned(), (Secret::new(token.to_owned()), until));
    }

    /// The last token that a caller showed, where it still counts.
    pub(super) fn of(&self, principal: &str, now: u64) -> Option<Secret> {
        let shown = self.shown.lock();
        shown.get(principal).filter(|(_, until)| now < *until).map(|(token, _)| token.clone())
    }

    /// What was had for a caller at a server before.
    pub(super) fn had(&self, principal: &str, key: &LoginKey, now: u64) -> Option<Secret> {
        let had = self.had.lock();
        let known = had.get(&(principal.to_owned(), key.clone()));
        known.filter(|(_, until)| now < *until).map(|(token, _)| token.clone())
    }

    pub(super) fn keep(&self, principal: &str, key: &LoginKey, tokens: &LoginTokens, now: u64) {
        let until = match tokens.expires_at {
            Some(at) => at.saturating_sub(RENEWED_BEFORE_MS),
            None => now.saturating_add(UNSAID_MS),
        };
        let mut had = self.had.lock();
        make_room(&mut had, now);
        had.insert((principal.to_owned(), key.clone()), (tokens.access_token.clone(), until));
    }

    /// A server refused what was had.
    pub fn forget(&self, principal: &str, key: &LoginKey) {
        self.had.lock().remove(&(principal.to_owned(), key.clone()));
    }
}

fn make_room<K: Eq + std::hash::Hash>(tokens: &mut HashMap<K, (Secret, u64)>, now: u64) {
    if tokens.len() >= MOST {
        tokens.retain(|_, (_, until)| now < *until);
    }
    if tokens.len() >= MOST {
        tokens.clear();
    }
}

impl std::fmt::Debug for CallerTokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallerTokens").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use toolgate_store::LoginHolder;
    use toolgate_types::ServerId;

    use super::*;

    /// A narrower token must not be served with what a wider one brought.
    #[test]
    fn what_was_had_for_another_token_is_not_used_for_this_one() {
        let tokens = CallerTokens::default();
        let key = LoginKey {
            server: ServerId::parse("one").unwrap(),
            url: "https://one.example".to_owned(),
            holder: LoginHolder::Owner,
            account: None,
        };
        let had = LoginTokens {
            access_token: Secret::new("wide".to_owned()),
            refresh_token: None,
            expires_at: None,
            scope: None,
        };
        tokens.show("alice", "first", 1000, 0);
        tokens.keep("alice", &key, &had, 0);
        tokens.keep("bob", &key, &had, 0);
        tokens.show("alice", "first", 1000, 1);
        assert!(tokens.had("alice", &key, 1).is_some(), "the same token again");
        tokens.show("alice", "second", 1000, 2);
        assert!(tokens.had("alice", &key, 2).is_none());
        assert!(tokens.had("bob", &key, 2).is_some(), "it is nothing to him");
        assert_eq!(tokens.of("alice", 2).unwrap().expose(), "second");
        assert!(tokens.of("alice", 1000).is_none(), "it is over");
    }
}
