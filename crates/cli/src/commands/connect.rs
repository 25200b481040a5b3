//! `toolgate connect <client>`: writes the one entry `gate` into a client's own file.
//!
//! The old file is kept beside it and the change is shown, without anybody's secrets.

use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use serde_json::Map;
use similar::{ChangeTag, TextDiff};
use toolgate_config::Problems;
use toolgate_config::change::ServerChange;
use toolgate_config::clients::{
    self, ClientConnectError, KnownClient, connect_entry, connect_file,
};
use toolgate_config::edit::file::{BackupChoice, EditedFile, FileError, dry_run, edit_file};
use toolgate_config::edit::{EditError, TextEditor};
use toolgate_config::tree::ConfigDocument;
use toolgate_store::{ProjectRoot, Workspaces as _};
use toolgate_terminal::CommandOutput;
use toolgate_types::config::{ApprovalMode, Server};
use toolgate_types::{
    ConfigSource, Secret, Trust, did_you_mean, is_sensitive_name, since_1970, visible,
};

use super::add::edit;
use crate::args::{ConnectArgs, EditScope, ScopeArg};
use crate::auto_offer::accepts_auto;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::{Surroundings, wait};

pub(crate) fn run(
    arguments: &ConnectArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let how = match &arguments.http {
        Some(url) => over_http(url.as_deref(), arguments, surroundings)?,
        None => clients::ClientRoute::Stdio {
            executable: std::env::current_exe().map_err(|error| {
                CliFailure::new(format!("cannot tell where this program is: {error}"))
            })?,
        },
    };
    let change = ClientEdit::new(&arguments.client, arguments.scope, surroundings)?;
    let edited = change.apply(arguments.dry_run, surroundings, |document, editor, client| {
        let connection = connect_entry(client, &how, document.map(|document| &document.root))?;
        let path: Vec<&str> = connection.path_in_file.iter().map(String::as_str).collect();
        Ok(editor.set(&path, &connection.value)?)
    })?;
    change.tell("connected", &edited, arguments.dry_run, surroundings, output);
    if !arguments.dry_run {
        offer_auto(surroundings, output);
    }
    Ok(Exit::Ok)
}

/// Servers of the person's own file whose every call would ask, for want of a word about it.
fn offer_auto(surroundings: &Surroundings, output: &mut CommandOutput) {
    let own = surroundings.load(ScopeArg::Global).config.servers;
    let asks = |server: &Server| {
        server.enabled
            && server.approval.is_none()
            && server.declared_trust != Some(Trust::Untrusted)
    };
    let ids: Vec<_> =
        own.iter().filter(|(_, entry)| asks(&entry.value)).map(|(id, _)| id).collect();
    let names: Vec<_> = ids.iter().map(|id| id.as_str()).collect();
    if names.is_empty() || !accepts_auto(&format!("tools of {}", names.join(", ")), output) {
        return;
    }
    for id in names {
        let change = ServerChange::Approval(ApprovalMode::Auto);
        match edit(id, EditScope::Global, &change, surroundings) {
            Ok(_) => output.note(format!("{id}: tools that only read run without asking you")),
            // The client is connected all the same.
            Err(failure) => output.warning(format!("{id}: {}", visible(&failure.message))),
        }
    }
}

/// Without an address it is the gateway of this machine, and this folder's place there.
fn over_http(
    url: Option<&str>,
    arguments: &ConnectArgs,
    surroundings: &Surroundings,
) -> Result<clients::ClientRoute, CliFailure> {
    let own = || Ok::<_, CliFailure>(surroundings.state_folder()?.join("tokens/default"));
    let file = arguments.token_file.clone().map_or_else(own, Ok)?;
    let token = match (&arguments.token_file, file.exists()) {
        (None, false) => {
            return Err(CliFailure::new("there is no token yet")
                .hint("`toolgate serve` makes one; or name a file with --token-file"));
        }
        _ => read_token(&file)?,
    };
    let url = match url {
        Some(url) => url.to_owned(),
        None => own_address(arguments.dry_run, surroundings)?,
    };
    Ok(clients::ClientRoute::Http { url, token })
}

