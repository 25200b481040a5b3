//! A workspace with things beside it that nobody in there may touch, and a machine that listens.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;
use toolgate_sandbox::{
    ChildProcess, Description, NetworkListener, PackageFolder, ProcessSpawner, SandboxGround,
    SandboxRoom, SpawnConditions, SpawnError,
};
use toolgate_types::config::{
    Confinement, NetworkAccess, OuterWall, ResourceLimits, SandboxProfile,
};

use crate::{command, spawner};

pub(crate) const CANARY: &str = "nobody was here";

/// Beside what was built, or in the home of somebody who may not see that: what is made below `/tmp` is
/// nobody's, and everything in it may be written to.
pub(crate) fn not_in_tmp() -> Option<TempDir> {
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).to_owned();
    let folder = std::env::var_os(crate::PROGRAMS).map_or(Some(built), |_| std::env::home_dir());
    folder.and_then(|folder| tempfile::tempdir_in(folder).ok())
}

/// What the script that makes the report wants the outer wall to be of.
const OUTER: &str = "TOOLGATE_TEST_OUTER";

/// Our own, unless the script wants another.
fn outer() -> OuterWall {
    match std::env::var(OUTER).as_deref() {
        Ok("bwrap") => OuterWall::Bwrap,
        _ => OuterWall::Builtin,
    }
}

pub(crate) struct Around {
    pub(crate) folder: TempDir,
    pub(crate) home: PathBuf,
    pub(crate) confinement: Confinement,
    pub(crate) outer: OuterWall,
    pub(crate) network_listener: Option<Arc<dyn NetworkListener>>,
    pub(crate) search_path: Option<OsString>,
    pub(crate) package: Option<PackageFolder>,
}

impl Around {
    pub(crate) fn new() -> Self {
        Self::in_folder(tempfile::tempdir().unwrap())
    }

    pub(crate) fn in_folder(folder: TempDir) -> Self {
        let at = |name: &str| folder.path().join(name);
        for name in [
            "outside",
            "work/sub",
            "work/.git/hooks",
            "work/.cargo",
            "work/.vscode",
            "work-sibling",
        ] {
            fs::create_dir_all(at(name)).unwrap();
        }
        for name in ["home/.ssh", "state"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        for name in [
            "outside/canary",
            "home/.ssh/id_test",
            "state/state.db",
            "work/.git/config",
            "work/.mcp.json",
            "work/.vscode/tasks.json",
            "work/.cargo/config.toml",
            "work/toolgate.toml",
        ] {
            fs::write(at(name), CANARY).unwrap();
        }
        symlink("../outside", at("work/link-out")).unwrap();
        let confinement = Confinement {
            profile: SandboxProfile::Default,
            network: NetworkAccess::Off,
            readable: Vec::new(),
            writable: Vec::new(),
            limits: ResourceLimits {
                file_bytes: 32 << 20,
                scratch_bytes: 16 << 20,
                ..ResourceLimits::default()
            },
        };
        Self {
            home: at("home"),
            folder,
            confinement,
            outer: outer(),
            search_path: std::env::var_os("PATH"),
            network_listener: None,
            package: None,
        }
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.at("work")
    }

    /// A command in the workspace.
    pub(crate) fn command(&self, program: &str, args: &[&str]) -> Description {
        Description { folder: self.workspace(), ..command(program, args) }
    }

    pub(crate) async fn spawn(
        &self,
        description: &Description,
    ) -> Result<ChildProcess, SpawnError> {
        self.spawn_by(&spawner(), description).await
    }

    pub(crate) async fn spawn_by(
        &self,
        spawner: &ProcessSpawner,
        description: &Description,
    ) -> Result<ChildProcess, SpawnError> {
        spawner.stand_on(SandboxGround {
            home: Some(self.home.clone()),
            hidden: vec![self.at("state")],
            outer: self.outer,
            search_path: self.search_path.clone(),
            ..SandboxGround::default()
        });
        let conditions = SpawnConditions {
            confinement: self.confinement.clone(),
            room: SandboxRoom {
                workspace: Some(self.workspace()),
                package: self.package.clone(),
                ..SandboxRoom::default()
            },
            network_listener: self.network_listener.clone(),
            ..SpawnConditions::unconfined()
        };
        spawner.spawn(description, &conditions).await
    }

    /// Every file outside is as it was, and there is none more.
    pub(crate) fn is_untouched(&self) -> bool {
        let unchanged = |name: &str| fs::read_to_string(self.at(name)).unwrap() == CANARY;
        let count = |name: &str| fs::read_dir(self.at(name)).unwrap().count();
        let outside = fs::read_dir(self.at("outside")).unwrap().flatten();
        let outside = outside.filter(|entry| entry.file_name() != "socket").count();
        unchanged("outside/canary")
            && unchanged("home/.ssh/id_test")
            && unchanged("state/state.db")
            && unchanged("work/.git/config")
            && unchanged("work/.mcp.json")
            && unchanged("work/.vscode/tasks.json")
            && unchanged("work/.cargo/config.toml")
            && unchanged("work/toolgate.toml")
            && (outside, count("work-sibling"), count("work/.git/hooks")) == (1, 0, 0)
            && !Path::new("/probe-was-here").exists()
            && [".claude", ".gemini", ".envrc", ".husky", ".codex", ".cursor"]
                .iter()
                .all(|name| self.workspace().join(name).symlink_metadata().is_err())
    }
}
