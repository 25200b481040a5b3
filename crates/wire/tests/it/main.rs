//! The wire as its users see it: whole messages, whole streams, every cut.
//!
//! Samples are text files beside the modules. Nothing here opens a connection.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "clippy.toml exempts tests, not what tests share"
)]

mod annotations;
mod corpus;
mod cuts;
mod fuzzed;
mod headers;
mod json_text;
mod payloads;
mod splices;
mod unchanged;