fn own_address(dry_run: bool, surroundings: &Surroundings) -> Result<String, CliFailure> {
    let listen = surroundings.load(ScopeArg::Effective).config.gateway.listen;
    let root = ProjectRoot::of(&surroundings.cwd)
        .map_err(|error| CliFailure::new(format!("cannot tell what this folder is: {error}")))?;
    if dry_run {
        return Ok(format!("http://{listen}/w/(a name for this folder)/mcp"));
    }
    let store = surroundings.store()?;
    let id = wait(store.keep_workspace(&root, since_1970(SystemTime::now())))?;
    Ok(format!("http://{listen}/w/{}/mcp", id.as_str()))
}

fn read_token(file: &Path) -> Result<Secret, CliFailure> {
    let mut text = String::new();
    let read = match file.to_str() {
        Some("-") => std::io::stdin().read_to_string(&mut text),
        _ => std::fs::File::open(file).and_then(|mut file| file.read_to_string(&mut text)),
    };
    read.map_err(|error| CliFailure::new(format!("cannot read the token: {error}")))?;
    let token = text.trim().to_owned();
    if token.is_empty() || token.contains(char::is_whitespace) {
        return Err(CliFailure::new("the token file does not hold one token"));
    }
    Ok(Secret::new(token))
}

/// The client that was probably meant, or all that there are.
pub(super) fn known_clients(typed: &str) -> String {
    let known = KnownClient::ALL.map(KnownClient::as_str);
    did_you_mean(typed, known).unwrap_or_else(|| format!("known clients: {}", known.join(", ")))
}

/// An edit of one client's own file.
pub(super) struct ClientEdit {
    client: KnownClient,
    file: clients::ClientFile,
}

/// What can go wrong while the new text is made.
pub(super) enum ConnectFailure {
    Connect(ClientConnectError),
    Edit(EditError),
    File(FileError),
    Problems(Problems),
    NotConnected,
}

impl From<ClientConnectError> for ConnectFailure {
    fn from(error: ClientConnectError) -> Self {
        Self::Connect(error)
    }
}

impl From<EditError> for ConnectFailure {
    fn from(error: EditError) -> Self {
        Self::Edit(error)
    }
}

impl From<FileError> for ConnectFailure {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl ClientEdit {
    pub(super) fn new(
        name: &str,
        scope: EditScope,
        surroundings: &Surroundings,
    ) -> Result<Self, CliFailure> {
        let client = KnownClient::parse(name).ok_or_else(|| {
            CliFailure::usage(format!("no client is called `{}`", visible(name)))
                .hint(known_clients(name))
        })?;
        let places = surroundings.client_places()?;
        let scope = match scope {
            EditScope::Project => clients::ClientScope::Project,
            EditScope::Global => clients::ClientScope::User,
        };
        let file =
            connect_file(client, &places, scope, &|path| path.exists()).map_err(CliFailure::new)?;
        Ok(Self { client, file })
    }

    pub(super) fn apply(
        &self,
        dry: bool,
        surroundings: &Surroundings,
        change: impl FnOnce(
            Option<&ConfigDocument>,
            &mut TextEditor,
            KnownClient,
        ) -> Result<(), ConnectFailure>,
    ) -> Result<EditedFile, CliFailure> {
        let path = &self.file.path;
        let format = self.client.format();
        let edit = |text: &str| -> Result<String, ConnectFailure> {
            let document = match text.trim_start_matches('\u{feff}').trim().is_empty() {
                true => None,
                false => {
                    let source = Arc::new(ConfigSource::File(path.clone()));
                    let text = text.replacen('\u{feff}', "   ", 1);
                    let parsed = ConfigDocument::parse(source, format, &text);
                    Some(parsed.map_err(|problems| ConnectFailure::Problems(Problems(problems)))?)
                }
            };
            let mut editor = TextEditor::open(format, text)?;
            change(document.as_ref(), &mut editor, self.client)?;
            Ok(editor.finish())
        };
        let edited = match dry {
            true => dry_run(path, edit),
            false => edit_file(path, &surroundings.lock_folder()?, BackupChoice::Beside, edit),
        };
        edited.map_err(|refusal| match refusal {
            ConnectFailure::Connect(error) => CliFailure::new(error),
            ConnectFailure::Edit(error) => CliFailure::new(error),
            ConnectFailure::File(error) => CliFailure::new(error),
            ConnectFailure::Problems(problems) => problems.into(),
            ConnectFailure::NotConnected => CliFailure::new(format!(
                "{} is not connected: {} has no entry `{}`",
                self.client.title(),
                surroundings.shown(path),
                clients::ENTRY
            )),
        })
    }

