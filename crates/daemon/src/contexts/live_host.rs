//! A host that was made, and of what; it rests while nobody is in its context.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use toolgate_assembly::{AssembledConfig, WorkspaceContext};
use toolgate_host::Host;
use toolgate_types::Principal;

use crate::lock;

/// A host that was made, and of what.
pub(crate) struct LiveHost {
    pub(crate) key: Option<String>,
    pub(crate) principal: Principal,
    /// It gains variables when windows bring some later.
    pub(super) context: Mutex<WorkspaceContext>,
    pub(crate) host: Host,
    pub(crate) prepared: Mutex<Arc<AssembledConfig>>,
    /// Why the last change of the configuration does not count, if it does not.
    pub(crate) refused: Mutex<Option<String>>,
    /// Nobody is in it any more: its files are not watched, and it is read again before somebody is.
    pub(super) rests: AtomicBool,
}

impl LiveHost {
    pub(crate) fn context(&self) -> WorkspaceContext {
        lock(&self.context).clone()
    }

    pub(crate) fn rests(&self) -> bool {
        self.rests.load(Ordering::Acquire)
    }

    pub(crate) fn rest(&self) {
        self.rests.store(true, Ordering::Release);
    }

    /// Somebody is in it; whether nobody was.
    pub(crate) fn wake(&self) -> bool {
        self.rests.swap(false, Ordering::AcqRel)
    }
}
