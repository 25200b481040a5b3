//! Which client a file belongs to: by its name and folder, else by its keys.
//!
//! The name comes first because one key means different things in different files.

use std::path::Path;

use super::{KnownClient, opencode};
use crate::tree::{ConfigFormat, ConfigNode};

fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml")
}

impl KnownClient {
    /// The client whose file has this name, in a folder of this name.
    pub fn of_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        match (folder, name) {
            (_, ".mcp.json" | ".claude.json") => Some(Self::ClaudeCode),
            (_, "claude_desktop_config.json") => Some(Self::ClaudeDesktop),
            (Some(".cursor"), "mcp.json") => Some(Self::Cursor),
            (Some(".vscode" | "User"), "mcp.json") => Some(Self::VsCode),
            (Some(".codex"), "config.toml") => Some(Self::Codex),
            (_, "opencode.json" | "opencode.jsonc") => Some(Self::Opencode),
            (Some(".gemini"), "settings.json") => Some(Self::Gemini),
            (Some(".qwen"), "settings.json") => Some(Self::Qwen),
            (Some(".continue"), "config.yaml") => Some(Self::Continue),
            (Some("mcpServers"), _) if is_yaml(path) => Some(Self::Continue),
            (_, "mcp_config.json") => Some(Self::Windsurf),
            (Some("zed" | ".zed"), "settings.json") => Some(Self::Zed),
            _ => None,
        }
    }

    /// The client whose dialect these keys are.
    pub fn of_keys(format: ConfigFormat, root: &ConfigNode) -> Option<Self> {
        if format == ConfigFormat::Toml {
            return root.get("mcp_servers").map(|_| Self::Codex);
        }
        if let Some(servers) = root.get("mcpServers") {
            return Some(if any(servers, "httpUrl") {
                Self::Gemini
            } else if any(servers, "serverUrl") {
                Self::Windsurf
            } else {
                Self::ClaudeCode
            });
        }
        if root.get("context_servers").is_some() {
            return Some(Self::Zed);
        }
        // Our own JSON has `servers` too, but neither `inputs` nor a `type`.
        if let Some(servers) = root.get("servers")
            && (root.get("inputs").is_some() || any(servers, "type"))
        {
            return Some(Self::VsCode);
        }
        opencode::is_opencode(root).then_some(Self::Opencode)
    }
}

/// Whether some entry of a table has this key as text.
fn any(servers: &ConfigNode, key: &str) -> bool {
    let has = |server: &ConfigNode| server.get(key).is_some_and(|value| value.string().is_some());
    servers.table().unwrap_or_default().iter().any(|member| has(&member.value))
}
