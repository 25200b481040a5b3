//! Callers that an issuer speaks for: access tokens of OAuth, verified for this gateway and no other.
//!
//! A token is a JWT (RFC 9068), whose signature is checked here with the issuer's keys, or anything else,
//! about which the issuer is asked (RFC 7662); its form alone decides which, and neither way stands in for
//! the other. No header and no URL of a request is read here, and no clock: the gateway brings text and
//! time. Nobody is dialled but by what was handed in.
//!
//! Signatures are `ring`'s, which TLS has brought already. The crate `jsonwebtoken` was looked at in its
//! version 11: without one of its own backends it splits and decodes a text, keeps a backend for the whole
//! process that panics where nobody installed one, and takes tokens of any type, with any `crit`.

mod access_token;
mod claimed_roles;
mod claims;
mod introspection;
mod issuer_keys;
mod issuer_metadata;
mod known_subjects;
mod refusal;
mod rules;
mod signing_keys;
mod verified_subject;

use std::fmt;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use sha2::{Digest as _, Sha256};
use toolgate_types::config::TokenIssuer;
use toolgate_types::{Digest, Endpoint};

pub use refusal::SubjectRefusal;
pub use verified_subject::{SubjectRoles, VerifiedSubject};

use crate::login::GuardedFetch;
use access_token::AccessToken;
use claims::TokenClaims;
use introspection::TokenIntrospection;
use issuer_keys::IssuerKeys;
use known_subjects::{KnownSubjects, RememberedSubject};
use rules::SubjectRules;

/// Longer than any token that fits into a header.
const LONGEST: usize = 16 * 1024;

/// The callers of one issuer.
pub struct OauthSubjects {
    rules: SubjectRules,
    keys: IssuerKeys,
    introspection: TokenIntrospection,
    known: Mutex<KnownSubjects>,
}

impl OauthSubjects {
    /// `public_url` is what tokens have to be for, where the issuer's entry names nothing else.
    pub fn new(issuer: &TokenIssuer, public_url: &Endpoint, fetch: Arc<dyn GuardedFetch>) -> Self {
        Self {
            rules: SubjectRules::of(issuer, public_url),
            keys: IssuerKeys::of(issuer, Arc::clone(&fetch)),
            introspection: TokenIntrospection::of(issuer, fetch),
            known: Mutex::default(),
        }
    }

    /// Who brings this text, at this time in milliseconds since 1970. A token that was verified is
    /// remembered by its hash, for as long as it counts and its key does.
    pub async fn verify(
        &self,
        text: &str,
        now: u64,
    ) -> Result<Arc<VerifiedSubject>, SubjectRefusal> {
        if text.len() > LONGEST {
            return Err(SubjectRefusal::TooLong);
        }
        let hash = Digest(Sha256::digest(text.as_bytes()).into());
        let remembered = self.known().recall(hash, self.keys.generation(now), now);
        match remembered {
            RememberedSubject::Verified(subject) => return Ok(subject),
            RememberedSubject::Refused(refusal) => return Err(refusal),
            RememberedSubject::Nothing => {}
        }
        match AccessToken::parse(text)? {
            Some(token) => self.verify_signed(hash, &token, now).await,
            None => self.ask_issuer(hash, text, now).await,
        }
    }

    async fn verify_signed(
        &self,
        hash: Digest,
        token: &AccessToken<'_>,
        now: u64,
    ) -> Result<Arc<VerifiedSubject>, SubjectRefusal> {
        let algorithm = token.algorithm(&self.rules.algorithms)?;
        // Read before anybody vouches for it, so that what is not even said to be this issuer's costs
        // nothing.
        let claims = TokenClaims::parse(token.claims())?;
        claims.check_issuer(&self.rules)?;
        let generation = self.keys.verify(token, algorithm, now).await?;
        let subject = Arc::new(claims.judge(&self.rules, now)?);
        self.known().remember_signed(hash, &subject, generation, now);
        Ok(subject)
    }

    async fn ask_issuer(
        &self,
        hash: Digest,
        text: &str,
        now: u64,
    ) -> Result<Arc<VerifiedSubject>, SubjectRefusal> {
        if self.known().is_crowded() {
            return Err(SubjectRefusal::Crowded);
        }
        let judged = match self.introspection.ask(text, now).await {
            Ok(claims) => claims.judge(&self.rules, now).map(Arc::new),
            Err(refusal) => Err(refusal),
        };
        self.known().remember_asked(hash, &judged, now);
        judged
    }

    fn known(&self) -> MutexGuard<'_, KnownSubjects> {
        self.known.lock()
    }
}

impl fmt::Debug for OauthSubjects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OauthSubjects").field("issuer", &self.rules.issuer).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
