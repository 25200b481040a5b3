//! The asking half: what a person is asked, who may answer and how, and what an answer is worth.
//!
//! [`Desk`] is where calls wait. It asks nobody itself: a caller's own channel, the queue and the
//! desktop each hear of a call and answer it here, and the first valid answer counts. What comes out
//! is a [`Consent`] to exactly one [`Subject`], used once; the guard turns it into the proof.

mod answer;
mod book;
mod canonical;
mod concealing;
mod desk;
mod effects;
mod form;
mod json_layout;
mod note;
mod own_secrets;
mod petition;
mod prompt;
mod rendering;
mod seal;
mod seal_key;
mod shown_call;
mod subject;
mod waiting_client;

pub use answer::{Approver, Consent, Settled, Verdict};
pub use book::{Gone, NotWaiting};
pub use canonical::Unclear;
pub use desk::{Desk, Full, Held, News};
pub use effects::{effects_of, effects_of_command};
pub use form::{Form, choice_of};
pub use note::{Broken, Note};
pub use own_secrets::OwnSecrets;
pub use petition::{Petition, Reference, SettledNote, Waiting};
pub use prompt::Prompt;
pub use rendering::Rendering;
pub use seal::GoingOn;
pub use shown_call::ShownCall;
pub use subject::Subject;
