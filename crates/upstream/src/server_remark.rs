//! What a server says while an operation is under way.

use serde_json::value::RawValue;

/// A progress report, raw.
pub type RawProgress = Box<RawValue>;

/// One word of a server about one operation, raw. They come in the order in which they were said, and
/// all of them before the outcome; who does not read along misses some.
#[derive(Debug, Clone)]
pub enum ServerRemark {
    Progress(RawProgress),
    /// The parameters of a log message.
    Log(Box<RawValue>),
}

impl ServerRemark {
    /// As the server sent it.
    pub fn raw(&self) -> &RawValue {
        match self {
            Self::Progress(raw) | Self::Log(raw) => raw,
        }
    }
}
