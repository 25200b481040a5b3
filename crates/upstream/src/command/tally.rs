//! What is known of a run while it goes on, and after it: how much it printed, the end of that, and how
//! it ended. It outlives whoever waited for the run.

use parking_lot::Mutex;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::watch;
use toolgate_sandbox::{NetworkListener, NetworkLog, ProgramExit};
use toolgate_types::{NetworkDecision, PrintedStream};

use super::kept_output::KeptOutput;

/// One run, as it is known now.
pub struct CommandTally {
    kept: Mutex<KeptOutput>,
    exit: watch::Sender<Option<ProgramExit>>,
    has_begun: AtomicBool,
    network: NetworkLog,
}

/// The most that a caller is told of what a run had printed until it was ended.
const PARTIAL: usize = 32 << 10;

/// How a run went, for its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandFigures {
    /// None where a signal ended it, or where nobody knows yet.
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    pub stdout_bytes: u64,
    pub stderr_bytes: u64,
}

impl Default for CommandTally {
    fn default() -> Self {
        let (exit, has_begun) = (watch::Sender::new(None), AtomicBool::new(false));
        Self { kept: Mutex::default(), exit, has_begun, network: NetworkLog::default() }
    }
}

impl CommandTally {
    pub(super) fn feed(&self, stream: PrintedStream, bytes: &[u8]) {
        self.kept.lock().feed(stream, bytes);
    }

    pub(super) fn kept<T>(&self, look: impl FnOnce(&KeptOutput) -> T) -> T {
        look(&self.kept.lock())
    }

    /// What is kept, for who uses it up. How much there was is still known.
    pub(super) fn take_kept(&self) -> KeptOutput {
        let mut kept = self.kept.lock();
        let figures = (kept.stdout.total(), kept.stderr.total());
        let taken = std::mem::take(&mut *kept);
        kept.only_count(figures);
        taken
    }

    pub(super) fn begin(&self) {
        self.has_begun.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_ended(&self, exit: ProgramExit) {
        self.exit.send_replace(Some(exit));
    }

    /// Waits until everything of it has ended.
    pub async fn ended(&self) {
        let mut exit = self.exit.subscribe();
        let _ = exit.wait_for(Option::is_some).await;
    }

    /// The end of what it printed so far.
    pub fn partial(&self) -> Option<String> {
        let text = self.kept.lock().text()?;
        let from = text.ceil_char_boundary(text.len().saturating_sub(PARTIAL));
        Some(match from {
            0 => text,
            _ => format!("[{from} bytes are left out here]\n{}", &text[from..]),
        })
    }

    /// What it wanted of a network of names so far.
    pub fn network(&self) -> Vec<NetworkDecision> {
        self.network.decisions()
    }

    /// Nothing where it never ran.
    pub fn record(&self) -> Option<CommandFigures> {
        self.has_begun.load(Ordering::Relaxed).then(|| self.figures())
    }

    pub(super) fn figures(&self) -> CommandFigures {
        let (exit_code, signal) = match *self.exit.borrow() {
            Some(ProgramExit::Code(code)) => (Some(code), None),
            Some(ProgramExit::Signal(signal)) => (None, Some(signal)),
            Some(ProgramExit::Lost) | None => (None, None),
        };
        let kept = self.kept.lock();
        let (stdout_bytes, stderr_bytes) = (kept.stdout.total(), kept.stderr.total());
        CommandFigures { exit_code, signal, stdout_bytes, stderr_bytes }
    }
}

impl NetworkListener for CommandTally {
    fn decided(&self, decision: NetworkDecision) {
        self.network.note(&decision);
    }
}

/// What it printed may hold secrets, and what is debugged ends in logs.
impl fmt::Debug for CommandTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CommandTally").field(&self.figures()).finish()
    }
}
