//! Server-sent events: a stream of bytes becomes events, events become bytes.
//!
//! It follows the event stream format of the HTML standard. Reconnecting, and what an event's data
//! says, is for the caller; data stays bytes, since reading it as a message checks the encoding.

mod block;
mod decode;
mod encode;
mod long_event;

pub use decode::SseDecoder;
pub use encode::{FieldError, write_comment, write_event};

/// One event of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SseEvent<'a> {
    /// `message` if the stream names none.
    pub name: &'a str,
    /// The data lines, joined by newlines.
    pub data: &'a [u8],
    /// The id that came with this very event. The one to resume from is
    /// [`SseDecoder::last_event_id`], which also remembers ids of earlier events.
    pub id: Option<&'a str>,
}

/// What a decoder has to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SseItem<'a> {
    Event(SseEvent<'a>),
    /// An event beyond the cap, told as soon as it is and skipped to its end.
    TooLarge,
    /// A piece of the data of an event beyond the cap, where those are followed.
    Part(&'a [u8]),
    /// All of that data was handed out.
    PartsEnd,
}

/// The name of an event that has none.
pub const MESSAGE: &str = "message";
/// The name of the first event of the older HTTP+SSE transport, whose data is the URL to post to.
pub const ENDPOINT: &str = "endpoint";

#[cfg(test)]
mod tests;
