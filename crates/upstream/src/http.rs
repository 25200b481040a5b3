//! HTTP as a client: one pooled client per server, TLS, proxy, and what went wrong in plain words.
//!
//! It knows nothing of MCP, follows no redirect by itself, and adds no header of its own.

mod client;
mod failure;
mod tls;

pub(crate) use client::{HttpClient, HttpSettings};
pub use failure::HttpFailure;
