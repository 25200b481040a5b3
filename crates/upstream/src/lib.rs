//! Connects to a server (local process, in process, Streamable HTTP, legacy SSE), in both protocol
//! eras, and carries requests and answers without changing them.
//!
//! A [`Connection`] is one connection; an [`Upstream`] is a configured server over time, with its
//! catalog; a [`Pool`] has the servers that hosts share. A tool is listed as it was accepted, with
//! what its server says beside it where that differs. Nothing here decides whether a call may be
//! made: whatever is done for a caller comes with the guard's proof, and what is pending is refused
//! before anything is started or dialled.

mod attendant;
mod catalog;
mod channel;
mod connection;
mod credential;
mod failure;
mod handshake;
mod http;
mod inbox;
mod instance;
mod listening;
mod open;
mod paging;
mod patience;
mod pending;
mod performing;
mod pool;
mod reply;
mod router;
mod sending;
mod server;
mod transport;

pub use attendant::Attendant;
pub use catalog::Listing;
pub use connection::{Ask, Connection};
pub use credential::Providers;
pub use failure::{ConnectError, ErrorReply, RequestError};
pub use handshake::Handshake;
pub use http::HttpFailure;
pub use instance::{PATIENCE, Retiring};
pub use listening::Wanted;
pub use open::Opening;
pub use paging::{Listed, PageLimits};
pub use performing::{Manner, forwarded_meta};
pub use pool::{Bounds, Full, Limit, Pool};
pub use router::Progress;
pub use server::{Allowances, Builtin, Held, HostNumber, Upstream, UpstreamError, World};
pub use toolgate_sandbox::{HelperPath, Spawner};
