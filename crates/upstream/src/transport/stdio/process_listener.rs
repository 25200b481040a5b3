//! Whoever hears how a local process is doing.

use std::fmt;
use std::sync::Arc;

use toolgate_sandbox::{NetworkListener, NetworkLog};
use toolgate_types::NetworkDecision;

/// Told as it happens; must not wait.
pub(crate) trait ProcessListener: Send + Sync {
    /// It wrote this line to its standard error.
    fn complains(&self, line: &str);

    /// It has said nothing yet, and computes: it is starting, and does not hang.
    fn works(&self) {}

    /// It wanted to reach somebody, by a network of names.
    fn reaches(&self, _decision: NetworkDecision) {}
}

pub(crate) type ProcessEars = Arc<dyn ProcessListener>;

/// Who wants the lines alone.
impl<F: Fn(&str) + Send + Sync> ProcessListener for F {
    fn complains(&self, line: &str) {
        self(line);
    }
}

/// Who hears what a process reaches, each only once.
pub(crate) struct NetworkEars {
    ears: ProcessEars,
    told: NetworkLog,
}

impl NetworkEars {
    pub(crate) fn of(ears: &ProcessEars) -> Arc<dyn NetworkListener> {
        Arc::new(Self { ears: Arc::clone(ears), told: NetworkLog::default() })
    }
}

impl NetworkListener for NetworkEars {
    fn decided(&self, decision: NetworkDecision) {
        if self.told.note(&decision) {
            self.ears.reaches(decision);
        }
    }
}

impl fmt::Debug for NetworkEars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NetworkEars").field(&self.told).finish()
    }
}
