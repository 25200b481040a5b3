//! What a server offered when it was last asked, kept so that the next start need not wait for it.
//!
//! The text is not read here: what stands in it, what it is kept under and when it is too old are
//! the caller's to know.

/// How many are kept. A snapshot is a copy of what the server would say again, so losing one costs
/// a question; never losing any would let entries that were edited away fill the disk.
pub(crate) const MOST: u16 = 1000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// JSON, as text.
    pub body: String,
    /// In milliseconds since 1970.
    pub taken_at: u64,
}
