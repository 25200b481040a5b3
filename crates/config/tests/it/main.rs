//! The configuration from outside: a module for each thing it can do.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "clippy.toml exempts tests, not what tests share"
)]

mod bad_input;
mod clients;
mod corpus;
mod discovery;
mod documented;
mod edit;
mod fuzzed;
mod layers;
mod not_yet;
mod policy;
mod samples;
mod schema;
mod secrets;
mod shapes;
mod show;
mod starters;
mod support;
mod trust;
mod variables;
