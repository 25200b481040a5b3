//! One broken rule at one place.
//!
//! It says where and what; it does not know which check made it.

use std::fmt;

/// A broken rule. `line` is 1-based; 0 means the file as a whole.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    pub file: String,
    pub line: usize,
    pub message: String,
}

impl Finding {
    pub fn new(file: &str, line: usize, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(out, "{}: {}", self.file, self.message),
            line => write!(out, "{}:{line}: {}", self.file, self.message),
        }
    }
}
