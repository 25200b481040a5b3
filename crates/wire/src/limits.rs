//! How much of a message is read before it is refused.
//!
//! Plain numbers that the caller sets. Time limits and the caps on pages and items of a list belong
//! to whoever holds the connection.

/// The bounds of one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageLimits {
    /// The longest message, in bytes.
    pub bytes: usize,
    /// How deep arrays and objects may nest, the envelope included. The type keeps the recursion
    /// that reads them within any thread's stack.
    pub depth: u8,
    /// The most messages in one batch.
    pub batch: usize,
}

impl MessageLimits {
    pub const DEFAULT: Self = Self { bytes: 16 * 1024 * 1024, depth: 128, batch: 100 };
}

impl Default for MessageLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
