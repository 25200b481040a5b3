//! A host that was made, and of what; it rests while nobody is in its context.

use parking_lot::Mutex;
use std::sync::Arc;

use toolgate_assembly::{AssembledConfig, WorkspaceContext};
use toolgate_host::Host;
use toolgate_types::Principal;

use super::host_rest::{HostRest, WakingTurn};
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
    pub(super) rest: HostRest,
}

impl LiveHost {
    pub(crate) fn context(&self) -> WorkspaceContext {
        lock(&self.context).clone()
    }

    pub(crate) fn rests(&self) -> bool {
        self.rest.rests()
    }

    pub(crate) fn rest(&self) {
        self.rest.begin();
    }

    /// Somebody is in it; see [`HostRest::end`].
    pub(crate) async fn wake(&self) -> Option<WakingTurn<'_>> {
        self.rest.end().await
    }
}
