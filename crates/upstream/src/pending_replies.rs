//! Requests in flight, by id. Bookkeeping only: no I/O, no clock.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;

use tokio::sync::oneshot;

use crate::failure::RequestError;
use crate::reply::ServerReply;

type ReplySender = oneshot::Sender<Result<ServerReply, RequestError>>;

/// Who waits for which answer, until the connection ends.
#[derive(Debug, Default)]
pub(crate) struct PendingReplies(Mutex<PendingState>);

#[derive(Debug, Default)]
struct PendingState {
    waiting: HashMap<u64, ReplySender>,
    /// Why nothing will be answered any more.
    closed: Option<String>,
}

impl PendingReplies {
    fn state(&self) -> MutexGuard<'_, PendingState> {
        // Every change is one map operation, so a panic elsewhere left the table whole.
        self.0.lock()
    }

    pub(crate) fn register(
        &self,
        id: u64,
    ) -> Result<oneshot::Receiver<Result<ServerReply, RequestError>>, RequestError> {
        let mut state = self.state();
        if let Some(reason) = &state.closed {
            return Err(RequestError::Closed(reason.clone()));
        }
        let (sender, receiver) = oneshot::channel();
        state.waiting.insert(id, sender);
        Ok(receiver)
    }

    /// Hands an answer over. `false`: nobody waits for it (any more), and that is no error.
    pub(crate) fn complete(&self, id: u64, reply: Result<ServerReply, RequestError>) -> bool {
        let waiting = self.state().waiting.remove(&id);
        waiting.is_some_and(|waiting| waiting.send(reply).is_ok())
    }

    pub(crate) fn forget(&self, id: u64) {
        self.state().waiting.remove(&id);
    }

    /// Ends every wait, now and later, with the same reason. The first reason stays.
    pub(crate) fn close(&self, reason: &str) {
        let waiting = {
            let mut state = self.state();
            state.closed.get_or_insert_with(|| reason.to_owned());
            std::mem::take(&mut state.waiting)
        };
        for sender in waiting.into_values() {
            let _ = sender.send(Err(RequestError::Closed(reason.to_owned())));
        }
    }

    pub(crate) fn closed(&self) -> Option<String> {
        self.state().closed.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply() -> Result<ServerReply, RequestError> {
        Err(RequestError::SessionLost)
    }

    #[test]
    fn an_answer_goes_to_the_one_who_asked_and_only_once() {
        let pending = PendingReplies::default();
        let mut one = pending.register(1).unwrap();
        let mut two = pending.register(2).unwrap();
        assert!(pending.complete(2, reply()));
        assert!(!pending.complete(2, reply()), "a second answer is ignored");
        assert!(!pending.complete(7, reply()), "an answer to nothing is ignored");
        assert!(two.try_recv().is_ok());
        assert!(one.try_recv().is_err());
    }

    #[test]
    fn a_late_answer_after_giving_up_is_ignored() {
        let pending = PendingReplies::default();
        drop(pending.register(1).unwrap());
        pending.forget(1);
        assert!(!pending.complete(1, reply()));
    }

    #[test]
    fn closing_ends_every_wait_and_refuses_new_ones_with_the_first_reason() {
        let pending = PendingReplies::default();
        let mut waiting = pending.register(1).unwrap();
        pending.close("it crashed");
        pending.close("later");
        let ended = waiting.try_recv().unwrap();
        assert!(matches!(ended, Err(RequestError::Closed(reason)) if reason == "it crashed"));
        let refused = pending.register(2).expect_err("closed");
        assert!(matches!(refused, RequestError::Closed(reason) if reason == "it crashed"));
    }
}
