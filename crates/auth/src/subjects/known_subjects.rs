//! Tokens that were verified, so that it is not done for every request, and those that an issuer said no
//! to, so that it is not asked for ever. By their hashes; a token itself is kept nowhere.
//!
//! Bookkeeping only: time is an argument.

use std::collections::HashMap;
use std::sync::Arc;

use toolgate_types::Digest;

use super::{SubjectRefusal, VerifiedSubject};

/// How many of each kind are remembered.
pub(super) const MOST: usize = 1024;

/// How long what an issuer said of a token is believed, in milliseconds.
pub(super) const BELIEVED_MS: u64 = 30_000;

/// How long a no is; so many unknown tokens as are remembered may be asked about in this time.
const REFUSED_MS: u64 = 10_000;

#[derive(Debug, Default)]
pub(super) struct KnownSubjects {
    verified: HashMap<Digest, KnownSubject>,
    refused: HashMap<Digest, SubjectRefusal>,
    /// When `refused` was last empty: it is forgotten as a whole.
    refused_since: u64,
}

#[derive(Debug)]
struct KnownSubject {
    subject: Arc<VerifiedSubject>,
    since: u64,
    until: u64,
    /// Of the issuer's keys, where it was verified by one.
    generation: Option<u64>,
}

pub(super) enum RememberedSubject {
    Verified(Arc<VerifiedSubject>),
    Refused(SubjectRefusal),
    Nothing,
}

impl KnownSubjects {
    pub(super) fn recall(&mut self, hash: Digest, generation: u64, now: u64) -> RememberedSubject {
        if now.checked_sub(self.refused_since).is_none_or(|age| age >= REFUSED_MS) {
            self.refused.clear();
            self.refused_since = now;
        }
        if let Some(known) = self.verified.get(&hash) {
            if known.counts(generation, now) {
                return RememberedSubject::Verified(Arc::clone(&known.subject));
            }
            self.verified.remove(&hash);
        }
        match self.refused.get(&hash) {
            Some(refusal) => RememberedSubject::Refused(refusal.clone()),
            None => RememberedSubject::Nothing,
        }
    }

    /// Verified by a key of this generation: as long as it counts and that key does.
    pub(super) fn remember_signed(
        &mut self,
        hash: Digest,
        subject: &Arc<VerifiedSubject>,
        generation: u64,
        now: u64,
    ) {
        self.keep(hash, subject, (now, subject.expires_at), Some(generation));
    }

    /// What the issuer said when it was asked.
    pub(super) fn remember_asked(
        &mut self,
        hash: Digest,
        judged: &Result<Arc<VerifiedSubject>, SubjectRefusal>,
        now: u64,
    ) {
        match judged {
            Ok(subject) => {
                let until = subject.expires_at.min(now.saturating_add(BELIEVED_MS));
                self.keep(hash, subject, (now, until), None);
            }
            Err(refusal) if self.refused.len() < MOST && refusal.is_final() => {
                self.refused.insert(hash, refusal.clone());
            }
            Err(_) => {}
        }
    }

    /// Whether so many unknown tokens came that the next ones have to wait.
    pub(super) fn is_crowded(&self) -> bool {
        self.refused.len() >= MOST
    }

    fn keep(
        &mut self,
        hash: Digest,
        subject: &Arc<VerifiedSubject>,
        (since, until): (u64, u64),
        generation: Option<u64>,
    ) {
        if self.verified.len() >= MOST {
            self.verified.retain(|_, known| known.until > since);
        }
        // Only who has tokens that count can fill it; the others are verified anew.
        if self.verified.len() >= MOST {
            self.verified.clear();
        }
        let subject = Arc::clone(subject);
        self.verified.insert(hash, KnownSubject { subject, since, until, generation });
    }
}

impl KnownSubject {
    /// A clock that was set back makes nothing last longer.
    fn counts(&self, generation: u64, now: u64) -> bool {
        self.since <= now
            && now < self.until
            && self.generation.is_none_or(|verified_by| verified_by == generation)
    }
}
