//! Other clients of the protocol: where they keep their servers, what such a server is in our own
//! keys, and the one entry that points a client at Toolgate.
//!
//! Texts and trees go in, entries and notes come out; files are opened by [`ImportSearch`] and
//! [`ClientEdit`] alone, and written by the latter. No variable of the process is read, nothing is
//! printed, and no trust is ever taken over.

mod claude;
mod client_edit;
mod client_text;
mod codex;
mod connect;
mod connect_error;
mod continue_dev;
mod cursor;
mod dialect;
mod dialects;
mod draft;
mod entry_target;
mod files;
mod gemini;
mod id;
mod import;
mod import_search;
mod import_source;
mod imported;
mod inputs;
mod mcp_servers;
mod note;
mod opencode;
mod own;
mod recognise;
mod scene;
mod shown_entry;
mod switches;
mod variables;
mod verify;
mod vscode;
mod windsurf;
mod written;
mod zed;

pub use client_edit::{ClientEdit, ClientEditError, DisconnectedFile};
pub use client_text::{ClientText, ClientTextError, DisconnectedText};
pub use connect::{ClientEntry, ClientRoute, connect_entry, connect_file, entry_path};
pub use connect_error::ClientConnectError;
pub use entry_target::{EntryAddress, EntryTarget};
pub use files::{ClientFile, ClientFolders, ClientScope, FileKind};
pub use import::import;
pub use import_search::{
    FoundClientFile, FoundServer, ImportSearch, ImportTarget, refuse_unwritable,
};
pub use import_source::ImportSourceError;
pub use imported::{ImportOutcome, ImportRequest, ImportedFile, ImportedServer};
pub use note::{ImportNote, NoteKind, NoteSeverity};
pub use own::ENTRY;

use crate::tree::ConfigFormat;

/// A client whose configuration can be read and connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KnownClient {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    VsCode,
    Codex,
    Opencode,
    Gemini,
    Qwen,
    Continue,
    Windsurf,
    Zed,
}

impl KnownClient {
    pub const ALL: [Self; 11] = [
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::Cursor,
        Self::VsCode,
        Self::Codex,
        Self::Opencode,
        Self::Gemini,
        Self::Qwen,
        Self::Continue,
        Self::Windsurf,
        Self::Zed,
    ];

    /// The name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Codex => "codex",
            Self::Opencode => "opencode",
            Self::Gemini => "gemini",
            Self::Qwen => "qwen-code",
            Self::Continue => "continue",
            Self::Windsurf => "windsurf",
            Self::Zed => "zed",
        }
    }

    /// The name in a sentence.
    pub fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Codex => "Codex",
            Self::Opencode => "opencode",
            Self::Gemini => "Gemini CLI",
            Self::Qwen => "Qwen Code",
            Self::Continue => "Continue",
            Self::Windsurf => "Windsurf",
            Self::Zed => "Zed",
        }
    }

    /// The client a person means: its name in any case, or what people call it.
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase().replace(['_', ' '], "-");
        let by_name = Self::ALL.into_iter().find(|client| client.as_str() == name);
        by_name.or(match name.as_str() {
            "claude" | "claudecode" => Some(Self::ClaudeCode),
            "claudedesktop" => Some(Self::ClaudeDesktop),
            "vs-code" | "code" | "copilot" => Some(Self::VsCode),
            "codex-cli" => Some(Self::Codex),
            "open-code" => Some(Self::Opencode),
            "gemini-cli" => Some(Self::Gemini),
            "qwen" | "qwencode" => Some(Self::Qwen),
            "continue-dev" | "cn" => Some(Self::Continue),
            _ => None,
        })
    }

    /// The syntax of its files.
    pub fn format(self) -> ConfigFormat {
        match self {
            Self::Codex => ConfigFormat::Toml,
            Self::Continue => ConfigFormat::Yaml,
            _ => ConfigFormat::Json,
        }
    }
}

impl std::fmt::Display for KnownClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
