//! An edit of one client's own file: what was there is kept beside it, and the change is shown.

use std::path::Path;

use serde_json::{Map, Value};
use toolgate_config::clients::{
    self, ClientRoute, ClientScope, ClientText, ClientTextError, DisconnectedText, KnownClient,
    connect_file,
};
use toolgate_config::edit::file::{
    BackupChoice, EditedFile, FileError, backup_path, dry_run, edit_file, remove_file,
};
use toolgate_terminal::{CommandOutput, shown_diff};
use toolgate_types::{did_you_mean, visible};

use crate::args::EditScope;
use crate::failure::CliFailure;
use crate::surroundings::Surroundings;

/// An edit of one client's own file.
pub(in crate::commands) struct ClientEdit<'a> {
    client: KnownClient,
    file: clients::ClientFile,
    dry: bool,
    surroundings: &'a Surroundings,
}

/// What can go wrong while the new text is made.
enum EditFailure {
    Text(ClientTextError),
    File(FileError),
}

impl From<ClientTextError> for EditFailure {
    fn from(error: ClientTextError) -> Self {
        Self::Text(error)
    }
}

impl From<FileError> for EditFailure {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

/// The client that is called so.
pub(in crate::commands) fn client_named(name: &str) -> Result<KnownClient, CliFailure> {
    KnownClient::parse(name).ok_or_else(|| {
        CliFailure::usage(format!("no client is called `{}`", visible(name)))
            .hint(known_clients(name))
    })
}

/// The client that was probably meant, or all that there are.
pub(in crate::commands) fn known_clients(typed: &str) -> String {
    let known = KnownClient::ALL.map(KnownClient::as_str);
    did_you_mean(typed, known).unwrap_or_else(|| format!("known clients: {}", known.join(", ")))
}

impl<'a> ClientEdit<'a> {
    pub(in crate::commands) fn new(
        client: KnownClient,
        scope: EditScope,
        dry: bool,
        surroundings: &'a Surroundings,
    ) -> Result<Self, CliFailure> {
        let places = surroundings.client_places()?;
        let scope = match scope {
            EditScope::Project => ClientScope::Project,
            EditScope::Global => ClientScope::User,
        };
        let file =
            connect_file(client, &places, scope, &|path| path.exists()).map_err(CliFailure::new)?;
        Ok(Self { client, file, dry, surroundings })
    }

    pub(in crate::commands) fn connect(
        &self,
        route: &ClientRoute,
        output: &mut CommandOutput,
    ) -> Result<Map<String, Value>, CliFailure> {
        let path = &self.file.path;
        let change = |text: &str| Ok(self.of(text).connected(route)?);
        // What was there before our entry came is worth more than an older entry of ours.
        let present = std::fs::read_to_string(path).unwrap_or_default();
        let backup = match self.of(&present).is_connected() {
            true => BackupChoice::None,
            false => BackupChoice::Beside,
        };
        let edited = match self.dry {
            true => dry_run(path, change),
            false => edit_file(path, &self.surroundings.lock_folder()?, backup, change),
        };
        let edited = edited.map_err(|failure| self.explain(failure))?;
        self.tell("connected", &edited, output);
        if edited.is_changed() && !self.dry {
            output.note(format!("undo with: toolgate disconnect {}", self.named()));
        }
        Ok(self.document(&edited))
    }

    pub(in crate::commands) fn disconnect(
        &self,
        output: &mut CommandOutput,
    ) -> Result<Map<String, Value>, CliFailure> {
        let path = &self.file.path;
        let kept = backup_path(path);
        let before = std::fs::read_to_string(&kept).ok();
        let (mut is_as_before, mut is_gone) = (false, false);
        let change = |text: &str| {
            Ok(match self.of(text).disconnected(before.as_deref())? {
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
        let looked = dry_run(path, change).map_err(|failure| self.explain(failure))?;
        let mut edited = looked.clone();
        if !self.dry {
            let locks = self.surroundings.lock_folder()?;
            let unwritten = |error| self.explain(EditFailure::File(error));
            match is_gone {
                true => remove_file(path, &locks, &looked.before).map_err(unwritten)?,
                false => {
                    let backup =
                        if is_as_before { BackupChoice::None } else { BackupChoice::Beside };
                    let again = |text: &str| match text == looked.before {
                        true => Ok(looked.after.clone()),
                        false => Err(FileError::ChangedMeanwhile { path: path.clone() }),
                    };
                    edited = edit_file(path, &locks, backup, again).map_err(unwritten)?;
                }
            }
            // It says nothing that the file does not say.
            if is_as_before {
                let _ = std::fs::remove_file(&kept);
            }
        }
        self.tell("disconnected", &edited, output);
        if !self.dry && is_as_before {
            output.note("it is as it was before it was connected");
        }
        Ok(self.document(&edited))
    }

    /// Whether our entry is in the file.
    pub(in crate::commands) fn is_connected(&self) -> bool {
        let text = std::fs::read_to_string(&self.file.path).unwrap_or_default();
        matches!(self.of(&text).entry(), Ok(Some(_)))
    }

    fn of<'t>(&'t self, text: &'t str) -> ClientText<'t> {
        ClientText { client: self.client, path: &self.file.path, text }
    }

    fn explain(&self, failure: EditFailure) -> CliFailure {
        match failure {
            EditFailure::Text(ClientTextError::NotConnected) => CliFailure::new(format!(
                "{} is not connected: {} has no entry `{}`",
                self.client.title(),
                self.shown(&self.file.path),
                clients::ENTRY
            )),
            EditFailure::Text(error) => CliFailure::new(error),
            EditFailure::File(error) => CliFailure::new(error),
        }
    }

    /// As it is typed after a verb.
    fn named(&self) -> String {
        match self.file.scope {
            ClientScope::Project => format!("{} --scope project", self.client),
            ClientScope::User => self.client.to_string(),
        }
    }

    fn shown(&self, path: &Path) -> String {
        self.surroundings.shown(path)
    }

    fn tell(&self, done: &str, edited: &EditedFile, output: &mut CommandOutput) {
        if output.json {
            return;
        }
        let (file, title) = (self.shown(&edited.path), self.client.title());
        if !edited.is_changed() {
            return output.note(format!("{file} needs no change"));
        }
        output.raw(&shown_diff(&edited.before, &edited.after, &file));
        if self.dry {
            return output.note(format!("nothing was written; {title} is as it was"));
        }
        output.note(format!("{done} {title}: {file}"));
        if let Some(backup) = &edited.backup {
            output.note(format!("the file as it was: {}", self.shown(backup)));
        }
    }

    fn document(&self, edited: &EditedFile) -> Map<String, Value> {
        let mut fields = Map::new();
        fields.insert("client".into(), self.client.as_str().into());
        fields.insert("file".into(), edited.path.display().to_string().into());
        fields.insert("changed".into(), edited.is_changed().into());
        fields.insert("dryRun".into(), self.dry.into());
        let backup = edited.backup.as_ref().map(|path| path.display().to_string());
        fields.insert("backup".into(), backup.into());
        fields
    }
}
