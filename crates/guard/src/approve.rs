//! The asking half: what a person is asked, who may answer and how, and what an answer is worth.
//!
//! [`ApprovalQueue`] is where calls wait. It asks nobody itself: a caller's own channel, the queue and the
//! desktop each hear of a call and answer it here, and the first valid answer counts, but for a no, which
//! wins until the call runs. What comes out is a [`ApprovalConsent`] to exactly one [`ApprovalSubject`],
//! used once, with the first byte that goes to the server; the guard turns it into the proof.

mod answer;
mod answered_counts;
mod approval_book;
mod approval_consent;
mod approval_prompt;
mod approval_queue;
mod approval_request;
mod attendance;
mod canonical;
mod concealed;
mod effects;
mod json_layout;
mod own_secrets;
mod pending_consent;
mod rendered_call;
mod resume_token;
mod seal;
mod seal_key;
mod shown_call;
mod subject;
mod task_id;
mod waiting_client;
mod window_grants;

pub use answer::{ApprovalOutcome, ApprovalVerdict, Approver};
pub use answered_counts::AnsweredCount;
pub use approval_book::{ApprovalGone, NotWaiting};
pub use approval_consent::ApprovalConsent;
pub use approval_prompt::ApprovalPrompt;
pub use approval_queue::{ApprovalQueue, QueueEvent, QueueFull, QueuedApproval};
pub use approval_request::{ApprovalReference, ApprovalRequest, SettledNote, WaitingApproval};
pub use attendance::WatchedQueue;
pub use canonical::AmbiguousJson;
pub use effects::{effects_of, effects_of_command};
pub use own_secrets::OwnSecrets;
pub use pending_consent::PendingConsent;
pub use rendered_call::ApprovalRendering;
pub use resume_token::{ResumeToken, ResumeTokenError};
pub use seal::{ParkedNote, ResumedCall};
pub use shown_call::ShownCall;
pub use subject::ApprovalSubject;
pub use task_id::{BegunTask, OwnedTask, TaskOwner};
