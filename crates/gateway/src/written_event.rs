//! A message as an event of a stream.

use bytes::Bytes;
use toolgate_wire::sse::{MESSAGE, SseEvent, write_event};

/// One message as an event.
pub(crate) fn event(message: &[u8], id: Option<&str>) -> Bytes {
    let mut out = Vec::with_capacity(message.len() + 48);
    // Ids are ours and plain, so nothing can break out of them.
    let _ = write_event(&mut out, &SseEvent { name: MESSAGE, data: message, id }, None);
    out.into()
}
