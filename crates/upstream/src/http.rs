//! HTTP as a client: one pooled client per server, TLS, proxy, and what went wrong in plain words.
//!
//! It knows nothing of MCP, follows no redirect by itself, and adds no header of its own.

mod client;
mod dial_rule;
mod failure;
mod login_fetch;
mod tls;

pub(crate) use client::{HttpClient, HttpSettings};
pub use failure::HttpFailure;
pub use login_fetch::LoginFetch;
