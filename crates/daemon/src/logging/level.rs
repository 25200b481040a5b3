//! How much is logged, and in which shape, in the words that people use for it.

/// How much is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogThreshold {
    Off,
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

impl LogThreshold {
    pub const ALL: [(&'static str, Self); 6] = [
        ("off", Self::Off),
        ("error", Self::Error),
        ("warn", Self::Warn),
        ("info", Self::Info),
        ("debug", Self::Debug),
        ("trace", Self::Trace),
    ];

    /// In small letters or capitals.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)).map(|(_, level)| *level)
    }
}

/// How lines on standard error look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    Text,
    Json,
}
