//! The threads that a gateway runs on: one for each core.

use tokio::runtime::{Builder, Runtime};

use crate::failure::Failure;

pub(crate) fn runtime() -> Result<Runtime, Failure> {
    let built = Builder::new_multi_thread().enable_all().build();
    built.map_err(|error| Failure::new(format!("cannot start: {error}")))
}
