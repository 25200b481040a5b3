//! What comes of an operation: a result, or what its server wants to know first, and the answers to that.

use serde_json::value::RawValue;

use crate::{FormAnswer, QuestionKind};

/// A result.
#[derive(Debug, Clone)]
pub struct OperationResult {
    /// The tool says that it failed: an outcome for the model, no error of the call.
    pub is_error: bool,
    /// The whole result as it came.
    pub result: Box<RawValue>,
}

/// What a server wants to know before it goes on.
#[derive(Debug, Clone)]
pub struct InputRequired {
    /// Its questions by the keys it gave them.
    pub questions: Vec<InputQuestion>,
    /// Its own note to itself, to be returned exactly.
    pub state: Option<Box<RawValue>>,
    /// The whole result as it came.
    pub result: Box<RawValue>,
}

/// One question of [`InputRequired`].
#[derive(Debug, Clone)]
pub struct InputQuestion {
    pub key: String,
    /// `None` for a kind that nobody knows.
    pub kind: Option<QuestionKind>,
    pub params: Option<Box<RawValue>>,
}

/// The answers with which an operation is asked again.
#[derive(Debug, Clone, Default)]
pub struct RetryAnswers {
    /// By key; nothing where only the state goes back.
    pub responses: Vec<(String, Box<RawValue>)>,
    pub state: Option<Box<RawValue>>,
    /// What a person said to the caller, where they were asked to approve it.
    pub approval: Option<FormAnswer>,
}
