//! What waits for the person: asked for, and answered.

use super::ControlClient;
use crate::{
    ANSWER_APPROVAL, AnswerHeard, ApprovalAnswer, CommandFailure, LIST_APPROVALS, PendingApprovals,
};

impl ControlClient {
    pub fn approvals(&self) -> Result<PendingApprovals, CommandFailure> {
        self.ask(LIST_APPROVALS, &())
    }

    pub fn answer_approval(&self, answer: &ApprovalAnswer) -> Result<AnswerHeard, CommandFailure> {
        self.ask(ANSWER_APPROVAL, answer)
    }
}
