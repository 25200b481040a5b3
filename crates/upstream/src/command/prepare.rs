//! Exactly what a call of a command tool would run: program, arguments, input, folder and variables.
//!
//! It is worked out before anybody decides or is asked, and the same is run; worked out again, it is the
//! same as long as nothing changed that it depends on.

use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use toolgate_sandbox::{Description, SandboxRoom, SpawnConditions};
use toolgate_types::config::{CommandTool, Entry, Stderr};
use toolgate_types::{ConfigText, Digest, EnvName, SessionOverrides, Variables, is_sensitive_name};

use super::{CommandError, argv, program};

/// One run of a command, ready to be started.
#[derive(Clone)]
pub struct PreparedCommand {
    pub(super) tool: Arc<Entry<CommandTool>>,
    name: String,
    workspace: PathBuf,
    description: Description,
    /// The arguments of the call, as they came.
    stdin: Option<Box<RawValue>>,
    /// Seen from the workspace as its caller names that.
    seen_folder: PathBuf,
    /// Whether a session chose the folder.
    folder_is_chosen: bool,
    is_led_outside: bool,
    /// What a session set, and may set.
    overridden: Vec<(EnvName, String)>,
}

/// Where a command runs, and for whom.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommandGround<'a> {
    /// Absolute.
    pub(crate) workspace: &'a Path,
    pub(crate) variables: &'a Variables,
    pub(crate) overrides: Option<&'a SessionOverrides>,
}

/// The folder of a run.
pub(super) struct CommandFolder {
    pub(super) real: PathBuf,
    pub(super) seen: PathBuf,
    pub(super) is_chosen: bool,
    /// Whether somebody else than its entry has it lie outside the workspace: a session, or whoever made a
    /// link in the workspace.
    pub(super) is_led_outside: bool,
}

impl CommandFolder {
    /// A session's folder where the entry lets it choose, else the entry's, else the workspace. By its
    /// real name: a symlink leads where it leads.
    pub(super) fn of(tool: &CommandTool, ground: CommandGround<'_>) -> Result<Self, CommandError> {
        let CommandGround { workspace, overrides, .. } = ground;
        let chosen = overrides.and_then(|overrides| overrides.cwd.as_deref());
        let chosen = chosen.filter(|_| tool.cwd_override);
        let own = tool.cwd.as_ref().map(ConfigText::expose);
        let wanted = workspace.join(chosen.or(own).unwrap_or_default());
        let missing = |_| CommandError::NoFolder(wanted.clone());
        let real = wanted.canonicalize().map_err(missing)?;
        if !real.is_dir() {
            return Err(CommandError::NoFolder(wanted));
        }
        let root = workspace.canonicalize().unwrap_or_else(|_| workspace.to_owned());
        let (seen, is_inside) = match real.strip_prefix(&root) {
            Ok(below) if below.as_os_str().is_empty() => (workspace.to_owned(), true),
            Ok(below) => (workspace.join(below), true),
            Err(_) => (real.clone(), false),
        };
        let is_chosen = chosen.is_some();
        let is_meant_inside = own.is_none_or(names_below);
        let is_led_outside = !is_inside && (is_chosen || is_meant_inside);
        Ok(Self { real, seen, is_chosen, is_led_outside })
    }
}

/// Whether a folder, as it is written, is one below the workspace.
fn names_below(folder: &str) -> bool {
    let is_plain = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    Path::new(folder).components().all(is_plain)
}

/// The variables of a session that an entry lets it set.
pub(super) fn active_variables(
    tool: &CommandTool,
    overrides: Option<&SessionOverrides>,
) -> Vec<(EnvName, String)> {
    let given = overrides.into_iter().flat_map(|overrides| &overrides.env);
    let active = given.filter(|(name, _)| tool.env_overrides.contains(name));
    active.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Payloads may hold secrets, and what is debugged ends in logs.
impl fmt::Debug for PreparedCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedCommand").field("name", &self.name).finish_non_exhaustive()
    }
}

