//! Whether anybody is in a context: while nobody is, its files are not watched, and it is read again before
//! somebody is.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{Mutex, MutexGuard};

/// Whether a host rests.
#[derive(Debug, Default)]
pub(super) struct HostRest {
    rests: AtomicBool,
    waking: Mutex<()>,
}

/// Held by who reads a host again, for the first one who comes back to it.
pub(crate) type WakingTurn<'a> = MutexGuard<'a, ()>;

impl HostRest {
    pub(super) fn rests(&self) -> bool {
        self.rests.load(Ordering::Acquire)
    }

    pub(super) fn begin(&self) {
        self.rests.store(true, Ordering::Release);
    }

    /// Somebody is there. Who ends the rest gets a turn, and holds it until the host was read again: two may
    /// come at once, and the other waits for that instead of finding the host as it was.
    pub(super) async fn end(&self) -> Option<WakingTurn<'_>> {
        let turn = self.waking.lock().await;
        self.rests.swap(false, Ordering::AcqRel).then_some(turn)
    }
}

#[cfg(test)]
mod tests {
    use std::future::{Future as _, poll_fn};
    use std::pin::pin;
    use std::task::Poll;

    use super::*;

    #[tokio::test]
    async fn whoever_comes_while_it_is_read_again_waits_for_that() {
        let rest = HostRest::default();
        assert!(rest.end().await.is_none(), "nobody had left");
        rest.begin();
        let reading = rest.end().await.unwrap();
        assert!(!rest.rests());
        let mut second = pin!(rest.end());
        let waits =
            poll_fn(|context| Poll::Ready(second.as_mut().poll(context).is_pending())).await;
        assert!(waits);
        drop(reading);
        assert!(second.await.is_none(), "it was read already");
    }
}
