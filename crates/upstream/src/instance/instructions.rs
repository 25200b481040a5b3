//! What a server says of how to use it, held against what was accepted of it: what is passed on is
//! what was accepted, whatever it says since.
//!
//! The store has the last word. Where it fails, what this process passed on before stays; where it
//! passed on nothing, the server is believed as it is, as for its tools.

use std::sync::Arc;
use std::time::SystemTime;

use toolgate_types::{HostEvent, since_1970};

use super::ServerInstance;
use super::live::LiveConnection;

/// The most that is kept of it, in characters. What lies beyond is passed on to nobody.
const LONGEST: usize = 8_000;

impl ServerInstance {
    /// What may be passed on of how to use it, as far as that is known now.
    pub(crate) fn instructions(&self) -> Option<String> {
        self.state().instructions.words.clone()
    }

    /// What an earlier run kept, as it is accepted now. It never replaces what the server says itself.
    pub(super) async fn restore_instructions(&self, kept: Option<String>) {
        let Some(kept) = kept else { return };
        let accepted = match &self.ground.pins {
            Some(book) => match book.store().instructions(book.key()).await {
                Ok(pin) => pin.map_or(kept, |pin| pin.accepted),
                // What is accepted is not known, so nothing is passed on.
                Err(_) => return,
            },
            None => kept,
        };
        let mut state = self.state();
        if !state.instructions.is_spoken {
            state.instructions.words = Some(accepted).filter(|words| !words.is_empty());
        }
    }

    /// What the server that was just reached may say; it is kept for the next start.
    pub(super) async fn hold_instructions(&self, live: &Arc<LiveConnection>) {
        self.hold_against_pin(live).await;
        let differs = self.learn_instructions(live);
        if differs {
            self.keep_snapshot().await;
        }
    }

    /// Whether that is not what was known.
    fn learn_instructions(&self, live: &LiveConnection) -> bool {
        let words = live.spoken().instructions;
        let mut state = self.state();
        state.instructions.is_spoken = true;
        let before = std::mem::replace(&mut state.instructions.words, words);
        before != state.instructions.words
    }

    async fn hold_against_pin(&self, live: &Arc<LiveConnection>) {
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
        let Ok(Some(pin)) = book.store().instructions(book.key()).await else { return };
        let live = self.state().live.clone();
        if let Some(live) = live {
            live.may_say(pin.accepted);
            self.learn_instructions(&live);
        } else if self.instructions().is_some() {
            self.restore_instructions(Some(pin.accepted)).await;
        }
    }
}
