//! A process tree behind its reapers, as the parent sees it (Linux).
//!
//! It starts the helper, hands over the plan, and reads what the helper reports. What the helper
//! does is in `reap`; both ends agree on `protocol`.

mod handover;

use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use nix::errno::Errno;
use nix::sys::signal::{Signal as Number, killpg};
use nix::sys::socket::{MsgFlags, send};
use nix::unistd::Pid;
use tokio::net::UnixStream;
use tokio::process::Child as Helper;
use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tracing::debug;

use crate::network::{self, NetworkGate};
use crate::plan::SpawnPlan;
use crate::protocol::{ReaperOrder, ReaperReport, SeenRefusal, StartStage};
use crate::stdio::ChildStreamEnds;
use crate::walls::Walls;
use crate::{
    HelperError, HelperPath, NetworkListener, NetworkLog, PassedLimit, ProgramExit, Signal,
    SignalError, SpawnError, WallRefusal,
};

#[derive(Debug)]
pub(crate) struct GuardedTree {
    /// The program, which leads its own group; 0 until it runs.
    pid: i32,
    /// Ours alone: that it closes is what tells the reapers that we are gone.
    socket: UnixStream,
    /// The part of a report that has arrived.
    partial: Vec<u8>,
    /// The outer reaper. Taken only when this is dropped.
    helper: Option<Helper>,
    exit: Option<ProgramExit>,
    /// The first process behind its walls, where it has any.
    first: Option<i32>,
    passed: Option<PassedLimit>,
    /// What it reaches, where that is a network of names; ends with it.
    gate: JoinSet<()>,
    /// What is protected behind its walls, seen from the workspace.
    protected: Vec<String>,
    refusals: Vec<WallRefusal>,
}

impl GuardedTree {
    pub(crate) async fn start(
        helper: &HelperPath,
        plan: &SpawnPlan,
        theirs: ChildStreamEnds,
        network: Option<Arc<dyn NetworkListener>>,
        shown: &str,
        folder: &Path,
    ) -> Result<Self, SpawnError> {
        let path = helper.check()?;
        let (socket, helper) = handover::start(path)?;
        let mut tree = Self {
            pid: 0,
            socket,
            partial: Vec::new(),
            helper: Some(helper),
            exit: None,
            first: None,
            passed: None,
            gate: JoinSet::new(),
            protected: plan.walls.as_ref().map(Walls::protected_names).unwrap_or_default(),
            refusals: Vec::new(),
        };
        let link = tree.open_network(plan, network)?;
        handover::greet(&mut tree, path, plan, theirs, link).await?;
        loop {
            match tree.report().await {
                // Two processes tell these, so either may come first.
                Some(ReaperReport::First(pid)) => tree.first = Some(pid),
                Some(ReaperReport::Started(pid)) => tree.pid = pid,
                // What is short may be over before the other one has said its word.
                Some(
                    ReaperReport::Refused(_) | ReaperReport::Passed(_) | ReaperReport::Ended(_),
                ) if tree.pid > 0 => {}
                Some(ReaperReport::Failed(stage, errno)) => {
                    return Err(tree.failed((stage, errno), shown, folder).await);
                }
                _ => return Err(HelperError::Lost(path.to_owned()).into()),
            }
            match (tree.pid, plan.walls.as_ref().is_some_and(Walls::has_own_tree), tree.first) {
                (0, ..) | (_, true, None) => {}
                (_, false, _) => return Ok(tree),
                (_, true, Some(first)) => {
                    // The number that was told counts behind the walls alone.
                    tree.pid = only_child(first).unwrap_or(first);
                    return Ok(tree);
                }
            }
        }
    }

    /// Where its network is one of names: the gate's end of it serves from now on, and the other end is to
    /// be handed over.
    fn open_network(
        &mut self,
        plan: &SpawnPlan,
        listener: Option<Arc<dyn NetworkListener>>,
    ) -> Result<Option<OwnedFd>, SpawnError> {
        let asking = plan.walls.as_ref().filter(|walls| walls.asks_gate());
        let Some(access) = asking.map(|walls| &walls.network) else { return Ok(None) };
        let (ours, theirs) =
            network::link_pair().map_err(|source| SpawnError::Resources { source })?;
        let gate = NetworkGate::new(
            access.clone(),
            listener.unwrap_or_else(|| Arc::new(NetworkLog::default())),
        );
        self.gate.spawn(async move {
            if let Err(error) = gate.serve(ours).await {
                debug!(%error, "a sandbox's way to the network broke");
            }
        });
        Ok(Some(theirs))
    }

