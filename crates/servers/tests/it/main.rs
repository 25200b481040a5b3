//! The first-party servers, reached over MCP as any other server is, on real folders.
//!
//! This file lists the modules; `session` holds what they share.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "clippy.toml exempts tests, not what they share"
)]

mod confinement;
mod definitions;
mod documents;
mod file_resources;
mod git_ground;
mod git_hostile;
mod git_reading;
mod git_secrets;
mod listing;
mod path_corpus;
mod private;
mod reading;
mod searching;
mod secrets;
mod session;
mod stopping;
mod workflow;
mod workflow_full_disk;
mod writing;
