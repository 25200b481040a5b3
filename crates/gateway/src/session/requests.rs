//! Requests under way, so that a client can cancel them by their ids.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio_util::sync::CancellationToken;
use toolgate_wire::MessageIdBuf;

use super::lock;

/// The requests of one session or connection that are not answered yet.
#[derive(Debug, Default)]
pub(crate) struct RequestTable {
    /// When it is over for all of them.
    ended: CancellationToken,
    under_way: Mutex<HashMap<MessageIdBuf, (u64, CancellationToken)>>,
    next: AtomicU64,
}

/// While it is held, a request can be cancelled by its id.
#[derive(Debug)]
pub(crate) struct RequestGuard {
    requests: Arc<RequestTable>,
    id: MessageIdBuf,
    number: u64,
    pub(crate) cancel: CancellationToken,
}

impl RequestTable {
    /// Those that are all over when this is.
    pub(crate) fn until(ended: CancellationToken) -> Self {
        Self { ended, ..Self::default() }
    }

    pub(crate) fn ended(&self) -> &CancellationToken {
        &self.ended
    }

    /// Remembers a request so that it can be cancelled; a second one of the same id takes its place.
    pub(crate) fn begin(self: &Arc<Self>, id: MessageIdBuf) -> RequestGuard {
        let cancel = self.ended.child_token();
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.under_way).insert(id.clone(), (number, cancel.clone()));
        RequestGuard { requests: Arc::clone(self), id, number, cancel }
    }

    /// A cancel for something that is finished is nothing.
    pub(crate) fn cancel(&self, id: &MessageIdBuf) {
        if let Some((_, cancel)) = lock(&self.under_way).get(id) {
            cancel.cancel();
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        lock(&self.under_way).is_empty()
    }
}

impl RequestGuard {
    /// Whether its client does not want it any more, and is still there.
    pub(crate) fn is_given_up(&self) -> bool {
        self.cancel.is_cancelled() && !self.requests.ended.is_cancelled()
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        let mut all = lock(&self.requests.under_way);
        if all.get(&self.id).is_some_and(|(number, _)| *number == self.number) {
            all.remove(&self.id);
        }
    }
}
