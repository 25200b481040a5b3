//! A gateway on a real port, with a real host and scripted servers behind it, and clients that are
//! nothing but HTTP.
//!
//! This file lists the modules; `gate` and `client` hold what they share.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "clippy.toml exempts tests, not what they share"
)]

mod agents;
mod approving;
mod batches;
mod bodies;
mod calls;
mod client;
mod control;
mod ending;
mod events;
mod exposure;
mod failing;
mod gate;
mod lines;
mod list_waits;
mod lists;
mod log_levels;
mod long_messages;
mod long_results;
mod metrics;
mod modern;
mod neighbours;
mod news;
mod questions;
mod refusing;
mod roles;
mod sessions;
mod silent;
mod streams;
mod subjects;
mod unknown;
mod unknown_members;
mod uris;
