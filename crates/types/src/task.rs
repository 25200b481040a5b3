//! Tasks: what a call is answered with that goes on after its answer (`io.modelcontextprotocol/tasks`).

use indexmap::IndexMap;
use serde_json::value::{RawValue, to_raw_value};

use crate::operation_result::{InputQuestion, OperationResult};

/// The extension, by the name under which both ends declare it.
pub const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// What is asked of a task.
#[derive(Debug, Clone)]
pub enum TaskRequest {
    /// How it is doing, and what came of it.
    Get,
    /// Answers to what it asked: an object, by the keys of its questions.
    Update(Box<RawValue>),
    /// That it ends. Whether it does is its server's to say.
    Cancel,
}

impl TaskRequest {
    /// What it is, in a word for logs and people.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Get => "task",
            Self::Update(_) => "task_update",
            Self::Cancel => "task_cancel",
        }
    }
}

/// How a task is doing.
#[derive(Debug, Clone)]
pub struct TaskReport {
    pub id: String,
    pub state: TaskState,
    /// The report as it came, without what belongs to its state.
    pub frame: Box<RawValue>,
}

/// The states of a task, each with what only it has.
#[derive(Debug, Clone)]
pub enum TaskState {
    Working,
    /// It waits for answers to these.
    InputRequired {
        questions: Vec<InputQuestion>,
        /// The questions as they came, by their keys.
        requests: Box<RawValue>,
    },
    /// What the call came to.
    Completed(OperationResult),
    /// The error that the call came to.
    Failed(Box<RawValue>),
    Cancelled,
}

impl TaskReport {
    /// The member that names the task.
    pub const ID: &str = "taskId";
    /// The members that only one state has: of any other they are nobody's word.
    pub const OF_STATES: [&str; 3] = [Self::REQUESTS, Self::RESULT, Self::ERROR];
    pub const REQUESTS: &str = "inputRequests";
    pub const RESULT: &str = "result";
    pub const ERROR: &str = "error";

    /// The whole report, under its id and with what belongs to its state. Nothing where the frame is no
    /// object.
    pub fn whole(&self) -> Option<Box<RawValue>> {
        let mut members: IndexMap<String, &RawValue> =
            serde_json::from_str(self.frame.get()).ok()?;
        let id = to_raw_value(&self.id).ok()?;
        members.insert(Self::ID.to_owned(), &id);
        let own = match &self.state {
            TaskState::Working | TaskState::Cancelled => None,
            TaskState::InputRequired { requests, .. } => Some((Self::REQUESTS, requests)),
            TaskState::Completed(done) => Some((Self::RESULT, &done.result)),
            TaskState::Failed(error) => Some((Self::ERROR, error)),
        };
        if let Some((key, value)) = own {
            members.insert(key.to_owned(), value);
        }
        to_raw_value(&members).ok()
    }
}
