//! One pool of servers for all hosts of a process: who shares which, and how many run at once.
//!
//! Hosts that want the same server get the same [`ServerInstance`]; its key says what "the same" is. Of
//! local processes so many run at once, taking so much memory: before another is started, the least
//! recently used that nobody uses is stopped. Where all are in use, whoever wants to start one waits
//! a little, since most calls are short, and then is told which limit it is. What is to stay (eager,
//! required) is never stopped for another; what is asked of a server is no business of the pool.

mod full;
mod ledger;
mod memory;
mod place;
mod restarts;

use parking_lot::{Mutex, MutexGuard};
use std::collections::{BTreeMap, HashMap};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout_at};
use toolgate_types::config::LimitsSection;
use toolgate_types::{Digest, ServerId};
use tracing::{debug, trace};

use crate::instance::{HostSeat, ServerInstance};

use self::ledger::{PoolLedger, ServerUsage, StartStep};
pub use full::PoolFull;
pub(crate) use ledger::PoolSlotId;
pub use ledger::{PoolBounds, PoolLimit};
pub(crate) use place::PoolSlot;
use place::SlotClaim;
use restarts::RestartCounts;

/// How long a start waits until one of those that run can be missed, and has ended.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often memory is looked at while servers run.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// What was read so shortly ago is not read again for another start.
const FRESH: Duration = Duration::from_secs(1);

/// The servers of all hosts of this process. Cheap to clone.
#[derive(Clone)]
pub struct Pool(Arc<PoolState>);

struct PoolState {
    /// What hosts have, by what makes two of them the same.
    known: Mutex<HashMap<Digest, Weak<ServerInstance>>>,
    running: Mutex<RunningServers>,
    /// Something ended, or is no longer used.
    news: Notify,
    /// How many wait for news; nobody is told where nobody waits.
    waiting: AtomicUsize,
    is_watched: AtomicBool,
    restarts: RestartCounts,
    patience: Duration,
}

struct RunningServers {
    ledger: PoolLedger,
    instances: BTreeMap<PoolSlotId, Weak<ServerInstance>>,
    measured_at: Option<Instant>,
}

impl Pool {
    pub fn new(bounds: PoolBounds) -> Self {
        Self::with_patience(bounds, PATIENCE)
    }

    /// The same where a start waits so long for another server to end.
    pub fn with_patience(bounds: PoolBounds, patience: Duration) -> Self {
        let ledger = PoolLedger::new(bounds);
        let running = RunningServers { ledger, instances: BTreeMap::new(), measured_at: None };
        Self(Arc::new(PoolState {
            known: Mutex::default(),
            running: Mutex::new(running),
            news: Notify::new(),
            waiting: AtomicUsize::new(0),
            is_watched: AtomicBool::new(false),
            restarts: RestartCounts::default(),
            patience,
        }))
    }

    /// Other bounds from now on; what is too much goes when it is next looked at.
    pub fn bound(&self, bounds: PoolBounds) {
        self.running().ledger.bound(bounds);
    }

    /// What was accepted of servers' tools was changed by somebody else: it is read again, and lists
    /// go by it from now on.
    pub async fn pins_changed(&self) {
        let instances: Vec<_> = self.known().values().filter_map(Weak::upgrade).collect();
        for instance in instances {
            instance.repin().await;
        }
    }

    /// How many local servers run, those that are about to end included.
    pub fn servers(&self) -> usize {
        self.running().instances.len()
    }

    /// How many are about to start a local server, most of them because they wait for room.
    pub fn starts_waiting(&self) -> usize {
        self.0.waiting.load(Ordering::Acquire)
    }

    /// How often servers that failed were tried again; those that are too many to name have no id.
    pub fn restarts(&self) -> Vec<(Option<ServerId>, u64)> {
        self.0.restarts.all()
    }

    pub(crate) fn restarted(&self, server: &ServerId) {
        self.0.restarts.add(server);
    }

    /// The instance with this key, with one more who has it.
    pub(crate) fn join(
        &self,
        key: Digest,
        seat: &Arc<HostSeat>,
        make: impl FnOnce() -> Arc<ServerInstance>,
    ) -> Arc<ServerInstance> {
        let mut known = self.known();
        let instance = match known.get(&key).and_then(Weak::upgrade) {
            Some(instance) => instance,
            None => {
                // Those that are gone are forgotten in passing.
                if known.len() == known.capacity() {
                    known.retain(|_, instance| instance.strong_count() > 0);
                }
                let instance = make();
                known.insert(key, Arc::downgrade(&instance));
                instance
            }
        };
        instance.members().add(seat);
        instance
    }

    /// One does not have it any more; `true` if nobody else does. Then it is found no more.
    pub(crate) fn leave(&self, instance: &ServerInstance, seat: &HostSeat) -> bool {
        let mut known = self.known();
        seat.leave();
        let is_last = instance.members().is_empty();
        if is_last {
            known.retain(|_, one| !std::ptr::eq(one.as_ptr(), instance));
        }
        is_last
    }

