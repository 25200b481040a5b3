//! All sessions: found by an id that cannot be guessed, ended when they are not used.

use parking_lot::RwLock;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::ClientSession;
use crate::place::CallerPlace;
use crate::served::ServedHost;

/// A session that nobody uses for so long is over.
pub(crate) const IDLE: Duration = Duration::from_secs(60 * 60);

pub(crate) struct SessionTable {
    map: RwLock<HashMap<Box<str>, Arc<ClientSession>>>,
    most: usize,
    began: Instant,
}

/// Why there is no session; the caller cannot tell which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoSession {
    Unknown,
    Foreign,
}

/// There is no room, and everybody who is there is busy.
#[derive(Debug)]
pub(crate) struct NoSessionRoom;

impl SessionTable {
    pub(crate) fn new(most: u32) -> Self {
        let most = usize::try_from(most).unwrap_or(usize::MAX).max(1);
        Self { map: RwLock::default(), most, began: Instant::now() }
    }

    /// An id that nobody can guess; `None` where the system has no randomness to give.
    pub(crate) fn new_id() -> Option<Box<str>> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).ok()?;
        let hex = random.iter().map(|byte| format!("{byte:02x}"));
        Some(hex.collect::<String>().into())
    }

    /// Takes a new session in. Where there is no room the one that was idle longest has to go; it
    /// comes back to be ended.
    pub(crate) fn insert(
        &self,
        session: Arc<ClientSession>,
    ) -> Result<Option<Arc<ClientSession>>, NoSessionRoom> {
        let now = self.now();
        session.last_used.store(now, Ordering::Relaxed);
        let mut map = self.map.write();
        let mut over = None;
        if map.len() >= self.most {
            let idle = map.values().filter(|one| !one.is_busy());
            let oldest = idle.min_by_key(|one| one.last_used.load(Ordering::Relaxed));
            let oldest = oldest.map(|one| one.id.clone()).ok_or(NoSessionRoom)?;
            over = map.remove(&oldest);
        }
        map.insert(session.id.clone(), session);
        Ok(over)
    }

    /// The session with this id, if it is this caller's at this address. Those of connections are
    /// spoken in there and nowhere else.
    pub(crate) fn get(
        &self,
        id: &str,
        place: &CallerPlace,
    ) -> Result<Arc<ClientSession>, NoSession> {
        let map = self.map.read();
        let session = map.get(id).filter(|session| !session.streams.is_line());
        let session = session.ok_or(NoSession::Unknown)?;
        if !session.place.is(place) {
            return Err(NoSession::Foreign);
        }
        session.last_used.store(self.now(), Ordering::Relaxed);
        Ok(Arc::clone(session))
    }

    pub(crate) fn remove(&self, id: &str) -> Option<Arc<ClientSession>> {
        self.map.write().remove(id)
    }

    pub(crate) fn len(&self) -> usize {
        self.map.read().len()
    }

    /// Takes those out that nobody used for too long.
    pub(crate) fn take_idle(&self) -> Vec<Arc<ClientSession>> {
        let now = self.now();
        let idle = u64::try_from(IDLE.as_nanos()).unwrap_or(u64::MAX);
        let is_over = |one: &Arc<ClientSession>| {
            now.saturating_sub(one.last_used.load(Ordering::Relaxed)) > idle && !one.is_busy()
        };
        let mut map = self.map.write();
        map.extract_if(|_, one| is_over(one)).map(|(_, one)| one).collect()
    }

    /// Takes those out that were opened at this host.
    pub(crate) fn take_at(&self, served: &Arc<ServedHost>) -> Vec<Arc<ClientSession>> {
        let is_there = |one: &Arc<ClientSession>| Arc::ptr_eq(&one.place.served, served);
        let mut map = self.map.write();
        map.extract_if(|_, one| is_there(one)).map(|(_, one)| one).collect()
    }

    pub(crate) fn end_listening(&self) {
        let map = self.map.read();
        map.values().for_each(|session| session.streams.end_general());
    }

    pub(crate) fn end_all(&self) {
        let map = std::mem::take(&mut *self.map.write());
        map.values().for_each(|session| session.ended().cancel());
    }

    /// Fine enough to tell which of two requests came first.
    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}
