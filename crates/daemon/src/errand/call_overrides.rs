//! What a person changes about a command tool for one call: its folder, and variables.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use toolgate_config::McpConfigLoadResult;
use toolgate_control::CommandFailure;
use toolgate_types::{EnvName, ServerId, SessionOverrides, visible};

/// As it was typed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallOverrides {
    /// Absolute.
    cwd: Option<String>,
    env: BTreeMap<String, String>,
}

impl CallOverrides {
    pub fn of(cwd: Option<&Path>, env: &[String]) -> Result<Self, CommandFailure> {
        let cwd = cwd.map(|cwd| {
            let text = cwd.to_str().map(str::to_owned);
            text.ok_or_else(|| CommandFailure::usage("--cwd: the folder's name is no text"))
        });
        let mut variables = BTreeMap::new();
        for pair in env {
            let pair = pair.split_once('=');
            let (name, value) =
                pair.ok_or_else(|| CommandFailure::usage("--env wants NAME=VALUE"))?;
            variables.insert(name.to_owned(), value.to_owned());
        }
        Ok(Self { cwd: cwd.transpose()?, env: variables })
    }

    /// Whether a tool's entry lets a call change this: what would not be applied is not passed over.
    pub fn check_allowed(
        &self,
        server: Option<&str>,
        tool: &str,
        loaded: &McpConfigLoadResult,
    ) -> Result<(), CommandFailure> {
        if *self == Self::default() {
            return Ok(());
        }
        let name = match server {
            Some(ServerId::LOCAL) => Some(tool),
            None => tool.strip_prefix(ServerId::LOCAL).and_then(|rest| rest.strip_prefix("__")),
            Some(_) => None,
        };
        let Some(entry) = name.and_then(|name| loaded.config.tools.get(name)) else {
            return Err(CommandFailure::usage("--cwd and --env are for command tools")
                .hint("name it so: toolgate call local TOOL"));
        };
        if self.cwd.is_some() && !entry.value.cwd_override {
            let message = format!("the tool {} runs where its entry says", visible(tool));
            return Err(CommandFailure::usage(message).hint("it has no `cwd_override = true`"));
        }
        let allowed =
            |name: &&String| entry.value.env_overrides.iter().all(|one| one.as_str() != **name);
        if let Some(name) = self.env.keys().find(allowed) {
            let names: Vec<&str> = entry.value.env_overrides.iter().map(EnvName::as_str).collect();
            let message = format!("no call may set `{}` for this tool", visible(name));
            return Err(CommandFailure::usage(message)
                .hint(format!("its `env_overrides` names: {}", names.join(", "))));
        }
        Ok(())
    }

    pub(super) fn checked(&self) -> Result<Option<Arc<SessionOverrides>>, CommandFailure> {
        let overrides = SessionOverrides::new(self.cwd.clone(), self.env.clone());
        Ok(overrides.map_err(CommandFailure::usage)?.map(Arc::new))
    }
}