impl PreparedCommand {
    pub(crate) fn of(
        name: &str,
        entry: &Entry<CommandTool>,
        arguments: Option<&RawValue>,
        ground: CommandGround<'_>,
    ) -> Result<Self, CommandError> {
        let tool = &entry.value;
        let args = argv::fill(tool, arguments)?;
        let folder = CommandFolder::of(tool, ground)?;
        let overridden = active_variables(tool, ground.overrides);
        let mut env: IndexMap<EnvName, ConfigText> = tool.env.clone();
        for (name, value) in &overridden {
            env.insert(name.clone(), ConfigText::Plain(value.clone()));
        }
        let mut description = Description {
            program: tool.command.clone(),
            args,
            folder: folder.real,
            env,
            pass: tool.env_vars.clone(),
            inherit: tool.inherit_env,
            source: ground.variables.iter().collect(),
        };
        let path = description.environment().get("PATH").map(ToOwned::to_owned);
        let root = ground.workspace.canonicalize();
        let root = root.unwrap_or_else(|_| ground.workspace.to_owned());
        let command = tool.command.expose();
        let file = program::find(command, &description.folder, path.as_deref(), &root)?;
        let Some(file) = file.to_str() else {
            return Err(CommandError::NoProgram("its path is no text".to_owned()));
        };
        description.program = match &tool.command {
            ConfigText::Plain(_) => ConfigText::Plain(file.to_owned()),
            secret => ConfigText::masked(secret.shown().to_owned(), file.to_owned()),
        };
        Ok(Self {
            tool: Arc::new(entry.clone()),
            name: name.to_owned(),
            workspace: root,
            description,
            stdin: arguments.map(ToOwned::to_owned),
            seen_folder: folder.seen,
            folder_is_chosen: folder.is_chosen,
            is_led_outside: folder.is_led_outside,
            overridden,
        })
    }

    pub fn tool(&self) -> &Entry<CommandTool> {
        &self.tool
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The program and its arguments.
    pub fn words(&self) -> impl Iterator<Item = &ConfigText> {
        std::iter::once(&self.description.program).chain(&self.description.args)
    }

    /// What it reads on its standard input.
    pub fn stdin(&self) -> &str {
        self.stdin.as_deref().map_or("{}", RawValue::get)
    }

    /// Where it runs, as folders of a policy are written.
    pub fn folder(&self) -> &Path {
        &self.seen_folder
    }

    /// Whether somebody else than its entry has it run outside the workspace.
    pub fn is_led_outside(&self) -> bool {
        self.is_led_outside
    }

    /// Whether a session chose its folder.
    pub fn is_folder_chosen(&self) -> bool {
        self.folder_is_chosen
    }

    /// The variables that its session set.
    pub fn overridden(&self) -> &[(EnvName, String)] {
        &self.overridden
    }

    /// The name of exactly this run, but for secrets of the entry, which the entry's own name covers.
    pub fn digest(&self) -> Digest {
        let mut hash = Sha256::new();
        hash.update(self.ground_digest().0);
        for word in self.words() {
            hash.update(word.expose().len().to_le_bytes());
            hash.update(word.expose());
        }
        Digest(hash.finalize().into())
    }

    /// The name of where it runs and what its session changed, whatever its arguments are.
    pub fn ground_digest(&self) -> Digest {
        let mut hash = Sha256::new();
        let mut part = |bytes: &[u8]| {
            hash.update(bytes.len().to_le_bytes());
            hash.update(bytes);
        };
        part(self.description.program.expose().as_bytes());
        part(self.description.folder.as_os_str().as_encoded_bytes());
        for (name, value) in &self.overridden {
            part(name.as_str().as_bytes());
            part(value.as_bytes());
        }
        Digest(hash.finalize().into())
    }

    /// A variable that its entry passes on, that would hold a credential, and that is not set.
    pub(super) fn missing_credential(&self) -> Option<&EnvName> {
        let given = self.description.environment();
        let mut passed = self.tool.value.env_vars.iter();
        passed.find(|name| is_sensitive_name(name.as_str()) && given.get(name.as_str()).is_none())
    }

    pub(super) fn description(&self) -> &Description {
        &self.description
    }

    pub(super) fn conditions(&self) -> SpawnConditions {
        SpawnConditions {
            confinement: self.tool.value.confinement.clone(),
            // What may be written is the workspace, whatever folder it runs in.
            room: SandboxRoom { workspace: Some(self.workspace.clone()), ..SandboxRoom::default() },
            stderr: Stderr::Pipe,
            network_listener: None,
        }
    }
}
