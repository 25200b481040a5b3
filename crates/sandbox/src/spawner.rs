//! The one place where something is started.
//!
//! It looks everything up and refuses what cannot be kept before any process exists. Whether the
//! process may run at all was decided elsewhere.

#[cfg(target_os = "linux")]
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::errno::Errno;
#[cfg(target_os = "linux")]
use nix::sys::memfd::{MFdFlags, memfd_create};
use parking_lot::RwLock;
use toolgate_types::config::{
    Confinement, NetworkAccess, OuterWall, ResourceLimits, SandboxProfile, Stderr,
};

use tracing::debug;

use crate::plan::SpawnPlan;
use crate::{
    ChildProcess, Description, EmbeddersWalls, Enclosed, GuardedTree, HelperPath, NetworkListener,
    SandboxGround, SandboxRoom, SandboxView, SpawnError, stdio,
};
#[cfg(target_os = "linux")]
use crate::{LearningLog, NetworkLog};

/// Under which conditions something is started.
#[derive(Debug, Clone)]
pub struct SpawnConditions {
    pub confinement: Confinement,
    /// What walls are built around; without walls it means nothing.
    pub room: SandboxRoom,
    pub stderr: Stderr,
    /// Who hears what it wanted of a network of names.
    pub network_listener: Option<Arc<dyn NetworkListener>>,
}

impl SpawnConditions {
    /// No wall, and standard error to the caller.
    pub fn unconfined() -> Self {
        let confinement = Confinement {
            profile: SandboxProfile::None,
            network: NetworkAccess::Everything,
            readable: Vec::new(),
            writable: Vec::new(),
            limits: ResourceLimits::default(),
        };
        let (room, stderr) = (SandboxRoom::default(), Stderr::Pipe);
        Self { confinement, room, stderr, network_listener: None }
    }
}

/// Starts processes.
#[derive(Debug, Clone, Default)]
pub struct ProcessSpawner {
    helper: HelperPath,
    /// Shared by its copies.
    ground: Arc<RwLock<Arc<SandboxGround>>>,
    /// Whether our own walls were refused by the system, and those of `bwrap` stood.
    needs_bubblewrap: Arc<AtomicBool>,
    embedder: Option<Arc<dyn EmbeddersWalls>>,
}

impl ProcessSpawner {
    pub fn new(helper: HelperPath) -> Self {
        Self { helper, ..Self::default() }
    }

    /// Asks these walls before each start.
    pub fn within(self, walls: Option<Arc<dyn EmbeddersWalls>>) -> Self {
        Self { embedder: walls, ..self }
    }

    /// What the walls of everything that is started from now on are built by.
    pub fn stand_on(&self, ground: SandboxGround) {
        *self.ground.write() = Arc::new(ground);
    }

    /// Starts what is described, and answers once it really runs.
    ///
    /// Needs a tokio runtime with I/O and time. If the future is dropped, nothing is left running.
    pub async fn spawn(
        &self,
        description: &Description,
        how: &SpawnConditions,
    ) -> Result<ChildProcess, SpawnError> {
        let asked =
            self.embedder.as_ref().map(|walls| walls.enclose(description, &how.confinement));
        match asked.unwrap_or(Ok(Enclosed::AsAsked)).map_err(SpawnError::Embedder)? {
            Enclosed::AsAsked => {
                self.start(description, how, |ground| plan(description, how, ground)).await
            }
            Enclosed::By(enclosed) => {
                let none = SpawnConditions { stderr: how.stderr, ..SpawnConditions::unconfined() };
                self.start(&enclosed, &none, |ground| plan(&enclosed, &none, ground)).await
            }
        }
    }

    /// Starts what is described behind wide walls, and writes down what it uses. It reads and writes nearly
    /// what its person may, but no credentials and nothing of ours, and reaches only what is public.
    #[cfg(target_os = "linux")]
    pub async fn spawn_to_learn(
        &self,
        description: &Description,
        how: &SpawnConditions,
    ) -> Result<(ChildProcess, LearningLog), SpawnError> {
        let resources = |source| SpawnError::Resources { source };
        let file = memfd_create(c"learned", MFdFlags::MFD_CLOEXEC);
        let file = File::from(file.map_err(|errno| resources(errno.into()))?);
        let network = Arc::new(NetworkLog::default());
        let listened = SpawnConditions { network_listener: Some(network.clone()), ..how.clone() };
        let plan = |ground: &SandboxGround| {
            let theirs = file.try_clone().map_err(resources)?.into();
            let on = (ground, &how.room);
            SpawnPlan::to_learn_from(description, &how.confinement, on, theirs)
        };
        let child = self.start(description, &listened, plan).await?;
        Ok((child, LearningLog { file, network }))
    }

