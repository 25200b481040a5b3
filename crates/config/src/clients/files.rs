//! Where each client keeps its files, for given folders.
//!
//! Whether a file is there is the caller's to see; Windows is not among the platforms.

use std::path::{Path, PathBuf};

use super::KnownClient;
use crate::edit_scope::EditScope;

/// The folders that the paths start from.
#[derive(Debug, Clone)]
pub struct ClientFolders {
    pub home: PathBuf,
    /// `$XDG_CONFIG_HOME`, else `~/.config`.
    pub config_home: PathBuf,
    pub workspace: PathBuf,
}

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientScope {
    Project,
    User,
}

impl ClientScope {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

impl From<EditScope> for ClientScope {
    fn from(scope: EditScope) -> Self {
        match scope {
            EditScope::Project => Self::Project,
            EditScope::Global => Self::User,
        }
    }
}

/// What else such a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// Servers and nothing else.
    Servers,
    /// All settings of the client, the servers among them.
    Settings,
}

/// One file a client reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientFile {
    pub path: PathBuf,
    pub scope: ClientScope,
    pub kind: FileKind,
}

impl KnownClient {
    /// Whether this client seems to be used by this person: it has a file of theirs, or a folder for
    /// one.
    pub fn is_found(self, places: &ClientFolders, exists: &dyn Fn(&Path) -> bool) -> bool {
        let is_its_folder = |folder: &Path| folder != places.home && exists(folder);
        let files = self.files(places).into_iter().filter(|file| file.scope == ClientScope::User);
        let mut paths = files.map(|file| file.path);
        paths.any(|path| exists(&path) || path.parent().is_some_and(is_its_folder))
            || (self == Self::ClaudeCode && exists(&places.home.join(".claude")))
    }

    /// Whether it reads the other files of that folder too.
    pub fn reads_folder_of(self, file: &ClientFile) -> bool {
        self == Self::Continue && file.kind == FileKind::Servers
    }

    /// Every file this client reads its servers from, the project's first.
    pub fn files(self, places: &ClientFolders) -> Vec<ClientFile> {
        use FileKind::{Servers, Settings};
        let ClientFolders { home, config_home, workspace } = places;
        let library = home.join("Library/Application Support");
        let programs = if cfg!(target_os = "macos") { &library } else { config_home };
        let project = |kind, name: &str| ClientFile {
            path: workspace.join(name),
            scope: ClientScope::Project,
            kind,
        };
        let user = |kind, folder: &Path, name: &str| ClientFile {
            path: folder.join(name),
            scope: ClientScope::User,
            kind,
        };
        match self {
            Self::ClaudeCode => {
                vec![project(Servers, ".mcp.json"), user(Settings, home, ".claude.json")]
            }
            Self::ClaudeDesktop => {
                vec![user(Settings, programs, "Claude/claude_desktop_config.json")]
            }
            Self::Cursor => {
                let name = ".cursor/mcp.json";
                vec![project(Servers, name), user(Servers, home, name)]
            }
            Self::VsCode => vec![
                project(Servers, ".vscode/mcp.json"),
                user(Servers, programs, "Code/User/mcp.json"),
            ],
            Self::Codex => {
                let name = ".codex/config.toml";
                vec![project(Settings, name), user(Settings, home, name)]
            }
            Self::Opencode => vec![
                project(Settings, "opencode.json"),
                project(Settings, "opencode.jsonc"),
                user(Settings, config_home, "opencode/opencode.json"),
                user(Settings, config_home, "opencode/opencode.jsonc"),
            ],
            Self::Gemini => {
                let name = ".gemini/settings.json";
                vec![project(Settings, name), user(Settings, home, name)]
            }
            Self::Qwen => {
                let name = ".qwen/settings.json";
                vec![project(Settings, name), user(Settings, home, name)]
            }
            // In a project it reads every file of that folder; this one is ours.
            Self::Continue => vec![
                project(Servers, ".continue/mcpServers/toolgate.yaml"),
                user(Settings, home, ".continue/config.yaml"),
            ],
            Self::Windsurf => vec![user(Servers, home, ".codeium/windsurf/mcp_config.json")],
            // Zed keeps to `~/.config` on macOS too.
            Self::Zed => vec![
                project(Settings, ".zed/settings.json"),
                user(Settings, config_home, "zed/settings.json"),
            ],
        }
    }
}
