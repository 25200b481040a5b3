//! Which client writes in which dialect.

use super::dialect::ClientDialect;
use super::{
    KnownClient, claude, codex, continue_dev, cursor, gemini, opencode, vscode, windsurf, zed,
};

pub(super) fn dialect_of(client: KnownClient) -> &'static ClientDialect {
    match client {
        KnownClient::ClaudeCode => &claude::CODE,
        KnownClient::ClaudeDesktop => &claude::DESKTOP,
        KnownClient::Cursor => &cursor::DIALECT,
        KnownClient::VsCode => &vscode::DIALECT,
        KnownClient::Codex => &codex::DIALECT,
        KnownClient::Opencode => &opencode::DIALECT,
        KnownClient::Gemini | KnownClient::Qwen => &gemini::DIALECT,
        KnownClient::Continue => &continue_dev::DIALECT,
        KnownClient::Windsurf => &windsurf::DIALECT,
        KnownClient::Zed => &zed::DIALECT,
    }
}
