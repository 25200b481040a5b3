//! From a ruling to the proof: what is allowed is permitted, what needs a person is asked for.

use toolgate_types::Operation;

use crate::Permitted;
use crate::approve::{Consent, Subject};
use crate::case::Case;
use crate::ladder::{Reason, Ruling};
use crate::rules::{Rules, decide};

/// What comes of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    Ruled(Ruling),
    /// Nothing was decided: whoever made the guard has the key that lets everything pass.
    Unguarded,
}

impl Decision {
    pub fn word(&self) -> &'static str {
        match self {
            Self::Ruled(ruling) => ruling.as_str(),
            Self::Unguarded => "allow",
        }
    }

    /// The rule that made it, as a sentence.
    pub fn rule(&self) -> String {
        match self {
            Self::Ruled(ruling) => ruling.reason().to_string(),
            Self::Unguarded => "nothing is decided here".to_owned(),
        }
    }
}

/// Why something may not be done. What a caller is told names no rule: that is the owner's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("this is not permitted (denied)")]
    Denied(Reason),
    #[error("the user declined this (denied){}", .0.as_ref().map(|said| format!(": {said}")).unwrap_or_default())]
    Declined(Option<String>),
    #[error("the user did not answer in time (expired)")]
    Expired,
    #[error("this is not what was approved any more; it was not done (expired)")]
    Changed,
    #[error("this needs a person's approval, and there is nobody to ask (no_channel)")]
    NoChannel(Reason),
}

impl Refusal {
    /// The word that programs go by.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Denied(_) | Self::Declined(_) => "denied",
            Self::Expired | Self::Changed => "expired",
            Self::NoChannel(_) => "no_channel",
        }
    }

    /// The rule behind it, where it was one.
    pub fn reason(&self) -> Option<&Reason> {
        match self {
            Self::Denied(reason) | Self::NoChannel(reason) => Some(reason),
            Self::Declined(_) | Self::Expired | Self::Changed => None,
        }
    }
}

/// Why there is no proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Withheld {
    Refused(Refusal),
    /// Not yet: a person has to be asked.
    Unasked(Unasked),
}

/// A decision that only a person can make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unasked {
    pub reason: Reason,
    /// Whether an answer may be kept for the session.
    pub may_be_kept: bool,
}

/// The key to a guard that lets everything pass: for tests of what comes after the guard.
///
/// `cargo xtask tidy` holds that nothing that ships makes one.
#[derive(Debug, Clone)]
pub struct AllowEverything(());

impl AllowEverything {
    pub fn insecure_no_policy() -> Self {
        Self(())
    }

    /// The proof without a decision.
    pub fn permit<T>(&self, what: T) -> Permitted<T> {
        Permitted::new(what)
    }
}

/// Decides and permits.
#[derive(Debug, Clone, Default)]
pub struct Guard(Option<AllowEverything>);

impl Guard {
    pub fn without_policy(key: AllowEverything) -> Self {
        Self(Some(key))
    }

    /// Allow, ask or deny, by the rules of the audience.
    pub fn decide(&self, rules: &Rules, case: &Case<'_>) -> Decision {
        match &self.0 {
            Some(_) => Decision::Unguarded,
            None => Decision::Ruled(decide(rules, case)),
        }
    }

    /// Turns a decision into the proof. What only a person can decide needs their consent to exactly
    /// this; without one it comes back unasked.
    pub fn permit<'s>(
        &self,
        decision: Decision,
        operation: Operation,
        subject: impl FnOnce() -> Subject<'s>,
        consent: Option<Consent>,
    ) -> Result<Permitted<Operation>, Withheld> {
        let ruling = match decision {
            Decision::Unguarded => return Ok(Permitted::new(operation)),
            Decision::Ruled(ruling) => ruling,
        };
        let may_be_kept = ruling.may_be_kept();
        match (ruling, consent) {
            (Ruling::Allow(_), _) => Ok(Permitted::new(operation)),
            (Ruling::Deny(reason), _) => Err(Withheld::Refused(Refusal::Denied(reason))),
            (Ruling::Ask(reason), None) => Err(Withheld::Unasked(Unasked { reason, may_be_kept })),
            (Ruling::Ask(_), Some(consent)) => match subject().digest(&operation) {
                Ok(subject) => match consent.operation(operation, subject) {
                    Some(shown) => Ok(Permitted::new(shown)),
                    None => Err(Withheld::Refused(Refusal::Changed)),
                },
                Err(_) => Err(Withheld::Refused(Refusal::Changed)),
            },
        }
    }
}
