//! What an import has to tell a person about one key, and how much it matters.
//!
//! A note names keys, variables and servers; it never repeats a value, which may be a secret.

use std::fmt;

use serde::Serialize;
use toolgate_types::visible;

/// How much a note matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NoteSeverity {
    /// Something was said in other words.
    Info,
    /// Something is different from now on, or has to be done.
    Warning,
}

impl NoteSeverity {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
        }
    }
}

/// What a note is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoteKind {
    /// A key that has no counterpart here.
    NotMapped,
    /// The other client's word that nobody needs to be asked.
    TrustIgnored,
    /// A variable in another spelling.
    Variable,
    /// Text that looks like a variable and is none for that client.
    LiteralVariable,
    /// A variable that a person has to set.
    ToBeGiven,
    /// A value in another unit or form.
    Normalised,
    /// A name that could not stay as it was.
    Renamed,
    /// An entry that another one of the same name stands in for.
    Overridden,
    /// The entry that points at Toolgate itself.
    OwnEntry,
    /// The file holds no servers.
    NoServers,
}

impl NoteKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotMapped => "not-mapped",
            Self::TrustIgnored => "trust-ignored",
            Self::Variable => "variable",
            Self::LiteralVariable => "literal-variable",
            Self::ToBeGiven => "to-be-given",
            Self::Normalised => "normalised",
            Self::Renamed => "renamed",
            Self::Overridden => "overridden",
            Self::OwnEntry => "own-entry",
            Self::NoServers => "no-servers",
        }
    }

    pub fn severity(self) -> NoteSeverity {
        match self {
            Self::Variable | Self::Normalised | Self::Renamed | Self::OwnEntry => {
                NoteSeverity::Info
            }
            Self::NotMapped
            | Self::TrustIgnored
            | Self::LiteralVariable
            | Self::ToBeGiven
            | Self::Overridden
            | Self::NoServers => NoteSeverity::Warning,
        }
    }
}

/// One thing to tell, at one key of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImportNote {
    pub severity: NoteSeverity,
    pub kind: NoteKind,
    /// Dotted path as spelt in the file.
    pub key: String,
    /// 1-based.
    pub line: usize,
    pub message: String,
}

impl ImportNote {
    pub(super) fn new(kind: NoteKind, key: &str, line: usize, message: String) -> Self {
        let (key, message) = (printable(key.to_owned()), printable(message));
        Self { severity: kind.severity(), kind, key, line, message }
    }
}

impl fmt::Display for ImportNote {
    /// One line, with nothing hidden in it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { severity, key, message, .. } = self;
        write!(f, "{}: {}: {}", severity.as_str(), visible(key), visible(message))
    }
}

/// Names and descriptions come from files of others: what a terminal would obey is replaced.
pub(super) fn printable(text: String) -> String {
    if text.contains(char::is_control) { text.replace(char::is_control, "\u{fffd}") } else { text }
}
