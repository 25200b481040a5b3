//! Batches: several messages in one JSON array, which only revision 2025-03-26 has.
//!
//! A bad message in a batch is refused by itself. Answering a batch with a batch is for the caller,
//! who knows when the last answer is there.

use super::read::{self, one};
use super::{Message, RejectReason, RejectedMessage};
use crate::{MessageLimits, ProtocolRevision};

/// What one line or one HTTP body holds.
#[expect(
    clippy::large_enum_variant,
    reason = "one is read at a time, and nearly always it is `One`"
)]
#[derive(Debug, Clone)]
pub enum IncomingMessages<'a> {
    One(Message<'a>),
    Batch(Vec<Result<Message<'a>, RejectedMessage>>),
}

impl<'a> IncomingMessages<'a> {
    /// Reads a message, or a batch if the peer speaks the one revision that has them.
    pub fn parse(
        bytes: &'a [u8],
        peer: ProtocolRevision,
        limits: &MessageLimits,
    ) -> Result<Self, RejectedMessage> {
        let mut scanner = read::scanner(bytes, limits)?;
        if scanner.peek() != Some(b'[') {
            return read::message_in(scanner).map(Self::One);
        }
        if !peer.has_batches() {
            return Err(RejectReason::Batch.into());
        }
        let mut messages = Vec::new();
        let mut is_too_long = false;
        let text = scanner.text();
        let scanned = scanner.array(|scanner| {
            if messages.len() < limits.batch {
                messages.push(one(scanner)?);
                return Ok(());
            }
            is_too_long = true;
            scanner.skip()
        });
        let scanned = scanned.and_then(|()| scanner.end());
        if is_too_long {
            return Err(RejectReason::BatchTooLong { limit: limits.batch }.into());
        }
        scanned.map_err(|fault| RejectReason::Json(fault.explain(text)))?;
        if messages.is_empty() {
            return Err(RejectReason::EmptyBatch.into());
        }
        Ok(Self::Batch(messages))
    }
}
