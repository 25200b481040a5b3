//! What stays as it is in a folder that may otherwise be written to: files that make somebody's next
//! command run something.

use std::path::{Path, PathBuf};

/// Names right below the workspace.
pub(super) const PROTECTED_NAMES: [&str; 15] = [
    ".git",
    ".toolgate",
    "toolgate.toml",
    "toolgate.json",
    "toolgate.lock",
    ".mcp.json",
    ".claude",
    ".cursor",
    ".vscode",
    ".codex",
    ".gemini",
    ".envrc",
    ".husky",
    "opencode.json",
    "opencode.jsonc",
];

/// A folder that may be written to and holds files that may not: it cannot be moved away either.
pub(super) const FOLDER_WITH_PROTECTED: (&str, [&str; 2]) = (".cargo", ["config", "config.toml"]);

/// What of a repository's own folder stays closed where an entry may write to it.
pub(super) const CLOSED_IN_REPOSITORY: [&str; 3] = ["hooks", "config", "info"];

/// The protected names that are there now.
pub(super) fn protected_in(workspace: &Path) -> impl Iterator<Item = PathBuf> {
    let here = PROTECTED_NAMES.into_iter().map(move |name| workspace.join(name));
    here.filter(|path| path.symlink_metadata().is_ok())
}
