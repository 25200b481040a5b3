//! An answer with a result that is too long to hold: what is held of it is sent with the rest of each long
//! string from its file, as much at a time as the client takes.

mod long_reading;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::ops::Range;

use bytes::Bytes;
use parking_lot::Mutex;
use serde_json::value::RawValue;
use toolgate_types::StringRests;
use toolgate_wire::line::end_line;
use toolgate_wire::{ErrorCode, MessageIdBuf, write_error};

use crate::written_event::event;

pub(crate) use long_reading::LongReading;

/// Such an answer, as it is held.
#[derive(Debug)]
pub(crate) struct LongReply {
    id: MessageIdBuf,
    held: Vec<u8>,
    rests: StringRests,
}

/// The same as one line.
#[derive(Debug)]
pub(crate) struct LongReplyLine {
    pub(crate) reading: LongReading,
    /// What its client is told where it broke off.
    pub(crate) broken: Vec<u8>,
}

/// The same as an event, for whoever comes back for it until one client has all of it.
#[derive(Debug)]
pub(crate) struct LongReplyEvent(Mutex<Option<LongPieces>>);

/// What is sent one after the other.
#[derive(Debug, Clone)]
struct LongPieces {
    all: VecDeque<LongPiece>,
    rests: StringRests,
}

#[derive(Debug, Clone)]
enum LongPiece {
    Held(Bytes),
    InFile(Range<u64>),
}

impl LongReply {
    pub(crate) fn new(id: MessageIdBuf, held: Vec<u8>, rests: StringRests) -> Self {
        Self { id, held, rests }
    }

    /// For who gets one document.
    pub(crate) fn document(self) -> LongReading {
        LongReading::of(LongPieces::of(self.held, &self.rests))
    }

    pub(crate) fn line(self) -> LongReplyLine {
        let (broken, mut held) =
            (self.refused("the result could not be read to its end"), self.held);
        end_line(&mut held, 0);
        LongReplyLine { reading: LongReading::of(LongPieces::of(held, &self.rests)), broken }
    }

    pub(crate) fn event(self, id: Option<&str>) -> LongReplyEvent {
        let held = Vec::from(event(&self.held, id));
        LongReplyEvent(Mutex::new(Some(LongPieces::of(held, &self.rests))))
    }

    /// The answer of who cannot send it.
    pub(crate) fn refused(&self, why: &str) -> Vec<u8> {
        let mut out = Vec::new();
        let code = ErrorCode::INTERNAL_ERROR;
        write_error::<RawValue>(&mut out, Some(self.id.as_id()), code, why, None);
        out
    }
}

impl LongReplyEvent {
    /// Nothing once somebody has it.
    pub(crate) fn read(&self) -> Option<LongReading> {
        self.0.lock().clone().map(LongReading::of)
    }

    /// Somebody has it, and the disk is free of it.
    pub(crate) fn let_go(&self) {
        *self.0.lock() = None;
    }

    /// How much of it is in memory.
    pub(crate) fn held_bytes(&self) -> usize {
        let pieces = self.0.lock();
        let held = pieces.iter().flat_map(|pieces| &pieces.all).map(|piece| match piece {
            LongPiece::Held(bytes) => bytes.len(),
            LongPiece::InFile(_) => 0,
        });
        held.sum()
    }
}

impl LongPieces {
    fn of(held: Vec<u8>, rests: &StringRests) -> Self {
        let StringRests { mark, places, .. } = rests;
        let (held, mut all) = (Bytes::from(held), VecDeque::new());
        // Messages are text, and what stands before a mark and after it are parts of it.
        let mut text = std::str::from_utf8(&held).unwrap_or_default();
        while let Some((before, cut, after)) = mark.split(text)
            && let Some(place) = places.get(cut.number)
        {
            all.push_back(LongPiece::Held(held.slice_ref(before.as_bytes())));
            all.push_back(LongPiece::InFile(place.clone()));
            text = after;
        }
        all.push_back(LongPiece::Held(held.slice_ref(text.as_bytes())));
        Self { all, rests: rests.clone() }
    }

    fn bytes(&self) -> u64 {
        let bytes = |piece: &LongPiece| match piece {
            LongPiece::Held(bytes) => bytes.len() as u64,
            LongPiece::InFile(place) => place.end.saturating_sub(place.start),
        };
        self.all.iter().map(bytes).sum()
    }
}
