//! The HTTP headers of both eras: their names, what a client sends, what a server checks.
//!
//! No HTTP here: headers come in through a closure and go out as names and values. Host and Origin,
//! credentials and status codes belong to the listener.

mod annotation;
mod check;
mod media;
mod params;
mod schema;
mod send;
mod session;
mod value;

pub use annotation::{AnnotationError, ParamHeaders};
pub use check::{HeaderField, HeaderMismatch, check_headers, check_headers_of_version};
pub use media::{AcceptedMedia, AnswerMedia, is_json};
pub use params::ParamError;
pub use send::{OutgoingHeader, Unsendable, request_headers};
pub use session::{HeaderSessionId, InvalidSessionId};
pub use value::{InvalidValue, decode_value, encode_value};

pub const PROTOCOL_VERSION: &str = "MCP-Protocol-Version";
/// Up to 2025-11-25.
pub const SESSION_ID: &str = "MCP-Session-Id";
/// Up to 2025-11-25.
pub const LAST_EVENT_ID: &str = "Last-Event-ID";
/// From 2026-07-28 on, like the next two.
pub const METHOD: &str = "Mcp-Method";
pub const NAME: &str = "Mcp-Name";
/// Followed by the name that a tool's input schema gives.
pub const PARAM_PREFIX: &str = "Mcp-Param-";
pub const ACCEPT: &str = "Accept";
pub const CONTENT_TYPE: &str = "Content-Type";
/// Keeps reverse proxies from holding back what is streamed; the value is `no`.
pub const ACCEL_BUFFERING: &str = "X-Accel-Buffering";

pub const JSON: &str = "application/json";
pub const EVENT_STREAM: &str = "text/event-stream";
/// What a client accepts in answer to a POST.
pub const ACCEPT_BOTH: &str = "application/json, text/event-stream";

#[cfg(test)]
mod tests;
