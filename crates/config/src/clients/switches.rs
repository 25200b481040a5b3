//! Where a client says, outside the file that has them, which of a project's servers are off.

use std::path::PathBuf;
use std::sync::Arc;

use toolgate_types::ConfigSource;

use super::{ClientFolders, KnownClient, claude};
use crate::tree::{ConfigDocument, ConfigFormat};

impl KnownClient {
    /// The files that may say so.
    pub(super) fn files_with_switches(self, places: &ClientFolders) -> Vec<PathBuf> {
        let ClientFolders { home, workspace, .. } = places;
        match self {
            Self::ClaudeCode => vec![
                home.join(".claude.json"),
                home.join(".claude/settings.json"),
                workspace.join(".claude/settings.json"),
                workspace.join(".claude/settings.local.json"),
            ],
            _ => Vec::new(),
        }
    }
}

/// The names that such a file switches off; none where it cannot be read, which is its client's affair.
pub(super) fn switched_off_in(
    client: KnownClient,
    text: &str,
    project_keys: &[String],
) -> Vec<String> {
    let source = Arc::new(ConfigSource::Overrides);
    match (client, ConfigDocument::parse(source, ConfigFormat::Json, text)) {
        (KnownClient::ClaudeCode, Ok(document)) => {
            claude::switched_off_in(&document.root, project_keys)
        }
        _ => Vec::new(),
    }
}
