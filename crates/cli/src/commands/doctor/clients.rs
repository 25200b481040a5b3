//! Whether the clients that have our entry start this very program.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;

use toolgate_config::clients::{Client, ClientFile, ENTRY, Scope, entry_path};
use toolgate_config::tree::{Document, Node, Value};
use toolgate_types::Source;

use super::Finding;
use crate::surroundings::Surroundings;

const ABOUT: &str = "clients";

pub(super) fn look(surroundings: &Surroundings) -> Vec<Finding> {
    let Ok(places) = surroundings.client_places() else {
        let hint = "set HOME".to_owned();
        return vec![Finding::wrong(ABOUT, "cannot tell where clients keep their files", hint)];
    };
    let ours = std::env::current_exe().ok();
    let files = Client::ALL.into_iter().flat_map(|client| {
        let files = client.files(&places).into_iter();
        files.map(move |file| (client, file))
    });
    let found: Vec<_> = files
        .filter_map(|(client, file)| {
            let started = started_by(client, &file)?;
            Some(judge(client, &file, &started, ours.as_deref(), surroundings))
        })
        .collect();
    match found.is_empty() {
        true => vec![Finding::fine(ABOUT, format!("none has the entry `{ENTRY}`"))],
        false => found,
    }
}

/// What our entry in a client's file leads to.
#[derive(Debug, PartialEq, Eq)]
enum Started {
    Program(String),
    Address,
}

/// `None` where the file is not there, or has no such entry.
fn started_by(client: Client, file: &ClientFile) -> Option<Started> {
    let text = fs::read_to_string(&file.path).ok()?;
    let source = Arc::new(Source::File(file.path.clone()));
    let text = text.replacen('\u{feff}', "   ", 1);
    // What the client itself cannot read is its own affair.
    let document = Document::parse(source, client.format(), &text).ok()?;
    let path = entry_path(client, Some(&document.root));
    let entry = path.iter().try_fold(&document.root, |node, key| node.get(key))?;
    Some(program(entry).map_or(Started::Address, Started::Program))
}

/// A text, or the first of several.
fn program(entry: &Node) -> Option<String> {
    let command = entry.get("command")?;
    let word = match &command.value {
        Value::Array(words) => words.first()?.string()?,
        _ => command.string()?,
    };
    Some(word.to_owned())
}

fn judge(
    client: Client,
    file: &ClientFile,
    started: &Started,
    ours: Option<&Path>,
    surroundings: &Surroundings,
) -> Finding {
    let place = format!("{} ({})", client.title(), surroundings.shown(&file.path));
    let program = match started {
        Started::Program(program) => Path::new(program),
        Started::Address => return Finding::fine(ABOUT, format!("{place} calls an address")),
    };
    let scope = match file.scope {
        Scope::Project => " --scope project",
        Scope::User => "",
    };
    let again = format!("toolgate connect {client}{scope}");
    let shown = program.display();
    if program.is_relative() {
        let message = format!("{place} starts `{shown}`, wherever that is found");
        return Finding::wrong(ABOUT, message, format!("write its whole path: {again}"));
    }
    let identity = |path: &Path| fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    match (identity(program), ours.and_then(identity)) {
        (None, _) => {
            Finding::wrong(ABOUT, format!("{place} starts {shown}, which is not there"), again)
        }
        (Some(theirs), Some(ours)) if theirs != ours => Finding::wrong(
            ABOUT,
            format!("{place} starts {shown}, which is not this program"),
            format!("if it is to start this one: {again}"),
        ),
        (Some(_), _) => Finding::fine(ABOUT, format!("{place} starts {shown}")),
    }
}
