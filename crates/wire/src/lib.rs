//! MCP on the wire, in both protocol eras: envelopes with raw payloads, framing, SSE, header rules.
//!
//! Sans-I/O: bytes become messages and messages become bytes, and nothing is opened, awaited or
//! timed. It never interprets what a tool takes or returns; payloads pass through as the bytes they
//! came in. What it does insist on is that every reader of a message reads the same: no key twice,
//! no member of the envelope in another case, bounded nesting and size.

pub mod abridge;
mod code;
mod envelope;
mod few_first;
pub mod header;
mod id;
mod json;
mod limits;
pub mod line;
mod list;
pub mod meta;
pub mod method;
mod object;
pub mod outcome;
mod request_era;
mod revision;
mod splice;
pub mod sse;
mod target;

pub use code::ErrorCode;
pub use envelope::{
    ErrorObject, IncomingMessages, Message, MessageKind, Notification, RejectReason,
    RejectedMessage, Request, Response, ResponseOutcome, ResultValue, peek_id, result_length,
    write_error, write_notification, write_request, write_result,
};
pub use id::{MessageId, MessageIdBuf};
pub use json::JsonError;
pub use limits::MessageLimits;
pub use list::{CacheScope, ListError, ListItem, ListMethod, ListPage, OddItem, SetAside};
pub use object::{ObjectError, ObjectMember, RawObject, text_of};
pub use revision::{ProtocolRevision, UnknownRevision};
pub use splice::{ObjectSplice, Payload, SpliceValue};
pub use target::{RequestTarget, TargetError, target_field};
pub use toolgate_types::Era;
