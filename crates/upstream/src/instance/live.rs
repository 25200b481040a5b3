//! A connection in use: who uses it, since when nobody does, and what watches over it.

use parking_lot::Mutex;
use std::ops::Deref;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio::time::Instant;
use toolgate_types::{LogLevel, ServerSaid};
use toolgate_wire::{Era, RawObject};

use crate::UpstreamConnection;
use crate::pool::{PoolSlot, PoolSlotId};

/// An open connection of a server.
pub(crate) struct LiveConnection {
    pub(crate) connection: UpstreamConnection,
    pub(crate) serial: u64,
    usage: Mutex<LiveUsage>,
    unused: Notify,
    /// How many operations it answered.
    answered: AtomicU64,
    /// How much it was last told to say, where it was.
    told_level: Mutex<Option<LogLevel>>,
    /// Held by each operation where they have to come one after another.
    pub(crate) alone: tokio::sync::Mutex<()>,
    keepers: Mutex<Vec<AbortHandle>>,
    /// What may be passed on of how to use it; nothing until that is known.
    instructions: Mutex<Option<String>>,
    /// Given back when everything of it has ended.
    place: Option<PoolSlot>,
}

struct LiveUsage {
    users: usize,
    last: Instant,
    /// It is being ended: nobody begins to use it any more.
    is_over: bool,
}

/// While it is held, the connection is in use and is not ended but by force.
pub(crate) struct ConnectionUse(Arc<LiveConnection>);

impl LiveConnection {
    pub(crate) fn new(
        connection: UpstreamConnection,
        serial: u64,
        place: Option<PoolSlot>,
    ) -> Self {
        let usage = Mutex::new(LiveUsage { users: 0, last: Instant::now(), is_over: false });
        let (unused, keepers, instructions) = (Notify::new(), Mutex::default(), Mutex::default());
        let (alone, answered) = (tokio::sync::Mutex::default(), AtomicU64::new(0));
        let told_level = Mutex::default();
        Self {
            connection,
            serial,
            usage,
            unused,
            answered,
            told_level,
            alone,
            keepers,
            instructions,
            place,
        }
    }

    /// Which place of the pool it takes, where it is a process.
    pub(crate) fn place(&self) -> Option<PoolSlotId> {
        self.place.as_ref().map(PoolSlot::id)
    }

    /// Tells it how much to say, where it can be told and was told otherwise. Nobody wants any more: it
    /// says as much as those hear who never said.
    pub(super) async fn tell_level(&self, wanted: Option<LogLevel>) {
        if !self.connection.handshake().offers("logging") {
            return;
        }
        let level = {
            let mut told = self.told_level.lock();
            let level = wanted.or(told.map(|_| LogLevel::UNASKED));
            if *told == level {
                return;
            }
            *told = level;
            level
        };
        if let Some(level) = level {
            let _ = self.connection.set_log_level(level).await;
        }
    }

    /// The server forgot what it was told.
    pub(super) fn was_told_nothing(&self) {
        *self.told_level.lock() = None;
    }

    /// An operation was answered, whatever the answer says.
    pub(super) fn has_answered(&self) {
        self.answered.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn answered(&self) -> u64 {
        self.answered.load(Ordering::Relaxed)
    }

    /// Begins to use it, unless it is being ended.
    pub(crate) fn begin(self: &Arc<Self>) -> Option<ConnectionUse> {
        let mut usage = self.usage();
        if usage.is_over {
            return None;
        }
        usage.users += 1;
        Some(ConnectionUse(Arc::clone(self)))
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
        self.keepers.lock().push(keeper);
    }

    pub(crate) fn spoken(&self) -> ServerSaid {
        let handshake = self.connection.handshake();
        let info = handshake.server_info.as_deref().and_then(|raw| RawObject::parse(raw).ok());
        let field = |key: &str| info.as_ref()?.text(key).map(|text| text.into_owned());
        ServerSaid {
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

    fn instructions(&self) -> parking_lot::MutexGuard<'_, Option<String>> {
        self.instructions.lock()
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

    fn usage(&self) -> parking_lot::MutexGuard<'_, LiveUsage> {
        self.usage.lock()
    }
}

impl Deref for ConnectionUse {
    type Target = LiveConnection;

    fn deref(&self) -> &LiveConnection {
        &self.0
    }
}

impl Drop for ConnectionUse {
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

impl Drop for LiveConnection {
    fn drop(&mut self) {
        let keepers = self.keepers.get_mut();
        keepers.iter().for_each(AbortHandle::abort);
    }
}
