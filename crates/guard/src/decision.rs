//! From a ruling to the proof: what is allowed is permitted, what needs a person is asked for.

use std::borrow::Cow;

use toolgate_types::{Operation, TaskRequest, visible};

use crate::Permitted;
use crate::approve::{
    ApprovalConsent, ApprovalOutcome, ApprovalSubject, ApprovalVerdict, OwnedTask,
};
use crate::case::PolicyCase;
use crate::decide::decide;
use crate::ladder::{DecisionReason, LadderRuling};
use crate::rules::AudienceRules;

/// What comes of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    Ruled(LadderRuling),
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
    pub fn rule(&self) -> Cow<'static, str> {
        match self {
            Self::Ruled(ruling) => ruling.reason().sentence(),
            Self::Unguarded => "nothing is decided here".into(),
        }
    }
}

/// Why something may not be done. What a caller is told names no rule: that is the owner's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("this is not permitted (denied)")]
    Denied(DecisionReason),
    #[error("the user declined this (denied){}", .0.as_ref().map(|said| format!(": {said}")).unwrap_or_default())]
    Declined(Option<String>),
    #[error("the user did not answer in time (expired)")]
    Expired,
    #[error("this was answered and is over, or under way already; it is not done again (expired)")]
    Used,
    #[error("this is not what was approved any more; it was not done (expired)")]
    Changed,
    #[error("this needs a person's approval, and there is nobody to ask (no_channel)")]
    NoChannel(DecisionReason),
    #[error(
        "this needs the user's approval, and nobody was there to give it (no_channel). Please tell the \
         user: whoever keeps Toolgate's watch of waiting calls open, in a terminal of their own, is \
         asked there; then try again"
    )]
    Unattended(DecisionReason),
}

/// The most of a person's own words that a caller is told.
const LONGEST_WORDS: usize = 300;

impl Refusal {
    /// A person's no, with what they want the caller to know.
    pub fn declined(said: Option<String>) -> Self {
        let said = said.map(|said| said.chars().take(LONGEST_WORDS).collect::<String>());
        Self::Declined(said.map(|said| visible(&said)))
    }

    /// The word that programs go by.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Denied(_) | Self::Declined(_) => "denied",
            Self::Expired | Self::Used | Self::Changed => "expired",
            Self::NoChannel(_) | Self::Unattended(_) => "no_channel",
        }
    }

    /// The rule behind it, where it was one.
    pub fn reason(&self) -> Option<&DecisionReason> {
        match self {
            Self::Denied(reason) | Self::NoChannel(reason) | Self::Unattended(reason) => {
                Some(reason)
            }
            Self::Declined(_) | Self::Expired | Self::Used | Self::Changed => None,
        }
    }
}

impl From<ApprovalOutcome> for Refusal {
    /// What somebody said after a yes, before it was used.
    fn from(outcome: ApprovalOutcome) -> Self {
        match outcome {
            ApprovalOutcome::Answered(ApprovalVerdict { reason, .. }) => Self::declined(reason),
            ApprovalOutcome::Expired | ApprovalOutcome::Withdrawn | ApprovalOutcome::Unheard => {
                Self::Changed
            }
        }
    }
}

/// Why there is no proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermissionWithheld {
    Refused(Refusal),
    /// Not yet: a person has to be asked.
    Unasked(UnaskedDecision),
}

/// A decision that only a person can make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnaskedDecision {
    pub reason: DecisionReason,
    /// Whether an answer may be kept for the session.
    pub may_be_kept: bool,
}

/// The key to a guard that lets everything pass: for tests of what comes after the guard.
///
/// It can be made only where the feature `insecure-allow-everything` is on, which nothing that ships
/// turns on; `cargo xtask tidy` holds that too.
#[derive(Debug, Clone)]
pub struct AllowEverything(());

impl AllowEverything {
    #[cfg(feature = "insecure-allow-everything")]
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
    pub fn decide(&self, rules: &AudienceRules, case: &PolicyCase<'_>) -> Decision {
        match &self.0 {
            Some(_) => Decision::Unguarded,
            None => Decision::Ruled(decide(rules, case)),
        }
    }

    /// The proof for a request about a task, by a decision about the tool whose call began it: that call
    /// was permitted, and a person was asked where one had to be. What is denied by now is not asked for
    /// any more; to end it is always permitted.
    pub fn permit_task(
        &self,
        decision: Decision,
        task: &OwnedTask,
        request: TaskRequest,
    ) -> Result<Permitted<Operation>, Refusal> {
        match (decision, &request) {
            (
                Decision::Ruled(LadderRuling::Deny(reason)),
                TaskRequest::Get | TaskRequest::Update(_),
            ) => Err(Refusal::Denied(reason)),
            _ => Ok(Permitted::new(Operation::Task { id: task.id().to_owned(), request })),
        }
    }

    /// Turns a decision into the proof. What only a person can decide needs their consent to exactly
    /// this; without one it comes back unasked.
    pub fn permit<'s>(
        &self,
        decision: Decision,
        operation: Operation,
        subject: impl FnOnce() -> ApprovalSubject<'s>,
        consent: Option<ApprovalConsent>,
    ) -> Result<Permitted<Operation>, PermissionWithheld> {
        let ruling = match decision {
            Decision::Unguarded => return Ok(Permitted::new(operation)),
            Decision::Ruled(ruling) => ruling,
        };
        let may_be_kept = ruling.may_be_kept();
        match (ruling, consent) {
            (LadderRuling::Allow(_), consent) => {
                // Nobody has to be asked any more; whoever was can still say no.
                let pending = consent.and_then(|consent| consent.pending().cloned());
                Ok(Permitted::new(operation).while_pending(pending))
            }
            (LadderRuling::Deny(reason), _) => {
                Err(PermissionWithheld::Refused(Refusal::Denied(reason)))
            }
            (LadderRuling::Ask(reason), None) => {
                Err(PermissionWithheld::Unasked(UnaskedDecision { reason, may_be_kept }))
            }
            (LadderRuling::Ask(_), Some(consent)) => match subject().digest(&operation) {
                Ok(subject) => match consent.permit(operation, subject) {
                    Some(shown) => Ok(shown),
                    None => Err(PermissionWithheld::Refused(Refusal::Changed)),
                },
                Err(_) => Err(PermissionWithheld::Refused(Refusal::Changed)),
            },
        }
    }
}
