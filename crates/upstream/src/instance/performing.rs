//! An operation carried out by an instance, for a host that brings the guard's proof.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use toolgate_guard::Permitted;
use toolgate_types::{Operation, Outcome, QuestionKind};
use toolgate_wire::{RawObject, Splice};

use super::Instance;
use super::asking::Discreet;
use super::live::{Live, Using};
use crate::{Attendant, Held, HttpFailure, Manner, RequestError, UpstreamError, World};

/// What is told to a server of the whole machine that asks for a caller's folders.
const NO_ROOTS: &str = "it asked for the folders of the caller, which no server that workspaces \
                        share is told";

impl Instance {
    /// Carries out what the guard permitted on the connection that is held for it, or on another
    /// where that one was lost.
    pub(crate) async fn perform(
        &self,
        held: &Held,
        permitted: &Permitted<Operation>,
        manner: Manner<'_>,
    ) -> Result<Outcome, UpstreamError> {
        self.performed.fetch_add(1, Ordering::Relaxed);
        let _counted = UnderWay::new(&self.under_way);
        let another: Using;
        let live: &Live = match held.using.connection.ended() {
            None => &held.using,
            Some(_) => {
                // Boxed: rare, and no operation should carry the size of a start.
                another = Box::pin(self.using()).await?;
                &another
            }
        };
        let _alone = match live.connection.is_confused() {
            true => Some(live.alone.lock().await),
            false => None,
        };
        let attendant = manner.attendant.map(|one| self.permitted_to_ask(one));
        let manner = Manner { attendant, ..manner };
        let outcome = live.connection.perform(permitted, manner).await;
        if let Err(error) = &outcome {
            self.take_note(live, error);
        }
        self.without_roots(outcome?)
    }

    /// A caller's model is offered only to servers that may use it, and his folders only to those
    /// that no other workspace uses.
    fn permitted_to_ask(&self, attendant: Attendant) -> Attendant {
        let (may_sample, is_of_machine) = (self.entry.value.sampling, self.is_of_machine());
        let hidden = [("sampling", !may_sample), ("roots", is_of_machine)];
        let mut hidden = hidden.into_iter().filter(|(_, is_hidden)| *is_hidden).peekable();
        let own = attendant.capabilities.as_deref().filter(|_| hidden.peek().is_some());
        let capabilities = match own.and_then(|raw| RawObject::parse(raw).ok()) {
            Some(read) => {
                let mut without = Splice::of(&read);
                for (name, _) in hidden {
                    without.remove(name);
                }
                without.to_raw().ok().map(Arc::from)
            }
            None => attendant.capabilities,
        };
        let asker = match is_of_machine {
            true => Arc::new(Discreet(attendant.asker)),
            false => attendant.asker,
        };
        Attendant { asker, capabilities, log: attendant.log }
    }

    /// It was not offered them; what a caller would answer could be kept for the next.
    fn without_roots(&self, outcome: Outcome) -> Result<Outcome, UpstreamError> {
        match &outcome {
            Outcome::InputRequired(required)
                if self.is_of_machine()
                    && required
                        .questions
                        .iter()
                        .any(|one| one.kind == Some(QuestionKind::Roots)) =>
            {
                Err(RequestError::Protocol(NO_ROOTS.to_owned()).into())
            }
            _ => Ok(outcome),
        }
    }

    /// Whether what it asks could be the matter of more than one host.
    pub(crate) fn is_shared(&self) -> bool {
        self.is_of_machine() || self.members.are_several()
    }

    /// What an error says about the server and not only about the request.
    pub(super) fn take_note(&self, live: &Live, error: &RequestError) {
        match error {
            RequestError::Unauthorized { .. } => self.needs_login(live.serial, error.to_string()),
            // An answer that broke off says nothing about the next one.
            RequestError::Http(HttpFailure::Lost) => {}
            RequestError::Closed(_) | RequestError::SessionLost | RequestError::Http(_) => {
                self.lost(live.serial, error.to_string());
            }
            _ => {}
        }
    }
}

/// The host itself, for an operation that nobody in particular waits for.
pub(crate) fn own_attendant(world: &World) -> Attendant {
    Attendant { asker: Arc::clone(&world.asker), capabilities: None, log: None }
}

/// Counts as long as it is there, however its operation ends.
struct UnderWay<'a>(&'a AtomicUsize);

impl<'a> UnderWay<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
