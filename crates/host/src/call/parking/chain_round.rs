//! One round of a parked call: what its caller is told to answer, and where the answers go.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;
use toolgate_types::{Digest, InputRequired, QuestionAnswer};

/// How long a caller may take to answer.
pub(super) const TO_ANSWER: Duration = Duration::from_secs(15 * 60);

/// A round.
pub(super) struct ChainRound {
    pub(super) asked: InputRequired,
    pub(super) expires: Instant,
    /// The name of the answers that were given.
    pub(super) answered: Option<Digest>,
    /// Where the answers go, by their keys. Nothing once they were given.
    pub(super) answers: Vec<(String, oneshot::Sender<QuestionAnswer>)>,
}
