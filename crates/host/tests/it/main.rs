//! A host with scripted servers: over pipes with a paused clock where only behaviour matters, as
//! real processes and at real ports where those do.
//!
//! This file lists the modules; `gate` holds what they share.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "clippy.toml exempts tests, not what they share"
)]

mod approving;
mod asking_meanwhile;
mod attending;
mod belonging;
mod both_eras;
mod bundles;
mod calls;
mod catalog;
mod commands;
mod exposure;
mod filling_disk;
mod gate;
mod journeys;
mod killing;
mod lifecycle;
mod neighbours;
mod new_sessions;
mod own_tools;
mod parking;
mod pinning;
mod policy;
mod pool;
mod process_walls;
mod processes;
mod promises;
mod reaching;
mod recording;
mod reloading;
mod rounds;
mod screening;
mod searching;
mod shaping;
mod states;
mod steps;
mod switching;
mod tasks;
mod traces;
mod written_tools;
