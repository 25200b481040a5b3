//! What became of asking a person about a call: a row of its own, beside those of the call.

use crate::CallRecord;
use crate::approval_answer::ApprovalRecord;
use crate::draft::RecordDraft;
use crate::journal::{CallJournal, now};

/// The call as it was when a person was asked.
pub struct ApprovalQuestionRecord {
    journal: CallJournal,
    draft: Box<RecordDraft>,
}

impl CallRecord {
    /// To be answered later, perhaps after the call itself is over.
    pub fn question(&self) -> Option<ApprovalQuestionRecord> {
        let draft = Box::new(self.draft()?.clone());
        Some(ApprovalQuestionRecord { journal: self.journal().clone(), draft })
    }
}

impl ApprovalQuestionRecord {
    pub fn answered(&self, answered: ApprovalRecord) {
        let draft = RecordDraft { at: now(), ..(*self.draft).clone() };
        self.journal.keep_answer(draft, answered);
    }
}

impl std::fmt::Debug for ApprovalQuestionRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ApprovalQuestionRecord")
            .field("call", &self.draft.call)
            .finish_non_exhaustive()
    }
}
