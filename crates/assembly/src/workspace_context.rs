//! A folder that somebody works in, and everything that decides what counts there.

use std::path::{Path, PathBuf};

use toolgate_config::{LoadOptions, Variables};
use toolgate_types::NETWORK_VARIABLES;

/// A folder and everything that decides what counts there.
#[derive(Debug, Clone)]
pub struct WorkspaceContext {
    pub folder: PathBuf,
    pub options: LoadOptions,
}

impl WorkspaceContext {
    /// What a folder's own configuration is, for whoever has these variables.
    pub fn of_folder(folder: &Path, variables: &Variables) -> Self {
        let mut options = LoadOptions::new(folder);
        options.env = variables.clone();
        // What was said at the start is about the folder of the start.
        for variable in PROJECT_VARIABLES {
            options.env.remove(variable);
        }
        Self { folder: folder.to_owned(), options }
    }

    /// Of the variables that were wanted, what a window brought counts and not what we have. Where we
    /// find our own things is not its to say.
    pub fn take(&mut self, wanted: &[String], mut brought: Variables) {
        for name in wanted.iter().filter(|name| !is_own_variable(name)) {
            match brought.remove(name) {
                Some(value) => self.options.env.insert(name.clone(), value),
                None => self.options.env.remove(name),
            };
        }
    }

    /// Whether it is the same in everything that a load looks at.
    pub fn is(&self, other: &Self) -> bool {
        let (one, other_one) = (&self.options, &other.options);
        self.folder == other.folder && one.path == other_one.path && one.env == other_one.env
    }
}

/// Whether a variable is not a window's to say: it decides where we find our own things, or where the
/// traffic of every server goes.
pub fn is_own_variable(name: &str) -> bool {
    name.starts_with("TOOLGATE_")
        || name.starts_with("XDG_")
        || OUR_OWN.contains(&name)
        || NETWORK_VARIABLES.contains(&name)
}

const OUR_OWN: [&str; 4] =
    ["HOME", "PATH", "CODELIA_CONFIG_PATH", "CODEX_TOOLLOOP_MCP_CONFIG_PATH"];

/// What names or is a project's configuration.
const PROJECT_VARIABLES: [&str; 4] = [
    "TOOLGATE_CONFIG",
    "CODEX_TOOLLOOP_MCP_CONFIG_PATH",
    "TOOLGATE_CONFIG_JSON",
    "CODEX_TOOLLOOP_MCP_CONFIG_JSON",
];
