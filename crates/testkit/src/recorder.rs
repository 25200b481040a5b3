//! A listener that keeps what it hears.

use std::fmt;

use tokio::sync::watch;
use toolgate_types::{EventSink, ListKind, ServerEvent, ServerId};

/// What was heard, in a form that can be kept and compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recorded {
    ListChanged(ListKind),
    ResourceUpdated(String),
    Log(String),
    Notified(String, Option<String>),
    Garbage(usize),
    Closed(String),
}

/// A flood must not cost the test more memory than the code under test.
const MOST: usize = 10_000;

/// Keeps events in order, the first ten thousand.
#[derive(Default)]
pub struct Recorder(watch::Sender<Vec<Recorded>>);

impl Recorder {
    pub fn all(&self) -> Vec<Recorded> {
        self.0.borrow().clone()
    }

    /// Waits for the first event that fits.
    pub async fn heard(&self, fits: impl Fn(&Recorded) -> bool) -> Recorded {
        let mut events = self.0.subscribe();
        let all = events.wait_for(|all| all.iter().any(&fits)).await.unwrap();
        all.iter().find(|event| fits(event)).cloned().unwrap()
    }
}

impl EventSink for Recorder {
    fn event(&self, _: &ServerId, event: ServerEvent) {
        let recorded = match event {
            ServerEvent::ListChanged(kind) => Recorded::ListChanged(kind),
            ServerEvent::ResourceUpdated { uri } => Recorded::ResourceUpdated(uri),
            ServerEvent::Log(raw) => Recorded::Log(raw.get().to_owned()),
            ServerEvent::Notified { method, params } => {
                Recorded::Notified(method, params.map(|raw| raw.get().to_owned()))
            }
            ServerEvent::Garbage { bytes } => Recorded::Garbage(bytes),
            ServerEvent::Closed { reason } => Recorded::Closed(reason),
        };
        self.0.send_if_modified(|all| {
            let has_room = all.len() < MOST;
            if has_room {
                all.push(recorded);
            }
            has_room
        });
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Recorder").field(&self.0.borrow()).finish()
    }
}
