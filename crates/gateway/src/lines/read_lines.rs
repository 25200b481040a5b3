//! The way in: lines, each a message, a batch, or something that is neither.

use tokio::io::{AsyncRead, AsyncReadExt as _};
use toolgate_control::hello::MARK;
use toolgate_types::{Era, QuestionAnswer, step_aside};
use toolgate_wire::line::{DecodedLine, LineDecoder};
use toolgate_wire::{
    IncomingMessages, Message, MessageId, MessageKind, Notification, ProtocolRevision,
    RejectReason, RejectedMessage, Request, Response, peek_id,
};

use super::LineListener;
use super::client::LineClient;
use crate::legacy;
use crate::refusal::RequestRefusal;

/// Most requests fit whole, and a client that says nothing costs little.
const READ_BUFFER: usize = 16 * 1024;

impl LineClient {
    /// Takes what the client says until it says nothing more.
    pub(super) async fn read(
        &mut self,
        mut stream: impl AsyncRead + Unpin,
        mut aside: Option<LineListener>,
    ) {
        let mut lines = LineDecoder::new(self.limits.bytes);
        let mut buffer = Vec::with_capacity(READ_BUFFER);
        while let Ok(1..) = stream.read_buf(&mut buffer).await {
            let mut input = buffer.as_slice();
            while let Some(line) = lines.next(&mut input) {
                match line {
                    DecodedLine::Whole(line) if is_beside(line, &mut aside) => {}
                    DecodedLine::Whole(line) => self.take_line(line).await,
                    DecodedLine::TooLong { head } => self.take_head(head).await,
                    // Only of a decoder that follows long lines.
                    DecodedLine::Part(_) | DecodedLine::PartsEnd => {}
                }
            }
            buffer.clear();
        }
        // A last message may lack its newline.
        if let Some(DecodedLine::Whole(line)) = lines.finish() {
            self.take_line(line).await;
        }
    }

    async fn take_line(&mut self, line: &[u8]) {
        step_aside(line.len()).await;
        let revision =
            self.session.as_ref().map_or(ProtocolRevision::NEWEST, |session| session.revision);
        match IncomingMessages::parse(line, revision, &self.limits) {
            Ok(IncomingMessages::One(Message::Request(request))) => {
                self.take_request(&request).await;
            }
            Ok(IncomingMessages::One(Message::Notification(notification))) => {
                self.take_note(&notification);
            }
            Ok(IncomingMessages::One(Message::Response(reply))) => self.take_answer(&reply),
            Ok(IncomingMessages::Batch(messages)) => self.take_batch(messages).await,
            Err(rejected) => self.take_nonsense(rejected).await,
        }
    }

    async fn take_request(&mut self, request: &Request<'_>) {
        self.shared.metrics.requested_in_line();
        match request.era() {
            Some(Era::Modern) => self.take_modern(request).await,
            Some(Era::Legacy) | None => self.take_older(request).await,
        }
    }

    fn take_note(&self, notification: &Notification<'_>) {
        if let Some(id) = legacy::cancelled(notification) {
            self.requests.cancel(&id);
        }
    }

    fn take_answer(&self, reply: &Response<'_>) {
        if let Some(session) = &self.session {
            legacy::take_answer(session, reply);
        }
    }

    /// What is no message is answered, unless it is one that never is.
    async fn take_nonsense(&mut self, rejected: RejectedMessage) {
        match rejected.kind {
            Some(MessageKind::Notification) => {}
            Some(MessageKind::Response) => {
                self.has_no_answer(rejected.id.as_ref().map(|id| id.as_id()));
            }
            Some(MessageKind::Request) | None => {
                let code = rejected.reason.code();
                self.refuse(RequestRefusal::bad_request(code, &rejected).to(rejected.id)).await;
            }
        }
        self.shared.metrics.refused_line();
    }

    /// The beginning of a line that is too long. Whoever waits for it, or asks in it, is told where
    /// the id comes soon enough.
    async fn take_head(&mut self, head: &[u8]) {
        const METHOD: &[u8] = br#""method""#;
        let before = head.windows(METHOD.len()).position(|at| at == METHOD);
        let id = peek_id(before.and_then(|end| head.get(..end)).unwrap_or(head));
        if before.is_some() || !self.has_no_answer(id.as_ref().map(|id| id.as_id())) {
            let reason = RejectReason::TooLarge { limit: self.limits.bytes };
            self.refuse(RequestRefusal::bad_request(reason.code(), &reason).to(id)).await;
        }
        self.shared.metrics.refused_line();
    }

    /// The answer to a question of ours that cannot be read; whether anybody waited for it.
    fn has_no_answer(&self, id: Option<MessageId<'_>>) -> bool {
        let id = id.and_then(|id| id.as_text());
        let (Some(session), Some(id)) = (&self.session, id) else { return false };
        session.answer(&id, QuestionAnswer::NoChannel)
    }
}

/// Whether a line was no message, and heard by whoever it is for.
fn is_beside(line: &[u8], hear: &mut Option<LineListener>) -> bool {
    match hear {
        Some(hear) if line.starts_with(MARK) => {
            hear(line);
            true
        }
        _ => false,
    }
}
