//! The person at the command line, as the daemon's code sees them.

use std::sync::Arc;

use toolgate_daemon::{RunConsole, RunObserver};
use toolgate_mask::Masker;

use crate::output::Output;
use crate::progress::Progress;

impl RunConsole for Output {
    fn warn(&mut self, warning: &str) {
        self.warning(warning);
    }

    fn observer(&self, masker: &Masker) -> Arc<dyn RunObserver> {
        Arc::new(Progress::new(self, masker))
    }
}
