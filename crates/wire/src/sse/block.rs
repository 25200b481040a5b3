//! The event that a decoder is gathering, line by line.
//!
//! Only the buffers and how they grow; when a block begins, ends or is too large is decided by the
//! decoder.

use memchr::memchr;

/// What a buffer may keep between events after a large one.
pub(super) const KEPT_CAPACITY: usize = 64 * 1024;

/// The event that is being gathered.
#[derive(Debug, Default)]
pub(super) struct EventBlock {
    pub(super) size: usize,
    pub(super) name: String,
    pub(super) id: Option<String>,
    pub(super) data: Vec<u8>,
    /// Where in `data` the data begins: a line that came in pieces is kept with its field name.
    pub(super) data_from: usize,
    pub(super) has_data: bool,
    /// The block was handed out and goes with the next call.
    pub(super) is_spent: bool,
}

impl EventBlock {
    pub(super) fn push_data(&mut self, line: &[u8]) {
        if std::mem::replace(&mut self.has_data, true) {
            self.data.push(b'\n');
        }
        self.data.extend_from_slice(line);
    }

    pub(super) fn clear(&mut self) {
        self.size = 0;
        self.name.clear();
        self.id = None;
        self.data.clear();
        self.data.shrink_to(KEPT_CAPACITY);
        self.data_from = 0;
        self.has_data = false;
        self.is_spent = false;
    }
}

/// The name of a field and its value, without the one space that may follow the colon.
pub(super) fn split_field(line: &[u8]) -> (&[u8], &[u8]) {
    let Some(colon) = memchr(b':', line) else { return (line, b"") };
    let (field, value) = line.split_at(colon);
    let value = value.get(1..).unwrap_or_default();
    (field, value.strip_prefix(b" ").unwrap_or(value))
}
