//! What happens in the hosts of a gateway under test, for whoever waits for it, and what a test does to the
//! thread that tells of it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use async_trait::async_trait;
use tokio::sync::watch;
use toolgate_gateway::{GatewayNotice, GatewayWatch};
use toolgate_types::{HostEvent, HostListener, PeerLink, Requester};

use crate::gate::{HANG, within};

/// What happened in the hosts, one line each, whether callers are strangers, and what holds up its thread.
#[derive(Default)]
pub(crate) struct Events(watch::Sender<Vec<String>>, AtomicBool, Mutex<Option<HeldThread>>);

/// Whoever tells of the first takes its thread with it until the second was told.
#[derive(Clone, Copy)]
pub(crate) struct HeldThread {
    pub(crate) by: [&'static str; 2],
    pub(crate) until: [&'static str; 2],
}

#[async_trait]
impl GatewayWatch for Events {
    fn noticed(&self, notice: GatewayNotice<'_>) {
        let GatewayNotice::ForeignSession { principal } = notice;
        self.0.send_modify(|all| all.push(format!("foreign session: {principal}")));
    }

    async fn look_at(&self, link: &PeerLink) {
        let (_, local) = link.connection().ends();
        self.0.send_modify(|all| all.push(format!("looked at a connection to {local}")));
    }

    async fn may_be_asked(&self, _: &Requester) -> bool {
        !self.1.load(Ordering::Relaxed)
    }
}

impl HostListener for Events {
    fn happened(&self, event: HostEvent) {
        let line = format!("{event:?}");
        let held =
            self.2.lock().unwrap().filter(|held| held.by.iter().all(|word| line.contains(word)));
        self.0.send_modify(|all| all.push(line));
        let Some(HeldThread { until, .. }) = held else { return };
        let began = Instant::now();
        let is_over = |line: &String| until.iter().all(|word| line.contains(word));
        while !self.0.borrow().iter().any(is_over) && began.elapsed() < 2 * HANG {
            std::thread::yield_now();
        }
    }
}

impl Events {
    /// As if reading a message took until something else has happened.
    pub(crate) fn hold_thread(&self, held: HeldThread) {
        *self.2.lock().unwrap() = Some(held);
    }

    /// From now on nobody knows whose process a caller is.
    pub(crate) fn are_strangers(&self) {
        self.1.store(true, Ordering::Relaxed);
    }

    /// How often that happened.
    pub(crate) fn count(&self, words: &str) -> usize {
        self.0.borrow().iter().filter(|line| line.contains(words)).count()
    }

    /// Waits until so many events have all of these words in them.
    pub(crate) async fn heard(&self, words: &[&str], times: usize) {
        let mut events = self.0.subscribe();
        let fits = |line: &&String| words.iter().all(|word| line.contains(word));
        within(events.wait_for(|all| all.iter().filter(fits).count() >= times)).await.unwrap();
    }
}
