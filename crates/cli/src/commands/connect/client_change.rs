//! A client's own file as a verb changes it: what is said of the change, and shown of it.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use toolgate_config::EditScope;
use toolgate_config::clients::{
    ClientEdit, ClientEditError, ClientRoute, ClientScope, ClientTextError, DisconnectedFile,
    ENTRY, KnownClient,
};
use toolgate_config::edit::file::EditedFile;
use toolgate_terminal::{CommandOutput, shown_diff};
use toolgate_types::{did_you_mean, visible};

use crate::failure::CliFailure;
use crate::surroundings::Surroundings;

pub(in crate::commands) struct ClientChange<'a> {
    edit: ClientEdit,
    dry: bool,
    surroundings: &'a Surroundings,
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

impl<'a> ClientChange<'a> {
    pub(in crate::commands) fn new(
        client: KnownClient,
        scope: EditScope,
        dry: bool,
        surroundings: &'a Surroundings,
    ) -> Result<Self, CliFailure> {
        let places = surroundings.client_places()?;
        let edit = ClientEdit::new(client, &places, scope.into()).map_err(CliFailure::new)?;
        Ok(Self { edit, dry, surroundings })
    }

    pub(in crate::commands) fn connect(
        &self,
        route: &ClientRoute,
        output: &mut CommandOutput,
    ) -> Result<Map<String, Value>, CliFailure> {
        let edited = self.edit.connect(route, self.locks()?.as_deref());
        let edited = edited.map_err(|failure| self.explain(&failure))?;
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
        let DisconnectedFile { edited, is_as_before } = self
            .edit
            .disconnect(self.locks()?.as_deref())
            .map_err(|failure| self.explain(&failure))?;
        self.tell("disconnected", &edited, output);
        if !self.dry && is_as_before {
            output.note("it is as it was before it was connected");
        }
        Ok(self.document(&edited))
    }

    /// Whether our entry is in the file.
    pub(in crate::commands) fn has_entry(&self) -> bool {
        self.edit.has_entry()
    }

    /// Nowhere where nothing is to be written.
    fn locks(&self) -> Result<Option<PathBuf>, CliFailure> {
        (!self.dry).then(|| self.surroundings.lock_folder()).transpose()
    }

    fn explain(&self, failure: &ClientEditError) -> CliFailure {
        match failure {
            ClientEditError::Text(ClientTextError::NotConnected) => CliFailure::new(format!(
                "{} is not connected: {} has no entry `{ENTRY}`",
                self.edit.client.title(),
                self.shown(&self.edit.file.path),
            )),
            failure => CliFailure::new(failure),
        }
    }

    /// As it is typed after a verb.
    fn named(&self) -> String {
        match self.edit.file.scope {
            ClientScope::Project => format!("{} --scope project", self.edit.client),
            ClientScope::User => self.edit.client.to_string(),
        }
    }

    fn shown(&self, path: &Path) -> String {
        self.surroundings.shown(path)
    }

    fn tell(&self, done: &str, edited: &EditedFile, output: &mut CommandOutput) {
        if output.json {
            return;
        }
        let (file, title) = (self.shown(&edited.path), self.edit.client.title());
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
        fields.insert("client".into(), self.edit.client.as_str().into());
        fields.insert("file".into(), edited.path.display().to_string().into());
        fields.insert("changed".into(), edited.is_changed().into());
        fields.insert("dryRun".into(), self.dry.into());
        let backup = edited.backup.as_ref().map(|path| path.display().to_string());
        fields.insert("backup".into(), backup.into());
        fields
    }
}
