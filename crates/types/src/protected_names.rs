//! Names in a workspace that make somebody's next command run something, so nothing that works for an
//! agent writes to them: neither a process behind walls nor a tool of our own.

/// Right below the workspace.
pub const PROTECTED_NAMES: [&str; 15] = [
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

/// A folder that may be written to and holds files that may not.
pub const FOLDER_WITH_PROTECTED: (&str, [&str; 2]) = (".cargo", ["config", "config.toml"]);
