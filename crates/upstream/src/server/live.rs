//! A connection in use: who uses it, since when nobody does, and what watches over it.

use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio::time::Instant;
use toolgate_types::Spoken;
use toolgate_wire::{Era, RawObject};

use crate::Connection;

/// An open connection of a server.
pub(crate) struct Live {
    pub(crate) connection: Connection,
    pub(crate) serial: u64,
    usage: Mutex<Usage>,
    unused: Notify,
    /// Held by each operation where they have to come one after another.
    pub(crate) alone: tokio::sync::Mutex<()>,
    keepers: Mutex<Vec<AbortHandle>>,
}

struct Usage {
    users: usize,
    last: Instant,
}

/// While it is held, the connection is in use.
pub(crate) struct InUse<'a>(&'a Live);

impl Live {
    pub(crate) fn new(connection: Connection, serial: u64) -> Self {
        let usage = Mutex::new(Usage { users: 0, last: Instant::now() });
        let (unused, keepers) = (Notify::new(), Mutex::default());
        let alone = tokio::sync::Mutex::default();
        Self { connection, serial, usage, unused, alone, keepers }
    }

    pub(crate) fn in_use(&self) -> InUse<'_> {
        self.usage().users += 1;
        InUse(self)
    }

    /// Since when nobody uses it; `None` while somebody does.
    pub(crate) fn unused_since(&self) -> Option<Instant> {
        let usage = self.usage();
        (usage.users == 0).then_some(usage.last)
    }

    /// Waits until nobody uses it.
    pub(crate) async fn is_unused(&self) {
        while self.unused_since().is_none() {
            self.unused.notified().await;
        }
    }

    /// Ends with the connection.
    pub(crate) fn keep(&self, keeper: AbortHandle) {
        self.keepers.lock().unwrap_or_else(PoisonError::into_inner).push(keeper);
    }

    pub(crate) fn spoken(&self) -> Spoken {
        let handshake = self.connection.handshake();
        let info = handshake.server_info.as_deref().and_then(|raw| RawObject::parse(raw).ok());
        let field = |key: &str| info.as_ref()?.text(key).map(|text| text.into_owned());
        Spoken {
            era: match handshake.era() {
                Era::Legacy => "legacy",
                Era::Modern => "modern",
            },
            revision: handshake.revision.as_str(),
            name: field("name"),
            version: field("version"),
            instructions: handshake.instructions.clone(),
        }
    }

    /// Whether a capability was declared with a member that is `true`, as in
    /// `"tools": {"listChanged": true}`.
    pub(crate) fn declares(&self, capability: &str, member: &str) -> bool {
        let declared = || {
            let all =
                RawObject::parse(self.connection.handshake().capabilities.as_deref()?).ok()?;
            let one = RawObject::parse(all.get_some(capability)?).ok()?;
            Some(one.get(member)?.get() == "true")
        };
        declared().unwrap_or(false)
    }

    fn usage(&self) -> std::sync::MutexGuard<'_, Usage> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for InUse<'_> {
    fn drop(&mut self) {
        let mut usage = self.0.usage();
        usage.users -= 1;
        usage.last = Instant::now();
        if usage.users == 0 {
            // Kept for one who has not begun to wait yet.
            self.0.unused.notify_one();
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let keepers = self.keepers.get_mut().unwrap_or_else(PoisonError::into_inner);
        keepers.iter().for_each(AbortHandle::abort);
    }
}
