//! The data of an event that is beyond the cap, in parts.

use memchr::memchr2;

use super::block::split_field;

/// How much of a line tells whether it is one of data.
const TELLING: usize = b"data: ".len();

/// Where in the lines of a long event.
#[derive(Debug, Default)]
pub(super) struct LongEvent {
    line: LongEventLine,
    /// What is handed out next, if it is not in the input.
    out: Vec<u8>,
    has_data: bool,
}

#[derive(Debug)]
enum LongEventLine {
    /// Its first bytes.
    Start(Vec<u8>),
    Data,
    Other,
}

impl Default for LongEventLine {
    fn default() -> Self {
        Self::Start(Vec::new())
    }
}

/// What comes of some input.
pub(super) enum LongEventPiece<'a> {
    Data(&'a [u8]),
    /// The empty line after the event.
    End,
}

impl LongEvent {
    /// An event of which this is the data so far, and this the line that is being read.
    pub(super) fn new(data: Vec<u8>, line: &[u8], is_ended: bool) -> Self {
        let mut event = Self { has_data: !data.is_empty(), out: data, ..Self::default() };
        event.take_start(line, is_ended);
        event
    }

    /// What was gathered before it turned out to be long.
    pub(super) fn gathered(&self) -> &[u8] {
        &self.out
    }

    /// Takes the next piece off the input; nothing if all of it was taken.
    pub(super) fn next<'s, 'i: 's>(
        &'s mut self,
        input: &mut &'i [u8],
        after_return: &mut bool,
    ) -> Option<LongEventPiece<'s>> {
        self.out.clear();
        while !input.is_empty() {
            if std::mem::take(after_return) && input.first() == Some(&b'\n') {
                *input = &input[1..];
                continue;
            }
            let end = memchr2(b'\n', b'\r', input);
            let line = match end {
                Some(end) => {
                    let (line, rest) = input.split_at(end);
                    *after_return = rest.first() == Some(&b'\r');
                    *input = &rest[1..];
                    line
                }
                None => std::mem::take(input),
            };
            match &mut self.line {
                LongEventLine::Data => {
                    if end.is_some() {
                        self.line = LongEventLine::default();
                    }
                    return Some(LongEventPiece::Data(line));
                }
                LongEventLine::Other => {
                    if end.is_some() {
                        self.line = LongEventLine::default();
                    }
                }
                LongEventLine::Start(start) => {
                    let whole = [start.as_slice(), line].concat();
                    if whole.is_empty() && end.is_some() {
                        return Some(LongEventPiece::End);
                    }
                    self.take_start(&whole, end.is_some());
                    if !self.out.is_empty() {
                        return Some(LongEventPiece::Data(&self.out));
                    }
                }
            }
        }
        None
    }

    /// A line of which so much is there. Lines of data are joined by newlines.
    fn take_start(&mut self, line: &[u8], is_ended: bool) {
        if line.len() < TELLING && !is_ended {
            self.line = LongEventLine::Start(line.to_vec());
            return;
        }
        let (field, value) = split_field(line);
        let is_data = field == b"data";
        if is_data {
            if std::mem::replace(&mut self.has_data, true) {
                self.out.push(b'\n');
            }
            self.out.extend_from_slice(value);
        }
        self.line = match (is_ended, is_data) {
            (true, _) => LongEventLine::default(),
            (false, true) => LongEventLine::Data,
            (false, false) => LongEventLine::Other,
        };
    }
}
