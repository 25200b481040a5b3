//! Who waits for one operation, and can be spoken to while it runs.

use std::fmt;
use std::sync::Arc;

use serde_json::value::RawValue;
use toolgate_types::{Asker, TASKS_EXTENSION};
use toolgate_wire::RawObject;

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

impl Attendant {
    /// Whether its caller said that a call may be answered with a task.
    pub(crate) fn takes_tasks(&self) -> bool {
        let own = self.capabilities.as_deref();
        let own = own.filter(|raw| RawObject::may_have(raw, "extensions"));
        let own = own.and_then(|raw| RawObject::parse(raw).ok());
        let extensions = own.as_ref().and_then(|own| own.get_some("extensions"));
        let extensions = extensions.and_then(|raw| RawObject::parse(raw).ok());
        extensions.is_some_and(|extensions| extensions.get_some(TASKS_EXTENSION).is_some())
    }
}

impl fmt::Debug for Attendant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attendant").finish_non_exhaustive()
    }
}