    /// What is built by now, where the person leaves it to us.
    pub fn uses_bubblewrap(&self) -> bool {
        self.ground().outer == OuterWall::Bwrap
    }

    fn ground(&self) -> Arc<SandboxGround> {
        let ground = Arc::clone(&self.ground.read());
        match ground.outer {
            OuterWall::Auto if self.needs_bubblewrap.load(Ordering::Relaxed) => {
                Arc::new(SandboxGround { outer: OuterWall::Bwrap, ..(*ground).clone() })
            }
            _ => ground,
        }
    }

    async fn start(
        &self,
        description: &Description,
        how: &SpawnConditions,
        plan: impl Fn(&SandboxGround) -> Result<SpawnPlan, SpawnError>,
    ) -> Result<ChildProcess, SpawnError> {
        let ground = self.ground();
        match self.carry_out(&plan(&ground)?, description, how).await {
            // Never weaker: what `bwrap` builds is held to the same plan.
            Err(SpawnError::Unwalled { source })
                if ground.outer == OuterWall::Auto && is_forbidden(&source) =>
            {
                let ground = SandboxGround { outer: OuterWall::Bwrap, ..(*ground).clone() };
                let Ok(plan) = plan(&ground) else { return Err(SpawnError::Unwalled { source }) };
                let child = self.carry_out(&plan, description, how).await;
                let child = child.map_err(|_| SpawnError::Unwalled { source })?;
                self.needs_bubblewrap.store(true, Ordering::Relaxed);
                Ok(child)
            }
            other => other,
        }
    }

    async fn carry_out(
        &self,
        plan: &SpawnPlan,
        description: &Description,
        how: &SpawnConditions,
    ) -> Result<ChildProcess, SpawnError> {
        let (profile, stderr) = (how.confinement.profile, how.stderr);
        let (ours, theirs) =
            stdio::streams(stderr).map_err(|source| SpawnError::Resources { source })?;
        let shown = description.program.shown();
        let (listener, folder) = (how.network_listener.clone(), &description.folder);
        let started = GuardedTree::start(&self.helper, plan, theirs, listener, shown, folder).await;
        let tree = started.inspect_err(|error| debug!(%error, "process not started"))?;
        debug!(process = tree.pid(), profile = profile.as_str(), "process tree started");
        Ok(ChildProcess::new(tree, ours))
    }

    /// What it would see behind its walls; `None` where it has none.
    pub fn view(
        &self,
        description: &Description,
        how: &SpawnConditions,
    ) -> Result<Option<SandboxView>, SpawnError> {
        Ok(plan(description, how, &self.ground())?.walls.as_ref().map(SandboxView::of))
    }
}

fn plan(
    description: &Description,
    SpawnConditions { confinement, room, .. }: &SpawnConditions,
    ground: &SandboxGround,
) -> Result<SpawnPlan, SpawnError> {
    let profile = confinement.profile;
    match profile {
        // No wall, so the rest of a confinement has nothing to open or close.
        SandboxProfile::None => SpawnPlan::new(description),
        SandboxProfile::Default if cfg!(target_os = "linux") => {
            SpawnPlan::confined(description, confinement, ground, room)
        }
        #[cfg(target_os = "macos")]
        SandboxProfile::Default | SandboxProfile::Seatbelt => {
            let plan = SpawnPlan::confined(description, confinement, ground, room)?;
            Ok(crate::seatbelt::within(plan)?)
        }
        #[cfg(not(target_os = "macos"))]
        SandboxProfile::Default | SandboxProfile::Seatbelt => Err(SpawnError::NoWall { profile }),
    }
}

/// What a system says that lets us have no namespaces, or none that are good for anything.
fn is_forbidden(error: &io::Error) -> bool {
    let errno = Errno::from_raw(error.raw_os_error().unwrap_or_default());
    matches!(
        errno,
        Errno::EPERM
            | Errno::EACCES
            | Errno::ENOSPC
            | Errno::EUSERS
            | Errno::ENOSYS
            | Errno::EINVAL
    )
}
