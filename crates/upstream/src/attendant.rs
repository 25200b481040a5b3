//! Who waits for one operation, and can be spoken to while it runs.

use std::fmt;
use std::sync::Arc;

use serde_json::value::RawValue;
use toolgate_types::Asker;

/// The one behind an operation: what its server asks or says meanwhile is for nobody else.
#[derive(Clone)]
pub struct Attendant {
    pub asker: Arc<dyn Asker>,
    /// What the caller says it can do, raw. A modern server is told that instead of what the asker
    /// answers in general.
    pub capabilities: Option<Arc<RawValue>>,
    /// Who it is, where that is known: two operations of one caller are one party's.
    pub party: Option<Arc<str>>,
    /// Whether log messages of the server come with its other remarks. Otherwise they are everybody's.
    pub takes_logs: bool,
}

impl fmt::Debug for Attendant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attendant").finish_non_exhaustive()
    }
}
