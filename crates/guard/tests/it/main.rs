//! What the guard decides, shown through its public functions.
//!
//! This file lists the modules; `world` holds what they share.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "clippy.toml exempts tests, not what they share"
)]

mod administrator;
mod approving;
mod attacks;
mod decide_run;
mod fuzzed;
mod ladders;
mod properties;
mod routing;
mod shown_arguments;
mod uris;
mod visibility;
mod world;
