//! One thing a scripted server does.
//!
//! Texts may hold places that are filled when the act is played: `${id}` the id of the request,
//! `${n}` how often this part was played, `${arguments}` what the tool was given, `${token}` the
//! request's progress token, `${answer}` what the last [`Act::Ask`] brought, `${seen}` everything
//! received so far as an array, `${pid}` the process; `${message:/params/x}` and `${answer:/result/x}`
//! what a JSON pointer finds in the request and in the last answer, to stand inside a string.

use serde::{Deserialize, Serialize};

/// An act. The acts of one request follow each other; those of two requests run side by side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Act {
    /// Answers with this result.
    Answer(String),
    /// Answers with an error.
    Refuse {
        code: i64,
        message: String,
    },
    /// Writes this line as it stands.
    Line(String),
    Notify {
        method: String,
        params: String,
    },
    /// Asks the client and waits for its answer, an error included.
    Ask {
        method: String,
        params: String,
    },
    /// Waits for a signal: of [`Act::Release`], of the test, or `received <method>`.
    Hold(String),
    /// Gives a signal; it is kept until somebody holds for it.
    Release(String),
    /// Answers with a result of about so many bytes, made while it is written.
    Huge(usize),
    /// So many notifications in a row.
    Flood(usize),
    /// A line on standard error; a server without one says nothing.
    Complain(String),
    /// Ends the HTTP response at hand; what follows waits for whoever resumes it.
    Cut,
    /// Each time the next of these, the last one from then on.
    InTurn(Vec<Act>),
    /// Ends, with this exit code where it is a process.
    Exit(i32),
}

impl Act {
    pub fn answer(result: impl Into<String>) -> Self {
        Self::Answer(result.into())
    }

    /// A tool's result with one text.
    pub fn say(text: &str) -> Self {
        let text = serde_json::to_string(text).unwrap();
        Self::Answer(format!(r#"{{"content":[{{"type":"text","text":{text}}}]}}"#))
    }

    pub fn refuse(code: i64, message: &str) -> Self {
        Self::Refuse { code, message: message.to_owned() }
    }

    pub fn line(line: impl Into<String>) -> Self {
        Self::Line(line.into())
    }

    pub fn notify(method: &str, params: &str) -> Self {
        Self::Notify { method: method.to_owned(), params: params.to_owned() }
    }

    /// A progress report of the request at hand.
    pub fn progress(done: u64) -> Self {
        let params = format!(r#"{{"progressToken":${{token}},"progress":{done}}}"#);
        Self::notify("notifications/progress", &params)
    }

    pub fn ask(method: &str, params: &str) -> Self {
        Self::Ask { method: method.to_owned(), params: params.to_owned() }
    }

    pub fn hold(signal: &str) -> Self {
        Self::Hold(signal.to_owned())
    }

    pub fn release(signal: &str) -> Self {
        Self::Release(signal.to_owned())
    }

    pub fn complain(text: &str) -> Self {
        Self::Complain(text.to_owned())
    }
}
