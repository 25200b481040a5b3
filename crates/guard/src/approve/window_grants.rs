//! What was granted for a window, kept so that the next daemon knows it too.
//!
//! A window's session has another name with every daemon. What is kept goes by the window itself, so
//! it ends with that process; whoever knows which windows are gone forgets what they left.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use tokio::sync::mpsc;
use toolgate_store::{Store, WindowGrant};
use toolgate_types::{SessionId, WindowMark};

use crate::SessionGrant;

/// The sessions that are windows', and what is written down for them, one after the other.
#[derive(Default)]
pub(super) struct WindowGrants {
    windows: Mutex<HashMap<SessionId, WindowMark>>,
    notes: OnceLock<mpsc::UnboundedSender<GrantNote>>,
}

struct GrantNote {
    window: WindowMark,
    grant: WindowGrant,
    /// Whether it holds, or was taken back.
    holds: bool,
}

impl WindowGrants {
    /// A window has this session from now on; what was granted for it before.
    pub(super) async fn recall(
        &self,
        session: &SessionId,
        window: WindowMark,
        store: &Arc<dyn Store>,
    ) -> Vec<SessionGrant> {
        // What cannot be read is asked for again.
        let kept = store.window_grants(&window).await.unwrap_or_default();
        self.windows.lock().insert(session.clone(), window);
        self.notes.get_or_init(|| write_down(Arc::clone(store)));
        let granted = |kept: WindowGrant| {
            let WindowGrant { principal, owner, tool, definition } = kept;
            SessionGrant { principal, session: session.clone(), owner, tool, definition }
        };
        kept.into_iter().map(granted).collect()
    }

    /// Writes down that a grant holds, or does not any more.
    pub(super) fn note(&self, grant: &SessionGrant, holds: bool) {
        let SessionGrant { principal, session, owner, tool, definition } = grant.clone();
        let window = self.windows.lock().get(&session).cloned();
        if let (Some(window), Some(notes)) = (window, self.notes.get()) {
            let grant = WindowGrant { principal, owner, tool, definition };
            let _ = notes.send(GrantNote { window, grant, holds });
        }
    }

    /// The session is over; its window may have another one at the next daemon.
    pub(super) fn leave(&self, session: &SessionId) {
        self.windows.lock().remove(session);
    }
}

/// One at a time, so that what was taken back last is what is kept.
fn write_down(store: Arc<dyn Store>) -> mpsc::UnboundedSender<GrantNote> {
    let (notes, mut noted) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Some(GrantNote { window, grant, holds }) = noted.recv().await {
            // What cannot be kept is asked for again by the next daemon.
            let _ = match holds {
                true => store.keep_grant(&window, grant).await.map(|()| true),
                false => store.forget_grant(&window, &grant).await,
            };
        }
    });
    notes
}
