//! The one place where something is started.
//!
//! It looks everything up and refuses what cannot be kept before any process exists. Whether the
//! process may run at all was decided elsewhere.

use toolgate_types::config::{Confinement, SandboxProfile, Stderr};

use tracing::debug;

use crate::plan::SpawnPlan;
use crate::{ChildProcess, Description, GuardedTree, HelperPath, SpawnError, stdio};

/// Under which conditions something is started.
#[derive(Debug, Clone)]
pub struct SpawnConditions {
    pub confinement: Confinement,
    pub stderr: Stderr,
}

impl SpawnConditions {
    /// No wall, and standard error to the caller.
    pub fn unconfined() -> Self {
        let confinement = Confinement {
            profile: SandboxProfile::None,
            allow_network: true,
            readable: Vec::new(),
            writable: Vec::new(),
        };
        Self { confinement, stderr: Stderr::Pipe }
    }
}

/// Starts processes.
#[derive(Debug, Clone, Default)]
pub struct ProcessSpawner {
    helper: HelperPath,
}

impl ProcessSpawner {
    pub fn new(helper: HelperPath) -> Self {
        Self { helper }
    }

    /// Starts what is described, and answers once it really runs.
    ///
    /// Needs a tokio runtime with I/O and time. If the future is dropped, nothing is left running.
    pub async fn spawn(
        &self,
        description: &Description,
        how: &SpawnConditions,
    ) -> Result<ChildProcess, SpawnError> {
        let SpawnConditions { confinement: Confinement { profile, .. }, stderr } = how;
        match profile {
            // No wall, so the rest of a confinement has nothing to open or close.
            SandboxProfile::None => {}
            SandboxProfile::Default | SandboxProfile::Seatbelt => {
                return Err(SpawnError::NotYet { profile: *profile });
            }
        }
        let plan = SpawnPlan::new(description)?;
        let (ours, theirs) =
            stdio::streams(*stderr).map_err(|source| SpawnError::Resources { source })?;
        let shown = description.program.shown();
        let started =
            GuardedTree::start(&self.helper, &plan, theirs, shown, &description.folder).await;
        let tree = started.inspect_err(|error| debug!(%error, "process not started"))?;
        debug!(process = tree.pid(), profile = profile.as_str(), "process tree started");
        Ok(ChildProcess::new(tree, ours))
    }
}
