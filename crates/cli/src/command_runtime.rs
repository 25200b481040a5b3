//! What a verb waits with, where it waits for more than one answer: its own thread, until Ctrl-C.

use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::failure::CliFailure;

pub(crate) fn command_runtime() -> Result<Runtime, CliFailure> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| CliFailure::new(format!("cannot start: {error}")))
}

/// From here on Ctrl-C ends nothing by itself: it cancels, so that servers are told and closed.
pub(crate) fn cancelled_at_interrupt() -> CancellationToken {
    let interrupted = CancellationToken::new();
    // Without a handler Ctrl-C ends us at once, and what watches over the servers ends those.
    if let Ok(mut interrupt) = signal(SignalKind::interrupt()) {
        let interrupted = interrupted.clone();
        tokio::spawn(async move {
            if interrupt.recv().await.is_some() {
                interrupted.cancel();
            }
        });
    }
    interrupted
}
