//! What the store said of tokens a moment ago, so that it need not be asked for every request.
//!
//! Bookkeeping only: time is an argument, and asking is the caller's. Both halves are bounded, and
//! so is how often strangers can make us ask: when too many unknown tokens came at once, those that
//! follow are put off until what is remembered is too old anyway. Tokens that were verified before
//! are not put off, nor driven out by others.

use std::collections::HashMap;
use std::sync::Arc;

use toolgate_store::TokenName;
use toolgate_types::Digest;

use super::{BELIEVED_MS, TokenRefusal, VerifiedToken};

/// How many of each kind are remembered.
pub(super) const MOST: usize = 1024;

#[derive(Debug, Default)]
pub(super) struct KnownTokens {
    verified: HashMap<Digest, SeenToken>,
    refused: HashMap<Digest, TokenRefusal>,
    /// When `refused` was last empty: it is forgotten as a whole, which costs nothing.
    refused_since: u64,
}

#[derive(Debug)]
struct SeenToken {
    caller: Arc<VerifiedToken>,
    asked_at: u64,
}

pub(super) enum RememberedToken {
    Verified(Arc<VerifiedToken>),
    Refused(TokenRefusal),
    Nothing,
}

impl KnownTokens {
    pub(super) fn recall(&mut self, hash: Digest, now: u64) -> RememberedToken {
        if !is_fresh(self.refused_since, now) {
            self.refused.clear();
            self.refused_since = now;
        }
        if let Some(seen) = self.verified.get(&hash) {
            return match is_fresh(seen.asked_at, now) {
                true => RememberedToken::Verified(Arc::clone(&seen.caller)),
                false => RememberedToken::Nothing,
            };
        }
        match self.refused.get(&hash) {
            Some(refusal) => RememberedToken::Refused(refusal.clone()),
            None if self.refused.len() >= MOST => RememberedToken::Refused(TokenRefusal::Crowded),
            None => RememberedToken::Nothing,
        }
    }

    /// `asked_at` is from before the store was asked: what happened meanwhile is not known.
    pub(super) fn remember(
        &mut self,
        hash: Digest,
        judged: &Result<Arc<VerifiedToken>, TokenRefusal>,
        asked_at: u64,
    ) {
        match judged {
            Ok(caller) => {
                if self.verified.len() >= MOST && !self.verified.contains_key(&hash) {
                    self.verified.retain(|_, seen| is_fresh(seen.asked_at, asked_at));
                }
                if self.verified.len() < MOST || self.verified.contains_key(&hash) {
                    let caller = Arc::clone(caller);
                    self.verified.insert(hash, SeenToken { caller, asked_at });
                }
            }
            Err(refusal) => {
                self.verified.remove(&hash);
                if self.refused.len() < MOST {
                    self.refused.insert(hash, refusal.clone());
                }
            }
        }
    }

    pub(super) fn forget(&mut self, name: &TokenName) {
        self.verified.retain(|_, seen| seen.caller.name() != name);
    }

    #[cfg(test)]
    fn sizes(&self) -> (usize, usize) {
        (self.verified.len(), self.refused.len())
    }
}

/// A clock that was set back makes nothing last longer: what is from the future is too old.
fn is_fresh(then: u64, now: u64) -> bool {
    now.checked_sub(then).is_some_and(|age| age < BELIEVED_MS)
}

#[cfg(test)]
mod tests;
