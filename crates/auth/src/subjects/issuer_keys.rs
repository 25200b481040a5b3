//! The keys of an issuer, fetched when they are first needed and again when they may have changed.
//!
//! Strangers can name any key, so a name that is not known leads to one request in half a minute, whoever
//! brings it, and all who wait meanwhile wait for that one. It is no caller's own: who goes away does not
//! end it. While an issuer cannot be reached the keys that it had stay.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;
use toolgate_types::config::{SignatureAlgorithm, TokenIssuer};
use tracing::{debug, warn};

use super::SubjectRefusal;
use super::access_token::AccessToken;
use super::issuer_metadata::IssuerMetadata;
use super::rules::written;
use super::signing_keys::{KeyVerdict, SigningKeys};
use crate::login::{GuardedFetch, OauthEndpoint, document};

/// How often they are asked for because of a key that is not known.
pub(super) const APART_MS: u64 = 30_000;
/// The same while none is known at all.
const APART_WITHOUT_MS: u64 = 5_000;
/// When they are asked for again though nobody brought an unknown one: a key may have been withdrawn.
pub(super) const FRESH_MS: u64 = 10 * 60_000;

pub(super) struct IssuerKeys(Arc<KeyShelf>);

struct KeyShelf {
    issuer: String,
    /// Instead of what its metadata says.
    place: Option<String>,
    fetch: Arc<dyn GuardedFetch>,
    state: Mutex<ShelfState>,
}

#[derive(Default)]
struct ShelfState {
    keys: Arc<SigningKeys>,
    /// Another number for other keys.
    generation: u64,
    fetched_at: Option<u64>,
    tried_at: Option<u64>,
    /// Why the last try brought nothing.
    trouble: Option<String>,
    under_way: Option<watch::Receiver<()>>,
}

impl IssuerKeys {
    pub(super) fn of(issuer: &TokenIssuer, fetch: Arc<dyn GuardedFetch>) -> Self {
        Self(Arc::new(KeyShelf {
            issuer: written(&issuer.issuer),
            place: issuer.jwks_uri.as_ref().map(written),
            fetch,
            state: Mutex::default(),
        }))
    }

    /// Which keys they are now. They are looked at again in time, by whoever comes then, and nobody waits
    /// for it: what is known holds until something else is.
    pub(super) fn generation(&self, now: u64) -> u64 {
        let (fetched_at, generation) = {
            let state = self.0.state.lock();
            (state.fetched_at, state.generation)
        };
        if fetched_at.is_some_and(|at| !is_within(at, now, FRESH_MS)) {
            drop(self.fetching(now));
        }
        generation
    }

    /// Whether the issuer signed this; with which generation of its keys.
    pub(super) async fn verify(
        &self,
        token: &AccessToken<'_>,
        algorithm: SignatureAlgorithm,
        now: u64,
    ) -> Result<u64, SubjectRefusal> {
        let (verdict, generation) = self.try_keys(token, algorithm);
        match verdict {
            KeyVerdict::Signed => return Ok(generation),
            KeyVerdict::NotSigned => return Err(SubjectRefusal::Signature),
            KeyVerdict::NoKey => {}
        }
        if let Some(mut fetching) = self.fetching(now) {
            // Whether it sent something or is gone, it is over.
            let _ = fetching.changed().await;
        }
        match self.try_keys(token, algorithm) {
            (KeyVerdict::Signed, generation) => Ok(generation),
            (KeyVerdict::NotSigned, _) => Err(SubjectRefusal::Signature),
            (KeyVerdict::NoKey, _) => Err(self.without_key()),
        }
    }

    fn try_keys(&self, token: &AccessToken<'_>, how: SignatureAlgorithm) -> (KeyVerdict, u64) {
        let (keys, generation) = {
            let state = self.0.state.lock();
            (Arc::clone(&state.keys), state.generation)
        };
        (keys.verify(token, how), generation)
    }

    /// Where there are keys, one of another name is nobody's; where there are none, nobody could look.
    fn without_key(&self) -> SubjectRefusal {
        let state = self.0.state.lock();
        match &state.trouble {
            Some(trouble) if state.keys.is_empty() => SubjectRefusal::Unchecked(trouble.clone()),
            _ => SubjectRefusal::UnknownKey,
        }
    }

    /// The request that is under way, or a new one unless the last was a moment ago.
    fn fetching(&self, now: u64) -> Option<watch::Receiver<()>> {
        let mut state = self.0.state.lock();
        if let Some(under_way) = &state.under_way {
            return Some(under_way.clone());
        }
        let apart = if state.keys.is_empty() { APART_WITHOUT_MS } else { APART_MS };
        if state.tried_at.is_some_and(|at| is_within(at, now, apart)) {
            return None;
        }
        state.tried_at = Some(now);
        let (done, waiting) = watch::channel(());
        state.under_way = Some(waiting.clone());
        let shelf = Arc::clone(&self.0);
        tokio::spawn(async move {
            let found = shelf.find().await;
            shelf.take(found, now);
            let _ = done.send(());
        });
        Some(waiting)
    }
}

impl KeyShelf {
    async fn find(&self) -> Result<SigningKeys, String> {
        let place = match &self.place {
            Some(place) => OauthEndpoint::parse("jwks_uri", place).map_err(|e| e.to_string())?,
            None => IssuerMetadata::find(&self.issuer, &*self.fetch)
                .await?
                .keys
                .ok_or("it publishes no keys (`jwks_uri`)")?,
        };
        let found = document(place.url(), &*self.fetch).await.map_err(|error| error.to_string())?;
        let found = found.and_then(|body| SigningKeys::read(&body));
        let keys = found.ok_or("there are no keys where they should be")?;
        match keys.is_empty() {
            true => Err("it has no key that can be used here".to_owned()),
            false => Ok(keys),
        }
    }

    fn take(&self, found: Result<SigningKeys, String>, now: u64) {
        let mut state = self.state.lock();
        state.under_way = None;
        match found {
            Ok(keys) => {
                debug!(issuer = self.issuer, "the issuer's keys were fetched");
                if *state.keys != keys {
                    state.keys = Arc::new(keys);
                    state.generation += 1;
                }
                state.fetched_at = Some(now);
                state.trouble = None;
            }
            Err(trouble) => {
                warn!(target: "toolgate", issuer = self.issuer, %trouble, "no keys of the issuer");
                state.trouble = Some(trouble);
            }
        }
    }
}

/// A clock that was set back makes nothing last longer.
fn is_within(then: u64, now: u64, span: u64) -> bool {
    now.checked_sub(then).is_some_and(|age| age < span)
}
