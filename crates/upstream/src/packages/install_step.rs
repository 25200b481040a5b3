//! One step of installing, behind walls: it sees the folder that it installs into, an empty home and the
//! system, and nothing of the person's or of any project.

use std::path::Path;
use std::time::Duration;

use indexmap::IndexMap;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::time::timeout;
use toolgate_sandbox::{
    Description, PackageFolder, ProcessSpawner, ProgramError, SandboxRoom, SpawnConditions,
    SpawnError,
};
use toolgate_types::config::{
    Confinement, InheritEnv, NetworkAccess, ResourceLimits, SandboxProfile, Stderr,
};
use toolgate_types::{ConfigText, EnvName, Variables};
use tracing::debug;

use super::package_error::PackageError;

/// A step that takes longer hangs.
const MINUTES: u64 = 10;

/// How much of what a step says is kept; lists of packages are far shorter.
const MOST_WORDS: u64 = 4 << 20;

/// How much of what a step says is repeated.
const LAST_WORDS: usize = 1500;

/// What a step without network is given of the person's variables. A proxy's may hold a password.
const OFFLINE: [&str; 8] = ["HOME", "LOGNAME", "USER", "PATH", "LANG", "LC_ALL", "TZ", "SHELL"];

pub(super) struct InstallStep<'a> {
    pub(super) name: &'static str,
    pub(super) spawner: &'a ProcessSpawner,
    pub(super) variables: &'a Variables,
    /// What is installed into.
    pub(super) tree: &'a Path,
    pub(super) home: &'a Path,
    pub(super) network: NetworkAccess,
    /// Programs besides the one that is started.
    pub(super) programs: Vec<String>,
    /// Files that settings name.
    pub(super) readable: Vec<String>,
    pub(super) env: Vec<(String, String)>,
}

/// What all steps have in common.
#[derive(Clone, Copy)]
pub(super) struct InstallGround<'a> {
    pub(super) spawner: &'a ProcessSpawner,
    pub(super) variables: &'a Variables,
}

impl<'a> InstallGround<'a> {
    /// A step without network.
    pub(super) fn step(
        self,
        name: &'static str,
        tree: &'a Path,
        home: &'a Path,
    ) -> InstallStep<'a> {
        InstallStep {
            name,
            spawner: self.spawner,
            variables: self.variables,
            tree,
            home,
            network: NetworkAccess::Off,
            programs: Vec::new(),
            readable: Vec::new(),
            env: Vec::new(),
        }
    }
}

impl InstallStep<'_> {
    /// What it printed, once it ended well.
    pub(super) async fn run(&self, program: &str, args: &[&str]) -> Result<String, PackageError> {
        let plain = |text: &str| ConfigText::Plain(text.to_owned());
        let is_offline = self.network == NetworkAccess::Off;
        let named = |name: &str| EnvName::parse(name).ok();
        let env: IndexMap<EnvName, ConfigText> = self
            .env
            .iter()
            .filter_map(|(name, value)| Some((named(name)?, plain(value))))
            .collect();
        let description = Description {
            program: plain(program),
            args: args.iter().map(|arg| plain(arg)).collect(),
            folder: "/tmp".into(),
            env,
            pass: OFFLINE.iter().filter_map(|name| named(name)).collect(),
            inherit: if is_offline { InheritEnv::None } else { InheritEnv::Core },
            source: self.variables.iter().collect(),
        };
        let conditions = SpawnConditions {
            confinement: Confinement {
                profile: SandboxProfile::Default,
                network: self.network.clone(),
                readable: self.readable.clone(),
                writable: Vec::new(),
                limits: ResourceLimits::default(),
            },
            room: SandboxRoom {
                workspace: None,
                private: Some(self.home.to_owned()),
                package: Some(PackageFolder::Installing(self.tree.to_owned())),
                programs: self.programs.clone(),
            },
            stderr: Stderr::Pipe,
            network_listener: None,
        };
        debug!(step = self.name, "packages are installed");
        let limit = Duration::from_secs(MINUTES * 60);
        match timeout(limit, self.carry(&description, &conditions)).await {
            Ok(said) => said,
            Err(_) => Err(PackageError::Slow { step: self.name, minutes: MINUTES }),
        }
    }

    async fn carry(
        &self,
        description: &Description,
        conditions: &SpawnConditions,
    ) -> Result<String, PackageError> {
        let mut child =
            self.spawner.spawn(description, conditions).await.map_err(|error| match error {
                SpawnError::Program(ProgramError::NotFound { name, .. }) => {
                    PackageError::NoProgram { program: name }
                }
                error => PackageError::Start(error),
            })?;
        drop(child.stdin.take());
        let (mut said, mut complained) = (Vec::new(), Vec::new());
        let (out, err) = (child.stdout.take(), child.stderr.take());
        // It may leave something behind that holds the streams open.
        let exit = {
            let reading = async {
                if let (Some(out), Some(err)) = (out, err) {
                    tokio::join!(keep_reading(out, &mut said), keep_reading(err, &mut complained));
                }
            };
            let mut reading = std::pin::pin!(reading);
            tokio::select! {
                () = &mut reading => child.wait().await,
                exit = child.wait() => {
                    let _ = timeout(Duration::from_secs(2), &mut reading).await;
                    exit
                }
            }
        };
        child.shutdown(Duration::from_secs(1)).await;
        if exit.is_success() {
            return Ok(String::from_utf8_lossy(&said).into_owned());
        }
        complained.extend_from_slice(&said);
        let said = last_words(&String::from_utf8_lossy(&complained));
        let said = if said.is_empty() { format!("it {exit}") } else { said };
        Err(PackageError::Step { step: self.name, said })
    }
}

/// Reads to the end and keeps the beginning: an install script may print for ever.
async fn keep_reading(mut from: impl AsyncRead + Unpin, kept: &mut Vec<u8>) {
    let _ = (&mut from).take(MOST_WORDS).read_to_end(kept).await;
    let _ = tokio::io::copy(&mut from, &mut tokio::io::sink()).await;
}

fn last_words(text: &str) -> String {
    let text = text.trim();
    let start = text.len().saturating_sub(LAST_WORDS);
    let start = (start..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    text.get(start..).unwrap_or_default().to_owned()
}
