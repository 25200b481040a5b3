//! Hostile repositories, cloned and started: whatever they bring, no program of theirs runs and no
//! address of theirs is reached before a person accepted it.
//!
//! Each is looked at in two ways: by traps that it sets (programs that leave a mark, an address that
//! counts) and by an account of all system calls that execute or connect. That both can tell is shown
//! each time: once accepted, the same entries spring the same traps.

mod around;
mod asked_again;
mod elsewhere;
mod files;
mod links;
mod powers;
mod repository;
mod trace;
mod traps;
mod while_it_runs;
mod written;
