//! The text of a client's own file with our entry in it, and without.
//!
//! The client goes on writing its file, so nothing is ever put back over it: the entry alone is taken
//! out. Only where nobody has written since the entry came does the text become the very one it was.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use toolgate_types::ConfigSource;

use super::connect::{ClientRoute, connect_entry, entry_path};
use super::connect_error::ClientConnectError;
use super::{KnownClient, own};
use crate::edit::{EditError, TextEditor};
use crate::problem::Problems;
use crate::tree::ConfigDocument;

/// Why there is no such text. The old one stays.
#[derive(Debug, thiserror::Error)]
pub enum ClientTextError {
    #[error(transparent)]
    Connect(#[from] ClientConnectError),
    #[error(transparent)]
    Edit(#[from] EditError),
    #[error(transparent)]
    Unreadable(Problems),
    #[error("it has no entry `{}`", own::ENTRY)]
    NotConnected,
}

/// A text without our entry.
#[derive(Clone, PartialEq, Eq)]
pub enum DisconnectedText {
    /// The entry alone was taken out.
    Edited(String),
    /// What the file was before it was connected, byte for byte.
    Restored(String),
    /// There was no file before.
    NoFile,
}

/// A client's file as it is now.
#[derive(Clone, Copy)]
pub struct ClientText<'a> {
    pub client: KnownClient,
    /// Its name in problems.
    pub path: &'a Path,
    pub text: &'a str,
}

impl ClientText<'_> {
    /// The same with the entry that leads this way.
    pub fn connected(&self, route: &ClientRoute) -> Result<String, ClientTextError> {
        let document = self.document()?;
        let root = document.as_ref().map(|document| &document.root);
        let entry = connect_entry(self.client, route, root)?;
        self.with_entry(&entry.value)
    }

    /// Whether our own entry is in it, and not another of the same name.
    pub fn is_connected(&self) -> bool {
        let entry = self.entry().ok().flatten();
        entry.as_ref().and_then(Value::as_object).is_some_and(own::leads_to_toolgate)
    }

    /// The same without the entry. `before` is what was kept when it was connected, if a file was
    /// there then.
    pub fn disconnected(&self, before: Option<&str>) -> Result<DisconnectedText, ClientTextError> {
        let entry = self.entry()?.ok_or(ClientTextError::NotConnected)?;
        if self.is_all_ours() && before.is_none_or(|text| self.of(text).is_all_ours()) {
            return Ok(DisconnectedText::NoFile);
        }
        if let Some(before) = before
            && self.of(before).entry()?.is_none()
            && self.of(before).with_entry(&entry).is_ok_and(|text| text == self.text)
        {
            return Ok(DisconnectedText::Restored(before.to_owned()));
        }
        let mut editor = self.editor()?;
        let path = self.entry_path()?;
        editor.remove(&path.iter().map(String::as_str).collect::<Vec<_>>())?;
        Ok(DisconnectedText::Edited(editor.finish()))
    }

    /// What our entry says, as JSON.
    pub fn entry(&self) -> Result<Option<Value>, ClientTextError> {
        let Some(document) = self.document()? else { return Ok(None) };
        let path = entry_path(self.client, Some(&document.root));
        let entry = path.iter().try_fold(&document.root, |node, key| node.get(key));
        Ok(entry.and_then(|entry| serde_json::from_str(&entry.to_json(false)).ok()))
    }

    /// Whether there is nothing in it but what `connect` writes into a new file.
    fn is_all_ours(&self) -> bool {
        let entry = self.entry().ok().flatten();
        entry
            .is_some_and(|entry| self.of("").with_entry(&entry).is_ok_and(|text| text == self.text))
    }

    fn of<'t>(&self, text: &'t str) -> ClientText<'t>
    where
        Self: 't,
    {
        ClientText { client: self.client, path: Path::new(""), text }
    }

    fn with_entry(&self, value: &Value) -> Result<String, ClientTextError> {
        let path = self.entry_path()?;
        let mut editor = self.editor()?;
        editor.set(&path.iter().map(String::as_str).collect::<Vec<_>>(), value)?;
        Ok(editor.finish())
    }

    fn entry_path(&self) -> Result<Vec<String>, ClientTextError> {
        let document = self.document()?;
        Ok(entry_path(self.client, document.as_ref().map(|document| &document.root)))
    }

    fn editor(&self) -> Result<TextEditor, ClientTextError> {
        Ok(TextEditor::open(self.client.format(), self.text)?)
    }

    /// `None` where there is nothing in it.
    fn document(&self) -> Result<Option<ConfigDocument>, ClientTextError> {
        if self.text.trim_start_matches('\u{feff}').trim().is_empty() {
            return Ok(None);
        }
        let source = Arc::new(ConfigSource::File(self.path.to_owned()));
        let text = self.text.replacen('\u{feff}', "   ", 1);
        let parsed = ConfigDocument::parse(source, self.client.format(), &text);
        parsed.map(Some).map_err(|problems| ClientTextError::Unreadable(Problems(problems)))
    }
}

impl std::fmt::Debug for ClientText<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { client, path, .. } = self;
        f.debug_struct("ClientText")
            .field("client", client)
            .field("path", path)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for DisconnectedText {
    /// Without the text, which may hold secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Edited(_) => "Edited",
            Self::Restored(_) => "Restored",
            Self::NoFile => "NoFile",
        })
    }
}
