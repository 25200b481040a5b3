//! One piece of work that many wait for: begun once, finished whoever stops waiting.

use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::Instant;

/// Work under way.
#[derive(Debug)]
pub(crate) struct SharedFlight<T> {
    pub(crate) began: Instant,
    landing: watch::Receiver<Option<T>>,
    work: AbortHandle,
}

impl<T> Clone for SharedFlight<T> {
    fn clone(&self) -> Self {
        let Self { began, landing, work } = self;
        Self { began: *began, landing: landing.clone(), work: work.clone() }
    }
}

impl<T: Clone + Send + Sync + 'static> SharedFlight<T> {
    pub(crate) fn begin(work: impl Future<Output = T> + Send + 'static) -> Self {
        Self::begin_since(Instant::now(), work)
    }

    /// The same for somebody who waited since then already.
    pub(crate) fn begin_since(
        began: Instant,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Self {
        let (sender, landing) = watch::channel(None);
        let work = tokio::spawn(async move {
            let result = work.await;
            let _ = sender.send(Some(result));
        });
        Self { began, landing, work: work.abort_handle() }
    }

    /// The result; `None` if the work was broken off.
    pub(crate) async fn landed(mut self) -> Option<T> {
        let landed = self.landing.wait_for(Option::is_some).await.ok()?;
        landed.clone()
    }

    pub(crate) fn has_landed(&self) -> bool {
        self.landing.borrow().is_some() || self.work.is_finished()
    }

    pub(crate) fn break_off(&self) {
        self.work.abort();
    }
}
