//! How long anything here waits for another process.

use std::time::Duration;

pub(super) const PATIENCE: Duration = Duration::from_secs(5);
