//! The person at the command line, as the daemon's code sees them.

use std::sync::Arc;

use toolgate_daemon::{RunConsole, RunObserver};
use toolgate_mask::Masker;
use toolgate_terminal::CommandOutput;

use crate::progress::ProgressSink;

/// Shows a run where a command prints.
pub(crate) struct CommandConsole<'a>(pub(crate) &'a mut CommandOutput);

impl RunConsole for CommandConsole<'_> {
    fn warn(&mut self, warning: &str) {
        self.0.warning(warning);
    }

    fn observer(&self, masker: &Masker) -> Arc<dyn RunObserver> {
        Arc::new(ProgressSink::new(self.0, masker))
    }
}
