//! The shapes a configuration may be written in, and how one is told from the others.
//!
//! File name or variable decide first, then the keys; anything else is native.

mod entry;

use std::path::Path;

pub use entry::UnsayableKey;

use crate::tree::{ConfigFormat, ConfigNode};

/// A way of writing a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigShape {
    /// Our own: `servers`, `tools`, `bundles`, … in TOML or JSON.
    Native,
    /// JSON with `servers` and `bundles`, `transport` an object, `trust` required.
    ToolLoop,
    /// JSON with `mcp.servers`, `transport` a word.
    Codelia,
    /// TOML with `[mcp.<tool>]` command tools.
    CommandTools,
    /// TOML with `[mcp_servers.<id>]`.
    Codex,
}

/// Names under `[mcp]` that are sections and never tools.
pub(crate) const RESERVED_UNDER_MCP: [&str; 3] = ["servers", "bundles", "policy"];

impl ConfigShape {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::ToolLoop => "toolloop",
            Self::Codelia => "codelia",
            Self::CommandTools => "command-tools",
            Self::Codex => "codex",
        }
    }

    /// The shape a file has by its name, whatever it holds.
    pub fn of_file_name(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        match (folder, name) {
            (_, "codex-toolloop.mcp.json") | (Some(".codex-toolloop"), "mcp.json") => {
                Some(Self::ToolLoop)
            }
            (Some(".codelia"), "config.json") => Some(Self::Codelia),
            (Some(".codex"), "config.toml") => Some(Self::Codex),
            _ => None,
        }
    }

    /// The shape a document has by its keys.
    pub fn of_keys(format: ConfigFormat, root: &ConfigNode) -> Self {
        let mcp = root.get("mcp");
        match format {
            ConfigFormat::Toml if root.get("mcp_servers").is_some() => Self::Codex,
            ConfigFormat::Toml if mcp.is_some() => Self::CommandTools,
            ConfigFormat::Json if mcp.and_then(|mcp| mcp.get("servers")).is_some() => Self::Codelia,
            ConfigFormat::Json if has_transport_objects(root) => Self::ToolLoop,
            ConfigFormat::Toml | ConfigFormat::Json | ConfigFormat::Yaml => Self::Native,
        }
    }

    /// In the older JSON shape a time-out that makes no sense falls back to the default.
    pub(crate) fn forgives_timeouts(self) -> bool {
        self == Self::Codelia
    }

    /// In that shape one time-out bounds every request, tool calls included.
    pub(crate) fn request_timeout_bounds_calls(self) -> bool {
        self == Self::Codelia
    }

    pub(crate) fn requires_trust(self) -> bool {
        self == Self::ToolLoop
    }

    /// The path under which servers stand in a file of this shape.
    pub fn servers_path(self) -> &'static [&'static str] {
        match self {
            Self::Native | Self::ToolLoop => &["servers"],
            Self::Codelia | Self::CommandTools => &["mcp", "servers"],
            Self::Codex => &["mcp_servers"],
        }
    }
}

/// Only the older shape writes `"transport": { "type": … }` for every server it has.
fn has_transport_objects(root: &ConfigNode) -> bool {
    let servers = root.get("servers").and_then(ConfigNode::table).unwrap_or_default();
    let is_object =
        |server: &ConfigNode| server.get("transport").is_some_and(|t| t.table().is_some());
    !servers.is_empty() && servers.iter().all(|server| is_object(&server.value))
}
