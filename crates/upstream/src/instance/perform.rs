//! An operation carried out by an instance, for a host that brings the guard's proof.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use std::time::Duration;

use tokio::sync::MutexGuard;
use tokio::time::{Instant, sleep_until};
use toolgate_guard::Permitted;
use toolgate_types::{
    InputQuestion, Operation, OperationOutcome, QuestionKind, TaskReport, TaskState,
};
use toolgate_wire::{ObjectSplice, RawObject};

use super::ServerInstance;
use super::hosts_asked::RootlessAsker;
use super::live::{ConnectionUse, LiveConnection};
use crate::{
    Attendant, ConnectionLease, HttpFailure, OperationOptions, RequestError, ServerSurroundings,
    UpstreamError,
};

/// What is told to a server of the whole machine that asks for a caller's folders.
const NO_ROOTS: &str = "it asked for the folders of the caller, which no server that workspaces \
                        share is told";

/// How long a question stays open that its caller has to come back for, once others need the server to
/// themselves. Somebody who is there answers sooner, and some of the others wait no longer than a
/// minute in all.
const TO_COME_BACK: Duration = Duration::from_secs(30);

/// A question that is asked while others wait is seen after so long.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

impl ServerInstance {
    /// Carries out what the guard permitted on the connection that is held for it, or on another
    /// where that one was lost.
    pub(crate) async fn perform(
        &self,
        held: &ConnectionLease,
        permitted: &Permitted<Operation>,
        manner: OperationOptions<'_>,
    ) -> Result<OperationOutcome, UpstreamError> {
        let _counted = self.count();
        let another: ConnectionUse;
        let live: &LiveConnection = match held.using.connection.ended() {
            None => &held.using,
            Some(_) => {
                // Boxed: rare, and no operation should carry the size of a start.
                another = Box::pin(self.using()).await?;
                &another
            }
        };
        let _alone = match live.connection.is_confused() {
            true => {
                let party = manner.attendant.as_ref().and_then(|one| one.party.as_deref());
                Some(Box::pin(alone_at(live, party)).await)
            }
            false => None,
        };
        let attendant = manner.attendant.map(|one| self.permitted_to_ask(one));
        let principal = manner.principal.filter(|_| self.ground.serve.is_some());
        let manner = OperationOptions { attendant, principal, ..manner };
        let outcome = live.connection.perform(permitted, manner).await;
        match &outcome {
            Ok(_) => live.has_answered(),
            Err(error) => self.take_note(live, error),
        }
        self.without_roots(outcome?)
    }

    /// One more operation, under way as long as this is held.
    pub(crate) fn count(&self) -> CountedOperation<'_> {
        self.performed.fetch_add(1, Ordering::Relaxed);
        CountedOperation::new(&self.under_way)
    }

    /// A caller's model is offered only to servers that may use it, and his folders only to those
    /// that no other workspace uses.
    fn permitted_to_ask(&self, attendant: Attendant) -> Attendant {
        let (may_sample, is_of_machine) = (self.entry.value.sampling, self.is_of_machine());
        let hidden = [("sampling", !may_sample), ("roots", is_of_machine)];
        let hidden = hidden.into_iter().filter(|(_, is_hidden)| *is_hidden);
        let own = attendant.capabilities.as_deref();
        let own = own.filter(|own| hidden.clone().any(|(name, _)| RawObject::may_have(own, name)));
        let capabilities = match own.and_then(|own| RawObject::parse(own).ok()) {
            Some(read) => {
                let mut without = ObjectSplice::of(&read);
                for (name, _) in hidden {
                    without.remove(name);
                }
                without.to_raw().ok().map(Arc::from)
            }
            None => attendant.capabilities.clone(),
        };
        let asker = match is_of_machine {
            true => Arc::new(RootlessAsker(Arc::clone(&attendant.asker))),
            false => Arc::clone(&attendant.asker),
        };
        Attendant { asker, capabilities, ..attendant }
    }

    /// It was not offered them; what a caller would answer could be kept for the next.
    fn without_roots(&self, outcome: OperationOutcome) -> Result<OperationOutcome, UpstreamError> {
        let questions = match &outcome {
            OperationOutcome::InputRequired(required) => required.questions.as_slice(),
            OperationOutcome::Task(TaskReport {
                state: TaskState::InputRequired { questions, .. },
                ..
            }) => questions,
            _ => return Ok(outcome),
        };
        let is_of_roots = |one: &InputQuestion| one.kind == Some(QuestionKind::Roots);
        match self.is_of_machine() && questions.iter().any(is_of_roots) {
            true => Err(RequestError::Protocol(NO_ROOTS.to_owned()).into()),
            false => Ok(outcome),
        }
    }

    /// Whether what it asks could be the matter of more than one host.
    pub(crate) fn is_shared(&self) -> bool {
        self.is_of_machine() || self.members.are_several()
    }

    /// What an error says about the server and not only about the request.
    pub(super) fn take_note(&self, live: &LiveConnection, error: &RequestError) {
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

/// Waits until no other operation is under way that what the server asks could be about. Whoever can
/// only come back with an answer has a while for that, and then others have the server.
async fn alone_at<'l>(live: &'l LiveConnection, party: Option<&str>) -> MutexGuard<'l, ()> {
    let ending = async {
        loop {
            let next = live.connection.end_abandoned(None, TO_COME_BACK);
            sleep_until(next.unwrap_or_else(|| Instant::now() + LOOK_AGAIN)).await;
        }
    };
    let alone = tokio::select! {
        biased;
        alone = live.alone.lock() => alone,
        never = ending => never,
    };
    // Those that began before it mattered hold no lock.
    while let Some(next) = live.connection.end_abandoned(party, TO_COME_BACK) {
        sleep_until(next).await;
    }
    alone
}

/// The host itself, for an operation that nobody in particular waits for.
pub(crate) fn own_attendant(world: &ServerSurroundings) -> Attendant {
    Attendant {
        asker: Arc::clone(&world.asker),
        capabilities: None,
        party: None,
        takes_logs: false,
    }
}

/// Counts as long as it is there, however its operation ends.
pub(crate) struct CountedOperation<'a>(&'a AtomicUsize);

impl<'a> CountedOperation<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for CountedOperation<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
