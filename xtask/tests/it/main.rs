//! The tests of `xtask`: the rules hold in this repository, and each check finds what it is for.
//!
//! One binary. A sample is a string or a folder made for the test; nothing here edits the
//! repository.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod claims;
mod figures;
mod full;
mod imports;
mod no_policy;
mod openings;
mod printing;
mod raw_json;
mod reference;
mod repository;
mod requirements;
mod sample;
mod settings;
mod source;
mod spawning;
mod sql;
mod terminal;
mod this_repository;
mod workplace;
