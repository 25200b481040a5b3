//! Reading events from bytes that come in any pieces.
//!
//! The common event, one data line within one piece, is handed out without copying. Everything else
//! goes through buffers that the cap bounds. What comes out depends on the bytes alone, never on
//! where they were cut.

use memchr::memchr2;

use super::block::{EventBlock, KEPT_CAPACITY, split_field};
use super::long_event::{LongEvent, LongEventPiece};
use super::{MESSAGE, SseEvent, SseItem};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

#[derive(Debug)]
pub struct SseDecoder {
    largest: usize,
    stream: DecodeState,
    block: EventBlock,
    /// The start of a line whose end has not come yet.
    partial: Vec<u8>,
    last_event_id: Option<String>,
    retry_ms: Option<u64>,
    /// Events beyond the cap are handed out as they come.
    follows_long: bool,
    long: Option<LongEvent>,
}

/// Where in the stream we are, between two pieces of it.
#[derive(Debug, Default)]
struct DecodeState {
    /// How much of a byte order mark was seen; `None` once the stream has begun.
    mark: Option<usize>,
    /// A carriage return ended the last line, so a newline now belongs to it.
    after_return: bool,
    /// The current line is a comment and is not kept.
    in_comment: bool,
    /// The current event is too large, and everything up to its end is dropped.
    skipping: bool,
    /// While skipping: the current line has something in it, so its end does not end the event.
    line_has_bytes: bool,
}

/// A data line that is still in the input, or none, or all of them in the buffer.
enum EventData<'i> {
    Here(&'i [u8]),
    Gathered,
}

impl SseDecoder {
    /// `largest` counts the bytes of an event's lines, comments and line ends not included.
    pub fn new(largest: usize) -> Self {
        Self {
            largest,
            stream: DecodeState { mark: Some(0), ..DecodeState::default() },
            block: EventBlock::default(),
            partial: Vec::new(),
            last_event_id: None,
            retry_ms: None,
            follows_long: false,
            long: None,
        }
    }

    /// The same, but the data of an event beyond the cap comes in parts instead of being skipped.
    pub fn following(largest: usize) -> Self {
        Self { follows_long: true, ..Self::new(largest) }
    }

    /// The id to send as `Last-Event-ID`: of the last event that ended, with data or without.
    pub fn last_event_id(&self) -> Option<&str> {
        self.last_event_id.as_deref()
    }

    /// How long the server asked to wait before reconnecting, if it ever did.
    pub fn retry_ms(&self) -> Option<u64> {
        self.retry_ms
    }

    /// Takes bytes off the front of `input` up to the end of the next event. `None` means that all
    /// of it was taken: come back with more. An event that the end of the stream cuts off is none.
    pub fn next<'s, 'i: 's>(&'s mut self, input: &mut &'i [u8]) -> Option<SseItem<'s>> {
        self.drop_spent();
        self.skip_mark(input);
        if self.long.is_some() {
            return self.next_of_long(input);
        }
        let mut data = EventData::Gathered;
        while !input.is_empty() {
            if std::mem::take(&mut self.stream.after_return) && input.first() == Some(&b'\n') {
                *input = input.get(1..).unwrap_or_default();
                continue;
            }
            let Some(end) = memchr2(b'\n', b'\r', input) else {
                let rest = std::mem::take(input);
                self.gather(data);
                if self.would_exceed(rest.len()) && !self.is_comment(rest) {
                    return Some(self.begin_long(rest, false));
                }
                return self.keep(rest);
            };
            let (line, rest) = input.split_at(end);
            self.stream.after_return = rest.first() == Some(&b'\r');
            *input = rest.get(1..).unwrap_or_default();
            if self.stream.skipping {
                let had_bytes = std::mem::take(&mut self.stream.line_has_bytes);
                self.stream.skipping = had_bytes || !line.is_empty();
                continue;
            }
            if std::mem::take(&mut self.stream.in_comment) {
                continue;
            }
            if !self.partial.is_empty() {
                self.gather(std::mem::replace(&mut data, EventData::Gathered));
                if self.would_exceed(line.len()) {
                    return Some(self.begin_long(line, true));
                }
                if !self.count(line.len()) {
                    return Some(self.too_large(false));
                }
                self.partial.extend_from_slice(line);
                self.end_partial();
                continue;
            }
            match line.first() {
                None => {
                    if let Some(event) = self.end_block(&mut data) {
                        return Some(SseItem::Event(self.hand_out(event)));
                    }
                }
                Some(b':') => {}
                Some(_) if self.would_exceed(line.len()) => {
                    self.gather(data);
                    return Some(self.begin_long(line, true));
                }
                Some(_) if !self.count(line.len()) => return Some(self.too_large(false)),
                Some(_) => self.take_line(line, &mut data),
            }
        }
        self.gather(data);
        None
    }

    fn would_exceed(&self, bytes: usize) -> bool {
        self.follows_long && !self.stream.skipping && self.block.size + bytes > self.largest
    }

    fn is_comment(&self, rest: &[u8]) -> bool {
        self.stream.in_comment || self.partial.is_empty() && rest.first() == Some(&b':')
    }

