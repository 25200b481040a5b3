//! Connects to a server (local process, in process, Streamable HTTP, legacy SSE), in both protocol
//! eras, and carries requests and answers without changing them.
//!
//! Nothing here decides whether a call may be made, keeps a catalog or restarts a server; what is
//! pending is refused before anything is started or dialled.

mod channel;
mod connection;
mod failure;
mod handshake;
mod http;
mod inbox;
mod open;
mod paging;
mod pending;
mod reply;
mod router;
mod sending;
mod transport;

pub use connection::{Ask, Connection};
pub use failure::{ConnectError, ErrorReply, RequestError};
pub use handshake::Handshake;
pub use http::HttpFailure;
pub use open::Opening;
pub use paging::{Listed, PageLimits};
pub use router::Progress;
