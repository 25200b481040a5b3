//! A person's yes to exactly one thing, on its way to the proof.

use std::sync::Arc;

use toolgate_types::{Digest, Operation};

use super::ShownCall;
use super::pending_consent::PendingConsent;
use crate::Permitted;

/// A person's word that one subject may be done. Nobody makes one but the approval queue, from an answer:
///
/// ```compile_fail
/// let subject = toolgate_types::Digest([0; 32]);
/// let consent = toolgate_guard::ApprovalConsent { subject, call: Default::default() };
/// ```
///
/// It is used up when the call goes to its server; until then a no wins.
#[derive(Debug)]
pub struct ApprovalConsent {
    subject: Digest,
    call: Arc<ShownCall>,
    /// Nothing where a call goes on that ran already.
    pending: Option<Arc<PendingConsent>>,
}

impl ApprovalConsent {
    pub(super) fn to(subject: Digest, call: Arc<ShownCall>) -> Self {
        Self { subject, call, pending: None }
    }

    pub(super) fn pending_as(self, pending: PendingConsent) -> Self {
        Self { pending: Some(Arc::new(pending)), ..self }
    }

    /// What a no can still take back.
    pub fn pending(&self) -> Option<&Arc<PendingConsent>> {
        self.pending.as_ref()
    }

    /// What was shown, and is sent.
    pub fn call(&self) -> &Arc<ShownCall> {
        &self.call
    }

    /// The operation with the bytes that were shown, if it is to exactly this subject.
    pub(crate) fn permit(
        self,
        operation: Operation,
        subject: Digest,
    ) -> Option<Permitted<Operation>> {
        let arguments = self.call.arguments.clone();
        match operation {
            Operation::CallTool { name, .. } if self.subject == subject => {
                let operation = Operation::CallTool { name, arguments };
                Some(Permitted::new(operation).while_pending(self.pending))
            }
            _ => None,
        }
    }
}
