//! When a daemon ends by itself.

use std::time::Duration;

/// How long a daemon stays when nobody is attached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DaemonStay {
    /// A person ends it.
    Always,
    WhileUsed(Duration),
}
