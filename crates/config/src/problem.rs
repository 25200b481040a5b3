//! A problem of a configuration: where it is, what is wrong, what to do.
//!
//! Problems are collected, never thrown one by one: a person fixes a file in one go.

use std::fmt;
use std::sync::Arc;

use toolgate_types::{ConfigSource, visible};

/// Whether a problem makes its entry or file invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
}

impl Severity {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// One problem at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub severity: Severity,
    /// A short stable word for the rule that was broken.
    pub rule: &'static str,
    pub source: Arc<ConfigSource>,
    /// Dotted key path as spelt in the source; empty for the file as a whole.
    pub key: String,
    /// 1-based; 0 where the source has no lines.
    pub line: usize,
    pub message: String,
    pub help: Option<String>,
}

impl fmt::Display for Problem {
    /// For a person: keys and folders are named by whoever wrote the file, and nothing is hidden in
    /// what is shown of them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&visible(&self.source.to_string()))?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": {}[{}]: ", self.severity.as_str(), self.rule)?;
        if !self.key.is_empty() {
            write!(f, "{}: ", visible(&self.key))?;
        }
        f.write_str(&visible(&self.message))?;
        match &self.help {
            Some(help) => write!(f, "\n  help: {}", visible(help)),
            None => Ok(()),
        }
    }
}

/// Every error of a load, together.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct Problems(pub Vec<Problem>);

impl Problems {
    /// `Err` with everything when one of them is an error.
    pub(crate) fn refuse_errors(problems: &[Problem]) -> Result<(), Self> {
        if problems.iter().any(|problem| problem.severity == Severity::Error) {
            Err(Self(problems.to_vec()))
        } else {
            Ok(())
        }
    }
}
