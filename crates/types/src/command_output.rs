//! What a command tool prints while it runs, piece by piece, and how it ended.
//!
//! How that is told to a client is the gateway's matter.

use std::fmt;

/// Which of its two streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PrintedStream {
    Stdout,
    Stderr,
}

impl PrintedStream {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        }
    }
}

/// A piece of what happens while a command runs, in the order in which it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandPiece {
    /// As it was printed. No character is cut in two where it is text.
    Printed { stream: PrintedStream, bytes: Vec<u8> },
    /// Nothing comes after it.
    Ended(CommandEnding),
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandEnding {
    Exited {
        /// None where a signal ended it.
        code: Option<i32>,
        /// None where it exited by itself, or where nobody saw.
        signal: Option<i32>,
    },
    /// It took longer than it may.
    TimedOut,
    /// Its caller does not want it any more.
    Cancelled,
}

impl CommandEnding {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exited { .. } => "completed",
            Self::TimedOut => "deadline_exceeded",
            Self::Cancelled => "cancelled",
        }
    }
}

impl fmt::Display for CommandEnding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited { code: Some(code), .. } => write!(f, "exited with code {code}"),
            Self::Exited { signal: Some(signal), .. } => {
                write!(f, "was ended by signal {signal}")
            }
            Self::Exited { .. } => f.write_str("ended in a way nobody saw"),
            Self::TimedOut => f.write_str("took too long and was ended"),
            Self::Cancelled => f.write_str("was cancelled and ended"),
        }
    }
}
