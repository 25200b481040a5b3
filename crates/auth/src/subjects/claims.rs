//! What a token says, held against what has to stand in it: the same for one that is signed and for one
//! that its issuer tells us about.

use serde_json::{Map, Value};
use toolgate_types::Principal;

use super::rules::SubjectRules;
use super::{SubjectRefusal, VerifiedSubject};

/// So far may two clocks be apart, in milliseconds.
pub(super) const LEEWAY_MS: u64 = 30_000;

/// More than any issuer gives a subject (OpenID Connect Core, 2).
const LONGEST_SUBJECT: usize = 255;

/// Claims that only ID tokens have.
const OF_ID_TOKENS: [&str; 3] = ["nonce", "at_hash", "c_hash"];

/// What a token says; whether it is true is the caller's to know.
#[derive(Debug, Clone)]
pub(super) struct TokenClaims(pub(super) Map<String, Value>);

impl TokenClaims {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, SubjectRefusal> {
        serde_json::from_slice(bytes).map(Self).map_err(|_| SubjectRefusal::Malformed)
    }

    pub(super) fn check_issuer(&self, rules: &SubjectRules) -> Result<(), SubjectRefusal> {
        match self.text("iss") == Some(&rules.issuer) {
            true => Ok(()),
            false => Err(SubjectRefusal::OtherIssuer),
        }
    }

    /// Who it is, where everything is as it has to be.
    pub(super) fn judge(
        &self,
        rules: &SubjectRules,
        now: u64,
    ) -> Result<VerifiedSubject, SubjectRefusal> {
        self.check_issuer(rules)?;
        if OF_ID_TOKENS.iter().any(|name| self.0.contains_key(*name)) {
            return Err(SubjectRefusal::IdToken);
        }
        if self.0.contains_key("cnf") {
            return Err(SubjectRefusal::Bound);
        }
        if !self.audiences().any(|audience| rules.audiences.contains(audience)) {
            return Err(SubjectRefusal::OtherAudience);
        }
        let expires_at = self.time("exp")?.ok_or(SubjectRefusal::Expired)?;
        let expires_at = expires_at.saturating_add(LEEWAY_MS);
        if expires_at <= now {
            return Err(SubjectRefusal::Expired);
        }
        for begins in ["nbf", "iat"] {
            if self.time(begins)?.is_some_and(|at| at > now.saturating_add(LEEWAY_MS)) {
                return Err(SubjectRefusal::NotYet);
            }
        }
        let subject = self.text("sub").filter(|subject| is_subject(subject));
        let subject = subject.ok_or(SubjectRefusal::NoSubject)?;
        if !rules.required_scopes.iter().all(|scope| self.scopes().any(|has| has == scope)) {
            return Err(SubjectRefusal::Scope);
        }
        Ok(VerifiedSubject {
            principal: Principal::of_subject(&rules.issuer, subject),
            roles: rules.roles.roles(&self.0),
            expires_at,
        })
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    fn audiences(&self) -> impl Iterator<Item = &str> {
        texts(self.0.get("aud"))
    }

    /// One text with blanks between them, or a list; `scp` is how some call it.
    fn scopes(&self) -> impl Iterator<Item = &str> {
        let written = self.0.get("scope").or_else(|| self.0.get("scp"));
        texts(written).flat_map(str::split_ascii_whitespace)
    }

    /// A time in milliseconds; one that is no number is no time at all.
    fn time(&self, name: &str) -> Result<Option<u64>, SubjectRefusal> {
        let Some(value) = self.0.get(name) else { return Ok(None) };
        let seconds = value.as_f64().filter(|seconds| *seconds >= 0.0);
        // `as` saturates.
        let at = seconds.map(|seconds| (seconds * 1000.0) as u64);
        at.map(Some).ok_or(SubjectRefusal::Malformed)
    }
}

/// A text, or a list of them.
fn texts(value: Option<&Value>) -> impl Iterator<Item = &str> {
    let (one, many) = match value {
        Some(Value::String(one)) => (Some(one.as_str()), [].as_slice()),
        Some(Value::Array(many)) => (None, many.as_slice()),
        _ => (None, [].as_slice()),
    };
    one.into_iter().chain(many.iter().filter_map(Value::as_str))
}

/// It becomes part of a name that people read and that records are found by.
fn is_subject(subject: &str) -> bool {
    !subject.is_empty()
        && subject.len() <= LONGEST_SUBJECT
        && !subject.chars().any(char::is_control)
}
