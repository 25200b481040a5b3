//! The threads that a gateway runs on: one for each core serves connections, and one for each core does
//! what else there is to do.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use tokio::runtime::{Builder, Runtime};
use toolgate_control::CommandFailure;
use toolgate_gateway::ConnectionThreads;

pub(crate) fn runtime() -> Result<Runtime, CommandFailure> {
    let built = Builder::new_multi_thread().enable_all().build();
    built.map_err(|error| CommandFailure::new(format!("cannot start: {error}")))
}

pub(crate) fn connection_threads() -> Result<ConnectionThreads, CommandFailure> {
    let cores = available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let started = ConnectionThreads::start(cores);
    started.map_err(|error| CommandFailure::new(format!("cannot start: {error}")))
}
