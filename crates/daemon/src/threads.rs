//! The threads that a gateway runs on: one for each core.

use tokio::runtime::{Builder, Runtime};
use toolgate_control::CommandFailure;

pub(crate) fn runtime() -> Result<Runtime, CommandFailure> {
    let built = Builder::new_multi_thread().enable_all().build();
    built.map_err(|error| CommandFailure::new(format!("cannot start: {error}")))
}
