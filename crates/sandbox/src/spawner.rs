//! The one place where something is started.
//!
//! It looks everything up and refuses what cannot be kept before any process exists. Whether the
//! process may run at all was decided elsewhere.

use toolgate_types::config::{Confinement, SandboxProfile, Stderr};

use crate::plan::Plan;
use crate::{Child, Description, HelperPath, SpawnError, Tree, stdio};

/// Under which conditions something is started.
#[derive(Debug, Clone)]
pub struct How {
    pub confinement: Confinement,
    pub stderr: Stderr,
}

impl How {
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
pub struct Spawner {
    helper: HelperPath,
}

impl Spawner {
    pub fn new(helper: HelperPath) -> Self {
        Self { helper }
    }

    /// Starts what is described, and answers once it really runs.
    ///
    /// Needs a tokio runtime with I/O and time. If the future is dropped, nothing is left running.
    pub async fn spawn(&self, description: &Description, how: &How) -> Result<Child, SpawnError> {
        let How { confinement: Confinement { profile, .. }, stderr } = how;
        match profile {
            // No wall, so the rest of a confinement has nothing to open or close.
            SandboxProfile::None => {}
            SandboxProfile::Default | SandboxProfile::Seatbelt => {
                return Err(SpawnError::NotYet { profile: *profile });
            }
        }
        let plan = Plan::new(description)?;
        let (ours, theirs) =
            stdio::streams(*stderr).map_err(|source| SpawnError::Resources { source })?;
        let shown = description.program.shown();
        let tree = Tree::start(&self.helper, &plan, theirs, shown, &description.folder).await?;
        Ok(Child::new(tree, ours))
    }
}
