//! What can be typed about logs.

use clap::ValueEnum;
use toolgate_daemon::{LogFormat, LogThreshold};

/// How much is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LevelWord {
    Off,
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

/// How lines on standard error look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatWord {
    Text,
    Json,
}

impl From<LevelWord> for LogThreshold {
    fn from(word: LevelWord) -> Self {
        match word {
            LevelWord::Off => Self::Off,
            LevelWord::Error => Self::Error,
            LevelWord::Warn => Self::Warn,
            LevelWord::Info => Self::Info,
            LevelWord::Debug => Self::Debug,
            LevelWord::Trace => Self::Trace,
        }
    }
}

impl From<FormatWord> for LogFormat {
    fn from(word: FormatWord) -> Self {
        match word {
            FormatWord::Text => Self::Text,
            FormatWord::Json => Self::Json,
        }
    }
}