    /// From here on the event is handed out in parts; `line` is the rest of what is there of one.
    fn begin_long(&mut self, line: &[u8], is_ended: bool) -> SseItem<'_> {
        self.partial.extend_from_slice(line);
        let mut data = std::mem::take(&mut self.block.data);
        data.drain(..self.block.data_from.min(data.len()));
        self.block.data_from = 0;
        let line = std::mem::take(&mut self.partial);
        SseItem::Part(self.long.insert(LongEvent::new(data, &line, is_ended)).gathered())
    }

    fn next_of_long<'s, 'i: 's>(&'s mut self, input: &mut &'i [u8]) -> Option<SseItem<'s>> {
        let Self { long, stream, block, last_event_id, .. } = self;
        let event = long.as_mut()?;
        if let LongEventPiece::Data(data) = event.next(input, &mut stream.after_return)? {
            return Some(SseItem::Part(data));
        }
        if let Some(id) = &block.id {
            *last_event_id = (!id.is_empty()).then(|| id.clone());
        }
        block.is_spent = true;
        Some(SseItem::PartsEnd)
    }

    /// Takes a byte order mark off the start of the stream.
    fn skip_mark(&mut self, input: &mut &[u8]) {
        while let (Some(seen), Some((byte, rest))) = (self.stream.mark, input.split_first()) {
            if BYTE_ORDER_MARK.get(seen) == Some(byte) {
                *input = rest;
                self.stream.mark = (seen + 1 < BYTE_ORDER_MARK.len()).then_some(seen + 1);
                continue;
            }
            // It only looked like one: what was taken is the start of the first line.
            self.stream.mark = None;
            if self.count(seen) {
                self.partial.extend(BYTE_ORDER_MARK.iter().take(seen));
            }
        }
    }

    /// Adds to the size of the event; false once it is too large.
    fn count(&mut self, bytes: usize) -> bool {
        self.block.size += bytes;
        self.block.size <= self.largest
    }

    /// The rest of the input has no line end.
    fn keep(&mut self, rest: &[u8]) -> Option<SseItem<'static>> {
        if self.stream.skipping {
            self.stream.line_has_bytes = true;
            return None;
        }
        if self.stream.in_comment {
            return None;
        }
        if self.partial.is_empty() && rest.first() == Some(&b':') {
            self.stream.in_comment = true;
            return None;
        }
        if !self.count(rest.len()) {
            return Some(self.too_large(true));
        }
        self.partial.extend_from_slice(rest);
        None
    }

    fn too_large(&mut self, within_line: bool) -> SseItem<'static> {
        self.stream.skipping = true;
        self.stream.line_has_bytes = within_line;
        self.partial.clear();
        self.block.is_spent = true;
        SseItem::TooLarge
    }

    /// Moves a data line out of the input before that goes away.
    fn gather(&mut self, data: EventData<'_>) {
        if let EventData::Here(line) = data {
            self.block.push_data(line);
        }
    }

    fn take_line<'i>(&mut self, line: &'i [u8], data: &mut EventData<'i>) {
        let (field, value) = split_field(line);
        if field != b"data" {
            return self.take_field(field, value);
        }
        let is_first = !self.block.has_data && matches!(data, EventData::Gathered);
        if is_first {
            *data = EventData::Here(value);
            return;
        }
        self.gather(std::mem::replace(data, EventData::Gathered));
        self.block.push_data(value);
    }

    /// A line that came in pieces is complete.
    fn end_partial(&mut self) {
        let line = std::mem::take(&mut self.partial);
        let (field, value) = split_field(&line);
        if field == b"data" {
            let from = line.len() - value.len();
            if self.block.has_data {
                self.block.push_data(value);
            } else {
                self.block.data_from = from;
                self.block.has_data = true;
                // The buffers change places instead of copying what may be a large message.
                self.partial = std::mem::replace(&mut self.block.data, line);
                self.partial.clear();
                return;
            }
        } else {
            self.take_field(field, value);
        }
        self.partial = line;
        self.partial.clear();
    }

    fn take_field(&mut self, field: &[u8], value: &[u8]) {
        match field {
            b"event" => {
                self.block.name.clear();
                self.block.name.push_str(&String::from_utf8_lossy(value));
            }
            b"id" if !value.contains(&0) => {
                self.block.id = Some(String::from_utf8_lossy(value).into_owned());
            }
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                let digits = str::from_utf8(value).ok();
                self.retry_ms = digits.and_then(|digits| digits.parse().ok()).or(self.retry_ms);
            }
            _ => {}
        }
    }

    /// An empty line: the event is complete if it has data; its id counts either way.
    fn end_block<'i>(&mut self, data: &mut EventData<'i>) -> Option<EventData<'i>> {
        self.block.is_spent = true;
        if let Some(id) = &self.block.id {
            // An empty id takes back an earlier one.
            self.last_event_id = (!id.is_empty()).then(|| id.clone());
        }
        let data = std::mem::replace(data, EventData::Gathered);
        if self.block.has_data || matches!(data, EventData::Here(_)) {
            return Some(data);
        }
        self.drop_spent();
        None
    }

    fn hand_out<'s>(&'s self, data: EventData<'s>) -> SseEvent<'s> {
        let block = &self.block;
        let data = match data {
            EventData::Here(line) => line,
            EventData::Gathered => block.data.get(block.data_from..).unwrap_or_default(),
        };
        let name = if block.name.is_empty() { MESSAGE } else { &block.name };
        SseEvent { name, data, id: block.id.as_deref() }
    }

    fn drop_spent(&mut self) {
        if self.block.is_spent {
            self.partial.shrink_to(KEPT_CAPACITY);
            self.block.clear();
            self.long = None;
        }
    }
}
