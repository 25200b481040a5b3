//! Requests of the older era: the one session of a connection, and everything within it.

use std::sync::Arc;

use tokio::task::JoinSet;
use toolgate_types::Era;
use toolgate_wire::{ErrorCode, Message, RejectedMessage, Request, method};

use super::client::LineClient;
use crate::legacy::{self, LegacyBatch, LegacyRequest};
use crate::refusal::RequestRefusal;
use crate::respond;
use crate::session::{SessionParts, SessionStreams};

impl LineClient {
    pub(super) async fn take_older(&mut self, request: &Request<'_>) {
        let refuse = |why: &str| {
            let refusal = RequestRefusal::bad_request(ErrorCode::INVALID_REQUEST, why);
            refusal.to(Some(request.id.to_buf())).written()
        };
        let answer = match (&*request.method, &self.session) {
            (method::INITIALIZE, None) => self.open(request),
            (method::INITIALIZE, Some(_)) => refuse("this connection has its session already"),
            (method::PING, _) => respond::nothing(&request.id.to_buf(), Era::Legacy),
            (_, None) => refuse("a session begins with `initialize`"),
            (_, Some(session)) => match LegacyRequest::of(&self.shared, session, request) {
                Err(answer) => answer,
                Ok(taken) => match self.begin(taken) {
                    Err(refusal) => refusal.written(),
                    Ok(()) => return,
                },
            },
        };
        self.say(answer).await;
    }

    fn open(&mut self, request: &Request<'_>) -> Vec<u8> {
        let way = SessionParts {
            id: self.id.clone(),
            streams: SessionStreams::of_line(&self.queue),
            requests: Arc::clone(&self.requests),
            requester: self.requester.clone(),
        };
        match legacy::open(&self.shared, Arc::clone(&self.place), request, way) {
            Ok((session, answer)) => {
                self.session = Some(session);
                answer
            }
            Err(refusal) => refusal.written(),
        }
    }

    fn begin(&self, taken: LegacyRequest) -> Result<(), RequestRefusal> {
        let id = taken.id().clone();
        let permit = self.admit(&id)?;
        let under_way = taken.begin();
        let work = taken.carry_out(under_way.cancel.clone(), self.outlet());
        self.carry_out(permit, id, under_way, work);
        Ok(())
    }

    /// Answers all requests of a batch with one batch; what is said meanwhile goes before it.
    pub(super) async fn take_batch(&mut self, messages: Vec<Result<Message<'_>, RejectedMessage>>) {
        // Only a session has a revision that has them.
        let Some(session) = &self.session else { return };
        let LegacyBatch { requests, mut answers } =
            LegacyBatch::take(&self.shared, session, messages);
        let (mut under_way, mut permits) = (JoinSet::new(), Vec::new());
        for taken in requests {
            self.shared.metrics.requested_in_line();
            match self.admit(taken.id()) {
                Ok(permit) => permits.push(permit),
                Err(refusal) => {
                    answers.push(refusal.written());
                    continue;
                }
            }
            let begun = taken.begin();
            let work = taken.carry_out(begun.cancel.clone(), self.outlet());
            under_way.spawn(async move {
                let reply = work.await;
                (!begun.is_given_up()).then(|| reply.message.whole())
            });
        }
        let queue = self.queue.clone();
        let answering = async move {
            while let Some(answer) = under_way.join_next().await {
                answers.extend(answer.ok().flatten());
            }
            if let Some(answer) = LegacyBatch::joined(&answers) {
                let _ = queue.send(answer.into()).await;
            }
        };
        // Where nothing is carried out, nobody else would wait for the answer to be read.
        if permits.is_empty() {
            return answering.await;
        }
        tokio::spawn(async move {
            answering.await;
            drop(permits);
        });
    }
}
