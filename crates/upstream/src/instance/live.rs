//! A connection in use: who uses it, since when nobody does, and what watches over it.

use std::ops::Deref;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio::time::Instant;
use toolgate_types::Spoken;
use toolgate_wire::{Era, RawObject};

use crate::Connection;
use crate::pool::{Place, PlaceId};

/// An open connection of a server.
pub(crate) struct Live {
    pub(crate) connection: Connection,
    pub(crate) serial: u64,
    usage: Mutex<Usage>,
    unused: Notify,
    /// Held by each operation where they have to come one after another.
    pub(crate) alone: tokio::sync::Mutex<()>,
    keepers: Mutex<Vec<AbortHandle>>,
    /// What may be passed on of how to use it; nothing until that is known.
    instructions: Mutex<Option<String>>,
    /// Given back when everything of it has ended.
    place: Option<Place>,
}

struct Usage {
    users: usize,
    last: Instant,
    /// It is being ended: nobody begins to use it any more.
    is_over: bool,
}

/// While it is held, the connection is in use and is not ended but by force.
pub(crate) struct Using(Arc<Live>);

impl Live {
    pub(crate) fn new(connection: Connection, serial: u64, place: Option<Place>) -> Self {
        let usage = Mutex::new(Usage { users: 0, last: Instant::now(), is_over: false });
        let (unused, keepers, instructions) = (Notify::new(), Mutex::default(), Mutex::default());
        let alone = tokio::sync::Mutex::default();
        Self { connection, serial, usage, unused, alone, keepers, instructions, place }
    }

    /// Which place of the pool it takes, where it is a process.
    pub(crate) fn place(&self) -> Option<PlaceId> {
        self.place.as_ref().map(Place::id)
    }

    /// Begins to use it, unless it is being ended.
    pub(crate) fn begin(self: &Arc<Self>) -> Option<Using> {
        let mut usage = self.usage();
        if usage.is_over {
            return None;
        }
        usage.users += 1;
        Some(Using(Arc::clone(self)))
    }

    /// Since when nobody uses it; `None` while somebody does.
    pub(crate) fn unused_since(&self) -> Option<Instant> {
        let usage = self.usage();
        (usage.users == 0).then_some(usage.last)
    }

    /// Lets nobody begin to use it any more, unless somebody uses it. `true`: it is to be ended.
    pub(crate) fn end_if_unused(&self) -> bool {
        let mut usage = self.usage();
        usage.is_over |= usage.users == 0;
        usage.is_over
    }

    /// Lets nobody begin to use it any more.
    pub(crate) fn end(&self) {
        self.usage().is_over = true;
    }

    /// Waits until nobody uses it.
    pub(crate) async fn is_unused(&self) {
        loop {
            // Begun before it is looked at, so that nothing is missed.
            let mut unused = pin!(self.unused.notified());
            unused.as_mut().enable();
            if self.unused_since().is_some() {
                return;
            }
            unused.await;
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
            instructions: self.instructions().clone(),
        }
    }

    /// From now on this is passed on of how to use it, an empty text as none.
    pub(super) fn may_say(&self, instructions: String) {
        *self.instructions() = Some(instructions).filter(|words| !words.is_empty());
    }

    fn instructions(&self) -> std::sync::MutexGuard<'_, Option<String>> {
        self.instructions.lock().unwrap_or_else(PoisonError::into_inner)
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

impl Deref for Using {
    type Target = Live;

    fn deref(&self) -> &Live {
        &self.0
    }
}

impl Drop for Using {
    fn drop(&mut self) {
        let is_unused = {
            let mut usage = self.0.usage();
            usage.users -= 1;
            usage.last = Instant::now();
            usage.users == 0
        };
        if is_unused {
            self.0.unused.notify_waiters();
            if let Some(place) = &self.0.place {
                place.unused();
            }
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let keepers = self.keepers.get_mut().unwrap_or_else(PoisonError::into_inner);
        keepers.iter().for_each(AbortHandle::abort);
    }
}
