//! From a ruling to the proof: what is allowed is permitted, what needs a person is asked for.

use toolgate_types::Operation;

use crate::Permitted;
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
    #[error("this is not permitted")]
    Denied(Reason),
    #[error("this needs a person's approval, and there is nobody to ask (no_channel)")]
    NoChannel(Reason),
}

impl Refusal {
    pub fn reason(&self) -> &Reason {
        match self {
            Self::Denied(reason) | Self::NoChannel(reason) => reason,
        }
    }
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

    /// Turns a decision into the proof; asking a person comes here.
    pub async fn approve(
        &self,
        decision: Decision,
        operation: Operation,
    ) -> Result<Permitted<Operation>, Refusal> {
        match decision {
            Decision::Unguarded | Decision::Ruled(Ruling::Allow(_)) => {
                Ok(Permitted::new(operation))
            }
            Decision::Ruled(Ruling::Ask(reason)) => Err(Refusal::NoChannel(reason)),
            Decision::Ruled(Ruling::Deny(reason)) => Err(Refusal::Denied(reason)),
        }
    }
}