    pub(super) fn tell(
        &self,
        done: &str,
        edited: &EditedFile,
        dry: bool,
        surroundings: &Surroundings,
        output: &mut CommandOutput,
    ) {
        let file = surroundings.shown(&edited.path);
        if output.json {
            let mut fields = Map::new();
            fields.insert("client".into(), self.client.as_str().into());
            fields.insert("file".into(), edited.path.display().to_string().into());
            fields.insert("changed".into(), edited.is_changed().into());
            fields.insert("dryRun".into(), dry.into());
            let backup = edited.backup.as_ref().map(|path| path.display().to_string());
            fields.insert("backup".into(), backup.into());
            output.document(fields);
            return;
        }
        if !edited.is_changed() {
            output.note(format!("{file} needs no change"));
            return;
        }
        output.raw(&diff(&edited.before, &edited.after, &file));
        if dry {
            output.note(format!("nothing was written; {} is as it was", self.client.title()));
            return;
        }
        output.note(format!("{done} {}: {file}", self.client.title()));
        match &edited.backup {
            Some(backup) => {
                let backup = surroundings.shown(backup);
                output.note(format!("undo with: mv {backup} {file}"));
            }
            None => output.note(format!("undo with: rm {file}")),
        }
    }
}

/// The changed lines. Lines that were there before may hold secrets of other servers, so their
/// values are starred; of the new ones only a token is.
fn diff(before: &str, after: &str, file: &str) -> String {
    let mut out = format!("--- {file}\n+++ {file}\n");
    let known: Vec<&str> = before.lines().map(|line| line.trim_end_matches(',')).collect();
    let diff = TextDiff::from_lines(before, after);
    for change in diff.iter_all_changes() {
        let sign = match change.tag() {
            ChangeTag::Equal => continue,
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
        };
        let line = change.value().trim_end_matches(['\r', '\n']);
        let is_new = sign == '+' && !known.contains(&line.trim_end_matches(','));
        let secret = line.contains("Bearer ")
            || line.split(['"', '=', ':']).any(|word| is_sensitive_name(word.trim()));
        let shown = if is_new && !secret { line.to_owned() } else { starred(line) };
        out.push_str(&format!("{sign}{}\n", visible(&shown)));
    }
    out
}

/// A line with every quoted text but the keys replaced by stars.
fn starred(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('"') {
        let inner = &rest[start + 1..];
        let mut escaped = false;
        let end = inner.find(|c| {
            let closes = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            closes
        });
        let Some(end) = end else { break };
        let after = &inner[end + 1..];
        out.push_str(&rest[..start]);
        let is_key = after.trim_start().starts_with([':', '=']);
        out.push_str(&if is_key { format!("\"{}\"", &inner[..end]) } else { "\"***\"".into() });
        rest = after;
    }
    // A text that does not end on its line is cut: what follows may be part of it.
    out.push_str(match rest.find('"') {
        Some(start) => &rest[..start],
        None => rest,
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_others_are_shown_without_their_values() {
        assert_eq!(
            starred(r#"  "a": {"env": {"KEY": "s\"3cret", "N": 5}},"#),
            r#"  "a": {"env": {"KEY": "***", "N": 5}},"#
        );
        assert_eq!(starred(r#"token = "abc"#), "token = ");
        let shown =
            diff("{\"k\": \"old-secret\"}\n", "{\"k\": \"old-secret\"},\n{\"n\": \"x\"}\n", "f");
        assert_eq!(shown, "--- f\n+++ f\n-{\"k\": \"***\"}\n+{\"k\": \"***\"},\n+{\"n\": \"x\"}\n");
    }
}
