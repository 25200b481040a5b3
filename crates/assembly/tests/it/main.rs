//! A host as files describe it, and what it brings itself. This file lists the modules.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "clippy.toml exempts tests, not what they share"
)]

mod agent_example;
mod kept_results;
mod suite_served;
