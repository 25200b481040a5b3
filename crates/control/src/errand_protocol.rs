//! What this process and the daemon say to each other about an errand. Both are the same program, and
//! of the same version, or they say nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use toolgate_types::LogLevel;

use crate::Verbatim;

/// An errand, and all that the daemon has to know to run it as this process would.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrandRequest<E> {
    pub version: String,
    pub standpoint: Standpoint,
    /// Somebody sees what servers report.
    pub is_watched: bool,
    /// Somebody can be asked.
    pub answers: bool,
    /// What servers are asked to say.
    pub log_level: Option<LogLevel>,
    pub errand: E,
}

/// What decides which configuration counts, and whose it is.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Standpoint {
    pub folder: PathBuf,
    /// The project file that was named.
    pub config: Option<PathBuf>,
    /// The variables that name a project's configuration, or are one.
    pub project: BTreeMap<String, String>,
    /// Those that the configuration names, set or not.
    pub variables: BTreeMap<String, Option<String>>,
    /// The person's own file and the folder of their state. A daemon that has others is not asked.
    pub own: (Option<PathBuf>, PathBuf),
}

/// What came of it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrandEnd<P, T> {
    Done(P),
    NotDone(T),
    /// The daemon is not the one to ask; why.
    Elsewhere(String),
}

/// What the person sees meanwhile.
#[derive(Debug, Serialize, Deserialize)]
pub struct DoingNotice {
    pub what: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct ReportNotice {
    pub report: Verbatim,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct LogNotice {
    pub server: String,
    pub message: Verbatim,
}

/// Something that the person should know.
#[derive(Debug, Serialize, Deserialize)]
pub struct RemarkNotice {
    pub words: String,
}

/// What a command printed. It is asked and not told: whoever shows it slowly slows the command.
#[derive(Debug, Serialize, Deserialize)]
pub struct PrintedPiece {
    /// Of standard error, and not of standard output.
    pub is_complaint: bool,
    pub printed: PrintedBytes,
}

/// Most of what is printed is text, and short as that.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PrintedBytes {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<Vec<u8>> for PrintedBytes {
    fn from(bytes: Vec<u8>) -> Self {
        String::from_utf8(bytes).map_or_else(|odd| Self::Bytes(odd.into_bytes()), Self::Text)
    }
}

impl PrintedBytes {
    pub fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.into_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// Whether a call may be made: what is shown, and the words that may be said to it.
#[derive(Debug, Serialize, Deserialize)]
pub struct ErrandApproval {
    pub text: String,
    pub choices: Vec<String>,
}

/// What was said; nothing where it was closed without a word.
#[derive(Debug, Serialize, Deserialize)]
pub struct ErrandApprovalAnswer {
    pub choice: Option<String>,
}

/// What a server wants to know of a person.
#[derive(Debug, Serialize, Deserialize)]
pub struct ErrandQuestion {
    pub server: String,
    pub params: Option<Verbatim>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct ErrandAnswer {
    pub answer: Verbatim,
}

pub const DOING_NOTICE: &str = "host.doing";
pub const REPORT_NOTICE: &str = "host.report";
pub const LOG_NOTICE: &str = "host.log";
pub const SERVER_QUESTION: &str = "host.ask";
pub const APPROVAL_QUESTION: &str = "host.approve";
pub const PRINTED_QUESTION: &str = "host.printed";
pub const REMARK_NOTICE: &str = "host.remark";

impl fmt::Debug for Standpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Variables hold secrets.
        f.debug_struct("Standpoint").field("folder", &self.folder).finish_non_exhaustive()
    }
}
