//! What happened: one record per call and round, kept in order and chained by the store.
//!
//! A record that is dropped unfinished says "aborted". What is kept is chosen here and written by
//! one task; searching is the store's, and so is the chain itself. Whether what is missing from it
//! was allowed to go is judged here. It keeps no SQL of its own and never holds a secret in clear.

mod approval_answer;
mod approval_question;
mod approved_tools;
mod definition_digest;
mod draft;
mod journal;
mod json_members;
mod network_record;
mod newest_calls;
mod past_successes;
mod record;
mod server_network;
mod spare_text;
mod steps;
mod verify;

pub use approval_answer::ApprovalRecord;
pub use approval_question::ApprovalQuestionRecord;
pub use approved_tools::{ApprovedTool, approved_tools};
pub use definition_digest::definition_digest;
pub use draft::{CallTerms, CommandRecord};
pub use journal::{CallJournal, Unrecorded};
pub use network_record::NetworkRecord;
pub use newest_calls::newest_calls;
pub use past_successes::SucceededTool;
pub use record::CallRecord;
pub use steps::CallStep;
pub use verify::{HeadTimes, KeptHead, LogVerdict, SeenPruning, WholeLog, retention, verify};