    async fn failed(
        &mut self,
        (stage, errno): (StartStage, i32),
        shown: &str,
        folder: &Path,
    ) -> SpawnError {
        self.emptied().await;
        let source = Errno::from_raw(errno).into();
        match stage {
            StartStage::Prepare => SpawnError::Resources { source },
            StartStage::Walls => SpawnError::Unwalled { source },
            StartStage::Bubblewrap => SpawnError::Unbuilt,
            StartStage::Folder => SpawnError::Folder { path: folder.to_owned(), source },
            StartStage::Execute => SpawnError::Execute { program: shown.to_owned(), source },
        }
    }

    /// What its tree was killed for using too much of.
    pub(crate) fn passed(&self) -> Option<PassedLimit> {
        self.passed
    }

    /// What its walls refused, as far as it was seen.
    pub(crate) fn refusals(&self) -> &[WallRefusal] {
        &self.refusals
    }

    /// A report that names nothing in the list is dropped.
    fn note(&mut self, refused: SeenRefusal) {
        let refusal = match refused {
            SeenRefusal::Protected(index) => {
                self.protected.get(usize::from(index)).cloned().map(WallRefusal::Protected)
            }
            SeenRefusal::WriteOutside => Some(WallRefusal::WriteOutside),
            SeenRefusal::WriteHidden => Some(WallRefusal::WriteHidden),
            SeenRefusal::NetworkOff => Some(WallRefusal::NetworkOff),
        };
        let is_new = |refusal: &WallRefusal| !self.refusals.contains(refusal);
        let new = refusal.filter(is_new);
        self.refusals.extend(new);
    }

    pub(crate) fn pid(&self) -> u32 {
        self.pid.unsigned_abs()
    }

    pub(crate) async fn exited(&mut self) -> ProgramExit {
        loop {
            if let Some(exit) = self.exit {
                return exit;
            }
            if self.report().await.is_none() {
                self.lose().await;
            }
        }
    }

    /// Waits until nothing of the tree is left, the reapers included.
    pub(crate) async fn emptied(&mut self) {
        while self.report().await.is_some() {}
        if self.exit.is_none() {
            self.lose().await;
        }
        if let Some(helper) = &mut self.helper {
            let _ = helper.wait().await;
        }
    }

    pub(crate) fn signal(&self, signal: Signal) -> Result<(), SignalError> {
        self.order(ReaperOrder::Signal(signal.into())).map_err(|_| SignalError)
    }

    pub(crate) fn kill(&self) {
        let _ = self.order(ReaperOrder::Kill);
    }

    /// One byte always fits, so this does not wait.
    fn order(&self, order: ReaperOrder) -> nix::Result<()> {
        let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_NOSIGNAL;
        send(self.socket.as_raw_fd(), &[order.to_byte()], flags).map(drop)
    }

    /// The next report; `None` when both reapers are gone. Can be cancelled.
    async fn report(&mut self) -> Option<ReaperReport> {
        loop {
            let mut bytes = [0; ReaperReport::SIZE];
            let missing = bytes.get_mut(self.partial.len()..)?;
            self.socket.readable().await.ok()?;
            match self.socket.try_read(missing) {
                Ok(0) => return None,
                Ok(read) => self.partial.extend_from_slice(missing.get(..read)?),
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => continue,
                Err(_) => return None,
            }
            let Ok(whole) = <[u8; ReaperReport::SIZE]>::try_from(self.partial.as_slice()) else {
                continue;
            };
            self.partial.clear();
            let report = ReaperReport::from_bytes(whole)?;
            match report {
                ReaperReport::Ended(exit) => self.exit = Some(exit),
                ReaperReport::Passed(limit) => self.passed = Some(limit),
                ReaperReport::Refused(refused) => self.note(refused),
                _ => {}
            }
            return Some(report);
        }
    }

    /// Nobody is left to report. An outer reaper that ended by itself has ended the tree; if it was
    /// killed as well, the group is all we can still name.
    async fn lose(&mut self) {
        let Some(helper) = &mut self.helper else { return };
        let ended_the_tree = helper.wait().await.is_ok_and(|status| status.success());
        // Behind walls nothing outlives the first process, which ends with the outer reaper.
        if !ended_the_tree && self.pid > 0 && self.first.is_none() {
            let _ = killpg(Pid::from_raw(self.pid), Number::SIGKILL);
        }
        self.exit = Some(ProgramExit::Lost);
    }
}

impl Drop for GuardedTree {
    fn drop(&mut self) {
        self.kill();
        let Some(mut helper) = self.helper.take() else { return };
        if self.pid == 0 {
            // It may be no helper at all, and then nothing else ends it.
            let _ = helper.start_kill();
        }
        // Without a runtime tokio collects the helper at its next chance; with one, now.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move { helper.wait().await });
        }
    }
}

/// The one child of the first process behind walls, by its number outside of them.
fn only_child(first: i32) -> Option<i32> {
    let list = std::fs::read_to_string(format!("/proc/{first}/task/{first}/children")).ok()?;
    list.split_whitespace().next()?.parse().ok()
}