    /// A place among those that run; the least recently used make room.
    pub(crate) async fn enter(&self, instance: &Arc<ServerInstance>) -> Result<PoolSlot, PoolFull> {
        let _wanting = SlotClaim::new(self);
        let until = Instant::now() + self.0.patience;
        loop {
            // Begun before anything is looked at, so that no news is missed.
            let mut news = pin!(self.0.news.notified());
            news.as_mut().enable();
            self.measure(FRESH).await;
            match self.step(instance) {
                StartStep::Enter(place) => {
                    self.watch();
                    trace!(
                        server = instance.id().as_str(),
                        running = self.servers(),
                        "room in the pool"
                    );
                    return Ok(PoolSlot::new(self, place));
                }
                StartStep::Stop(place) => self.stop(place),
                StartStep::Wait(limit) => {
                    debug!(server = instance.id().as_str(), ?limit, "no room in the pool");
                    if Instant::now() >= until {
                        return Err(PoolFull(limit));
                    }
                    // Memory is given back without any news.
                    let soon = Instant::now() + FRESH;
                    let _ = timeout_at(until.min(soon), news).await;
                }
            }
        }
    }

    fn step(&self, instance: &Arc<ServerInstance>) -> StartStep {
        self.observe();
        let mut running = self.running();
        let step = running.ledger.step(instance.is_eager());
        if let StartStep::Enter(place) = step {
            running.instances.insert(place, Arc::downgrade(instance));
        }
        step
    }

    /// Takes note of who is in use. Nobody's own lock is taken while the pool's is held.
    fn observe(&self) {
        let instances = self.running().instances.clone();
        let usage = |(place, instance): (PoolSlotId, Weak<ServerInstance>)| {
            let unused = instance.upgrade().and_then(|instance| instance.unused_since(place));
            (place, unused.map_or(ServerUsage::InUse, ServerUsage::UnusedSince))
        };
        let usage: Vec<_> = instances.into_iter().map(usage).collect();
        let mut running = self.running();
        for (place, usage) in usage {
            running.ledger.observe(place, usage);
        }
    }

    fn stop(&self, place: PoolSlotId) {
        let instance = self.running().instances.get(&place).and_then(Weak::upgrade);
        if !instance.is_some_and(|instance| instance.stop_at(place)) {
            self.running().ledger.stayed(place);
        }
    }

    /// Looks how much memory the servers take now, and stops what is too much.
    pub async fn look(&self) {
        self.measure(Duration::ZERO).await;
        self.observe();
        loop {
            let Some(place) = self.running().ledger.excess() else { return };
            self.stop(place);
        }
    }

    /// What a server took when it was last looked at.
    pub(crate) fn memory(&self, place: PoolSlotId) -> Option<u64> {
        self.running().ledger.memory(place)
    }

    /// Reads what is not known freshly enough.
    pub(crate) async fn measure(&self, fresh: Duration) {
        let instances = {
            let mut running = self.running();
            let now = Instant::now();
            if running.measured_at.is_some_and(|at| now < at + fresh) {
                return;
            }
            running.measured_at = Some(now);
            running.instances.clone()
        };
        let leader = |(place, instance): (PoolSlotId, Weak<ServerInstance>)| {
            Some((place, instance.upgrade()?.pid_at(place)?))
        };
        let leaders: Vec<_> = instances.into_iter().filter_map(leader).collect();
        if leaders.is_empty() {
            return;
        }
        let pids: Vec<u32> = leaders.iter().map(|(_, pid)| *pid).collect();
        let read = tokio::task::spawn_blocking(move || memory::of_trees(&pids)).await;
        let Ok(memory) = read else { return };
        let mut running = self.running();
        for (place, pid) in leaders {
            running.ledger.measured(place, memory.get(&pid).copied());
        }
    }

    /// One task looks at the memory of all, as long as something runs.
    fn watch(&self) {
        if self.0.is_watched.swap(true, Ordering::AcqRel) {
            return;
        }
        let pool = Arc::downgrade(&self.0);
        tokio::spawn(async move {
            loop {
                sleep(LOOK_EVERY).await;
                let Some(pool) = pool.upgrade().map(Pool) else { return };
                if pool.servers() == 0 {
                    pool.0.is_watched.store(false, Ordering::Release);
                    // One that started meanwhile took it for watched.
                    if pool.servers() == 0 || pool.0.is_watched.swap(true, Ordering::AcqRel) {
                        return;
                    }
                }
                pool.look().await;
            }
        });
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Digest, Weak<ServerInstance>>> {
        self.0.known.lock()
    }

    fn running(&self) -> MutexGuard<'_, RunningServers> {
        // Changes are small and whole, so a panic elsewhere left it usable.
        self.0.running.lock()
    }
}

/// As many as a configuration that says nothing permits.
impl Default for Pool {
    fn default() -> Self {
        Self::new(PoolBounds::from(&LimitsSection::default()))
    }
}

impl From<&LimitsSection> for PoolBounds {
    fn from(limits: &LimitsSection) -> Self {
        let servers = usize::try_from(limits.pool_servers).unwrap_or(usize::MAX);
        Self { servers, memory_bytes: limits.pool_memory_bytes }
    }
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("servers", &self.servers()).finish_non_exhaustive()
    }
}
