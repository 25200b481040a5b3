//! A yes between the moment it was given and the one at which its call goes to a server. Until then a no
//! wins, whoever says it; what is not used ends with its call.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::watch;

use super::{ApprovalOutcome, ApprovalReference};

/// Who knows whether somebody said no meanwhile.
pub(super) trait ConsentLedger: fmt::Debug + Send + Sync {
    /// The call goes to its server now: from here on no answer changes that. If somebody said no
    /// since, what they said.
    fn run(&self, reference: &ApprovalReference) -> Result<(), Option<ApprovalOutcome>>;

    /// The call ended without it.
    fn lay_down(&self, reference: &ApprovalReference);
}

/// A person's yes that was not used yet.
#[derive(Debug)]
pub struct PendingConsent {
    ledger: Arc<dyn ConsentLedger>,
    reference: ApprovalReference,
    is_used: AtomicBool,
    /// Changes with a no, and ends once it is used or laid down.
    fate: watch::Receiver<Option<ApprovalOutcome>>,
}

impl PendingConsent {
    pub(super) fn new(
        ledger: Arc<dyn ConsentLedger>,
        reference: ApprovalReference,
        fate: watch::Receiver<Option<ApprovalOutcome>>,
    ) -> Self {
        Self { ledger, reference, is_used: AtomicBool::new(false), fate }
    }

    /// Uses it, in one step: for whoever writes the call's first byte, directly before that. A call
    /// that has several rounds uses it with the first.
    pub fn use_up(&self) -> Result<(), ApprovalOutcome> {
        if self.is_used.load(Ordering::Acquire) {
            return Ok(());
        }
        match self.ledger.run(&self.reference) {
            Ok(()) => {
                self.is_used.store(true, Ordering::Release);
                Ok(())
            }
            // Two rounds of one call come one after the other, so nobody else used it.
            Err(outcome) => Err(outcome.unwrap_or(ApprovalOutcome::Withdrawn)),
        }
    }

    /// Waits until there is nothing to take back any more: it was used, or somebody said no, in
    /// which case the call is refused.
    pub async fn decided(&self) -> Result<(), ApprovalOutcome> {
        let mut fate = self.fate.clone();
        match fate.changed().await {
            Ok(()) => Err(fate.borrow().clone().unwrap_or(ApprovalOutcome::Withdrawn)),
            Err(_) => Ok(()),
        }
    }

    pub fn reference(&self) -> &ApprovalReference {
        &self.reference
    }
}

impl Drop for PendingConsent {
    fn drop(&mut self) {
        if !self.is_used.load(Ordering::Acquire) {
            self.ledger.lay_down(&self.reference);
        }
    }
}
