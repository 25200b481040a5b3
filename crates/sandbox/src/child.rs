//! A running process as its owner sees it.
//!
//! It knows when to ask and when to insist; how a tree is found and ended is the tree's matter, and
//! what is said over the streams is the caller's.

use std::time::Duration;

use tokio::time::timeout;
use tracing::debug;

use crate::stdio::OwnStreamEnds;
use crate::{
    ChildStderr, ChildStdin, ChildStdout, GuardedTree, PassedLimit, ProgramExit, Signal,
    SignalError, WallRefusal,
};

/// Nothing that can be ended at all survives `SIGKILL` for so long.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// A running process. Dropping it kills everything it started, at once.
#[derive(Debug)]
pub struct ChildProcess {
    /// There until somebody takes it. Dropping it is how the child learns that it is over.
    pub stdin: Option<ChildStdin>,
    /// Ends when nobody in the tree holds it any more, which may be long after the program.
    pub stdout: Option<ChildStdout>,
    /// Only where it is piped.
    pub stderr: Option<ChildStderr>,
    tree: GuardedTree,
}

impl ChildProcess {
    pub(crate) fn new(tree: GuardedTree, ours: OwnStreamEnds) -> Self {
        let OwnStreamEnds { stdin, stdout, stderr } = ours;
        Self { stdin: Some(stdin), stdout: Some(stdout), stderr, tree }
    }

    /// The process id of the program, which is also that of its group.
    pub fn pid(&self) -> u32 {
        self.tree.pid()
    }

    /// Waits until the program itself ends; what it started may go on. Can be cancelled and asked
    /// again, and answers the same ever after. It closes no stream.
    pub async fn wait(&mut self) -> ProgramExit {
        self.tree.exited().await
    }

    /// What the tree was killed for using too much of; known once the program has ended.
    pub fn passed_limit(&self) -> Option<PassedLimit> {
        self.tree.passed()
    }

    /// What the walls refused the tree, as far as it was seen, each once; known once the program has ended.
    pub fn refusals(&self) -> &[WallRefusal] {
        self.tree.refusals()
    }

    /// Sends a signal to the program's group; once the program has ended, to all that is left of
    /// its tree.
    pub fn signal(&self, signal: Signal) -> Result<(), SignalError> {
        self.tree.signal(signal)
    }

    /// Ends the whole tree, as gently as it lets us: closes standard input and waits up to `grace`
    /// for the program; sends `SIGTERM` and waits up to `grace` for everything; kills what is left.
    ///
    /// A caller that took `stdin` drops it first. On return nothing of the tree is left, unless the
    /// kernel itself cannot end it; then the answer is [`ProgramExit::Lost`] and the reaper goes on trying.
    pub async fn shutdown(&mut self, grace: Duration) -> ProgramExit {
        drop(self.stdin.take());
        // What a program leaves behind has no standard input to notice, so it is told at once.
        let _ = timeout(grace, self.tree.exited()).await;
        let _ = self.signal(Signal::Terminate);
        let process = self.pid();
        if timeout(grace, self.tree.emptied()).await.is_err() {
            debug!(process, ?grace, "process tree does not end by itself: killed");
            self.tree.kill();
            if timeout(LAST_WAIT, self.tree.emptied()).await.is_err() {
                debug!(process, "process tree cannot be ended");
                return ProgramExit::Lost;
            }
        }
        let exit = self.tree.exited().await;
        debug!(process, %exit, "process tree ended");
        exit
    }
}
