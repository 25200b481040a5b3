//! Where a command tool would run for a session, and with which variables: what a client can show before
//! anybody approves.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use toolgate_types::config::CommandTool;
use toolgate_types::{SessionOverrides, Variables, visible};

use super::prepare::{CommandFolder, CommandGround, active_variables};

/// What holds for a tool in a session.
#[derive(Debug, Serialize)]
pub struct SessionDefaults {
    cwd: String,
    workspace: String,
    /// What its entry sets, and what the session does; secrets as they are written.
    env: BTreeMap<String, String>,
    overrides_active: bool,
    active_overrides: ActiveOverrides,
}

#[derive(Debug, Serialize)]
struct ActiveOverrides {
    cwd: bool,
    env: Vec<String>,
}

impl SessionDefaults {
    /// The member of `_meta` that they stand in.
    pub const KEY: &'static str = SessionOverrides::KEY;

    pub fn of(tool: &CommandTool, workspace: &Path, overrides: Option<&SessionOverrides>) -> Self {
        let variables = Variables::new();
        let ground = CommandGround { workspace, variables: &variables, overrides };
        let folder = CommandFolder::of(tool, ground).ok();
        let active = active_variables(tool, overrides);
        let mut env: BTreeMap<String, String> = tool
            .env
            .iter()
            .map(|(name, value)| (name.to_string(), value.shown().to_owned()))
            .collect();
        env.extend(active.iter().map(|(name, value)| (name.to_string(), value.clone())));
        let own = tool.cwd.as_ref().map(|cwd| workspace.join(cwd.shown()));
        let own = own.unwrap_or_else(|| workspace.to_owned());
        // One that is not there is shown as its entry has it.
        let cwd = folder.as_ref().map_or(own.as_path(), |folder| &folder.seen);
        let active_overrides = ActiveOverrides {
            cwd: folder.as_ref().is_some_and(|folder| folder.is_chosen),
            env: active.iter().map(|(name, _)| name.to_string()).collect(),
        };
        Self {
            cwd: visible(&cwd.to_string_lossy()),
            workspace: visible(&workspace.to_string_lossy()),
            env,
            overrides_active: active_overrides.cwd || !active_overrides.env.is_empty(),
            active_overrides,
        }
    }

    /// The folder that a tool would run in, as folders of a policy are written, where it is there.
    pub fn folder(
        tool: &CommandTool,
        workspace: &Path,
        overrides: Option<&SessionOverrides>,
    ) -> Option<(std::path::PathBuf, bool)> {
        let variables = Variables::new();
        let folder =
            CommandFolder::of(tool, CommandGround { workspace, variables: &variables, overrides });
        folder.ok().map(|folder| (folder.seen, folder.is_led_outside))
    }
}
