//! The headers that only one message has, put straight where the request keeps them.

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::mirrored_headers::MirroredHeaders;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// Which conversation it belongs to, and what a modern server wants to see beside it.
#[derive(Debug, Default)]
pub(crate) struct MessageHeaders<'a> {
    pub(crate) session: Option<HeaderValue>,
    pub(crate) version: Option<HeaderValue>,
    pub(crate) last_event: Option<HeaderValue>,
    /// These count where they are among the others.
    pub(crate) mirrored: Option<&'a MirroredHeaders>,
}

impl MessageHeaders<'_> {
    /// The most that there are.
    pub(crate) fn most(&self) -> usize {
        3 + self.mirrored.map_or(0, MirroredHeaders::count)
    }

    pub(crate) fn put_into(&self, all: &mut HeaderMap) {
        let of_conversation =
            [(SESSION, &self.session), (VERSION, &self.version), (LAST_EVENT, &self.last_event)];
        for (name, value) in of_conversation {
            if let Some(value) = value {
                all.insert(name, value.clone());
            }
        }
        if let Some(mirrored) = self.mirrored {
            mirrored.put_into(all);
        }
    }
}
