//! `Accept` and `Content-Type`: the two media that MCP speaks over HTTP.
//!
//! Enough of content negotiation to tell JSON from an event stream; which of the two an answer
//! takes is decided where it is written.

use super::{EVENT_STREAM, JSON};

const BOTH: &[u8] = b"application/json, text/event-stream";

/// Which media the other side takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AcceptedMedia {
    pub json: bool,
    pub event_stream: bool,
}

impl AcceptedMedia {
    /// Reads the values of all `Accept` headers. None at all means anything, as HTTP has it.
    pub fn parse<'v>(values: impl IntoIterator<Item = &'v [u8]>) -> Self {
        let mut accepted = Self { json: false, event_stream: false };
        let mut is_there = false;
        for value in values {
            is_there = true;
            // As nearly every client says it.
            if value == BOTH {
                accepted = Self { json: true, event_stream: true };
                continue;
            }
            let text = String::from_utf8_lossy(value);
            for range in text.split(',') {
                accepted.json |= allows(range, JSON);
                accepted.event_stream |= allows(range, EVENT_STREAM);
            }
        }
        if is_there { accepted } else { Self { json: true, event_stream: true } }
    }

    /// What a client must accept to post.
    pub fn both(self) -> bool {
        self.json && self.event_stream
    }
}

fn allows(range: &str, media: &str) -> bool {
    let mut parts = range.split(';').map(str::trim);
    let range = parts.next().unwrap_or_default();
    let is_refused = parts.any(|parameter| {
        let weight =
            parameter.split_once('=').filter(|(name, _)| name.trim().eq_ignore_ascii_case("q"));
        weight.is_some_and(|(_, weight)| weight.trim().parse() == Ok(0.0_f32))
    });
    !is_refused && covers(range, media)
}

fn covers(range: &str, media: &str) -> bool {
    match (range.split_once('/'), media.split_once('/')) {
        (Some(("*", "*")), _) => true,
        (Some((kind, "*")), Some((ours, _))) => kind.eq_ignore_ascii_case(ours),
        _ => range.eq_ignore_ascii_case(media),
    }
}

/// What a server answered with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerMedia {
    Json,
    EventStream,
    /// Often HTML: the URL is not that of an MCP endpoint.
    Other,
}

impl AnswerMedia {
    /// From the value of `Content-Type`; parameters do not matter.
    pub fn of(content_type: &[u8]) -> Self {
        let essence = content_type.split(|byte| *byte == b';').next().unwrap_or_default();
        let essence = essence.trim_ascii();
        if essence.eq_ignore_ascii_case(JSON.as_bytes()) {
            Self::Json
        } else if essence.eq_ignore_ascii_case(EVENT_STREAM.as_bytes()) {
            Self::EventStream
        } else {
            Self::Other
        }
    }
}

/// Whether the body of a request says that it is JSON.
pub fn is_json(content_type: &[u8]) -> bool {
    AnswerMedia::of(content_type) == AnswerMedia::Json
}
