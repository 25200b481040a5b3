//! HTTP as a client: one pooled client per server, TLS, proxy, and what went wrong in plain words.
//!
//! It knows nothing of MCP, follows no redirect by itself, and adds no header of its own.

mod client;
mod connect;
mod dial_rule;
mod failure;
mod idle_connections;
mod login_fetch;
mod own_connection;
mod pool;
mod pooled_body;
mod tls;

pub(crate) use client::{HttpClient, HttpSettings};
pub use failure::HttpFailure;
pub use login_fetch::LoginFetch;
pub(crate) use pooled_body::PooledBody;
