//! One edit of one client's own file: our entry is put into it or taken out. What was there before is
//! kept beside it, and comes back where nobody has written since.
//!
//! What is said about it, and to whom, is the caller's.

use std::path::Path;

use super::KnownClient;
use super::client_text::{ClientText, ClientTextError, DisconnectedText};
use super::connect::{ClientRoute, connect_file};
use super::connect_error::ClientConnectError;
use super::files::{ClientFile, ClientFolders, ClientScope};
use crate::edit::file::{
    BackupChoice, EditedFile, FileError, backup_path, dry_run, edit_file, remove_file,
};

/// The file of one client that is edited.
#[derive(Debug, Clone)]
pub struct ClientEdit {
    pub client: KnownClient,
    pub file: ClientFile,
}

/// Why a client's file was not edited. It is as it was.
#[derive(Debug, thiserror::Error)]
pub enum ClientEditError {
    #[error(transparent)]
    Text(#[from] ClientTextError),
    #[error(transparent)]
    File(#[from] FileError),
}

/// What became of a file without our entry, or would.
#[derive(Debug, Clone)]
pub struct DisconnectedFile {
    pub edited: EditedFile,
    /// It is what it was before it was connected, be that no file at all.
    pub is_as_before: bool,
}

impl ClientEdit {
    /// Of the file that the client reads, or would read.
    pub fn new(
        client: KnownClient,
        places: &ClientFolders,
        scope: ClientScope,
    ) -> Result<Self, ClientConnectError> {
        let file = connect_file(client, places, scope, &|path| path.exists())?;
        Ok(Self { client, file })
    }

    /// Puts the entry in that leads this way. Without a folder for locks nothing is written, and the
    /// answer is what would be.
    pub fn connect(
        &self,
        route: &ClientRoute,
        lock_folder: Option<&Path>,
    ) -> Result<EditedFile, ClientEditError> {
        let path = &self.file.path;
        let change = |text: &str| Ok(self.of(text).connected(route)?);
        // What was there before our entry came is worth more than an older entry of ours.
        let backup = match self.of(&self.present()).is_connected() {
            true => BackupChoice::None,
            false => BackupChoice::Beside,
        };
        match lock_folder {
            None => dry_run(path, change),
            Some(locks) => edit_file(path, locks, backup, change),
        }
    }

    /// Takes the entry out, or tells what that would make of the file, as [`Self::connect`] does.
    pub fn disconnect(
        &self,
        lock_folder: Option<&Path>,
    ) -> Result<DisconnectedFile, ClientEditError> {
        let path = &self.file.path;
        let kept = backup_path(path);
        let before = std::fs::read_to_string(&kept).ok();
        let (mut is_as_before, mut is_gone) = (false, false);
        let change = |text: &str| {
            Ok::<_, ClientEditError>(match self.of(text).disconnected(before.as_deref())? {
                DisconnectedText::Edited(text) => text,
                DisconnectedText::Restored(text) => {
                    is_as_before = true;
                    text
                }
                DisconnectedText::NoFile => {
                    (is_as_before, is_gone) = (true, true);
                    String::new()
                }
            })
        };
        let looked = dry_run(path, change)?;
        let Some(locks) = lock_folder else {
            return Ok(DisconnectedFile { edited: looked, is_as_before });
        };
        let edited = if is_gone {
            remove_file(path, locks, &looked.before)?;
            looked
        } else {
            let backup = if is_as_before { BackupChoice::None } else { BackupChoice::Beside };
            edit_file(path, locks, backup, |text| match text == looked.before {
                true => Ok(looked.after.clone()),
                false => Err(FileError::ChangedMeanwhile { path: path.clone() }),
            })?
        };
        // It says nothing that the file does not say.
        if is_as_before {
            let _ = std::fs::remove_file(&kept);
        }
        Ok(DisconnectedFile { edited, is_as_before })
    }

    /// Whether an entry of our name is in the file.
    pub fn has_entry(&self) -> bool {
        matches!(self.of(&self.present()).entry(), Ok(Some(_)))
    }

    /// What is in the file, as far as it can be read.
    fn present(&self) -> String {
        std::fs::read_to_string(&self.file.path).unwrap_or_default()
    }

    fn of<'t>(&'t self, text: &'t str) -> ClientText<'t> {
        ClientText { client: self.client, path: &self.file.path, text }
    }
}
