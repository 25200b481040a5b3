//! Ctrl-C at a question that comes after something was hosted. Hosting takes the signal for good, so
//! that servers are closed first; at a question there is nothing to close, and nothing half done.

use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::failure::Exit;

/// As long as it is held, Ctrl-C ends this process.
pub(super) struct EndsAtInterrupt(#[expect(dead_code, reason = "held")] Option<DropGuard>);

impl EndsAtInterrupt {
    pub(super) fn begin() -> Self {
        // Where nobody hears the signal, the question still has a "no".
        let Ok((runtime, interrupt)) = listening() else { return Self(None) };
        let over = CancellationToken::new();
        let guard = over.clone().drop_guard();
        std::thread::spawn(move || runtime.block_on(end_at(interrupt, over)));
        Self(Some(guard))
    }
}

/// Heard from here on, and not only once a thread has begun.
fn listening() -> std::io::Result<(Runtime, Signal)> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let interrupt = {
        let _entered = runtime.enter();
        signal(SignalKind::interrupt())?
    };
    Ok((runtime, interrupt))
}

async fn end_at(mut interrupt: Signal, over: CancellationToken) {
    if over.run_until_cancelled(interrupt.recv()).await.flatten().is_some() {
        std::process::exit(Exit::Interrupted as i32);
    }
}
