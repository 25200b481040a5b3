//! What a server says of how to use it, held against what was accepted of it: what is passed on is
//! what was accepted, whatever it says since.
//!
//! The store has the last word. Where it fails, what this process passed on before stays; where it
//! passed on nothing, the server is believed as it is, as for its tools.

use std::sync::Arc;
use std::time::SystemTime;

use toolgate_types::{HostEvent, since_1970};

use super::Instance;
use super::live::Live;

/// The most that is kept of it, in characters. What lies beyond is passed on to nobody.
const LONGEST: usize = 8_000;

impl Instance {
    /// What the server that was just reached may say.
    pub(super) async fn hold_instructions(&self, live: &Arc<Live>) {
        let said = live.connection.handshake().instructions.as_deref().unwrap_or_default().trim();
        let end = said.char_indices().nth(LONGEST).map_or(said.len(), |(end, _)| end);
        let said = &said[..end];
        let Some(book) = &self.ground.pins else { return live.may_say(said.to_owned()) };
        let at = since_1970(SystemTime::now());
        match book.store().observe_instructions(book.key(), said, at).await {
            Ok(observed) => {
                live.may_say(observed.pin.accepted);
                if observed.is_drifted {
                    let server = self.id.clone();
                    self.members.tell(|| HostEvent::InstructionsChanged { server: server.clone() });
                }
            }
            // The list of its tools, which is kept in the same place, tells of it.
            Err(_) => {
                let known = book.store().instructions(book.key()).await.ok().flatten();
                live.may_say(known.map_or_else(|| said.to_owned(), |pin| pin.accepted));
            }
        }
    }

    /// Somebody else may have accepted what it says now.
    pub(super) async fn hold_instructions_again(&self) {
        let Some(book) = &self.ground.pins else { return };
        let live = self.state().live.clone();
        if let Some(live) = live
            && let Ok(Some(pin)) = book.store().instructions(book.key()).await
        {
            live.may_say(pin.accepted);
        }
    }
}
