//! Whether the clients that have our entry start this very program.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;

use toolgate_config::clients::{ClientFile, ClientScope, ENTRY, KnownClient, entry_path};
use toolgate_config::tree::{ConfigDocument, ConfigNode, ConfigValue};
use toolgate_types::ConfigSource;

use super::DoctorFinding;
use crate::surroundings::Surroundings;

const ABOUT: &str = "clients";

pub(super) fn look(surroundings: &Surroundings) -> Vec<DoctorFinding> {
    let Ok(places) = surroundings.client_places() else {
        let hint = "set HOME".to_owned();
        return vec![DoctorFinding::wrong(
            ABOUT,
            "cannot tell where clients keep their files",
            hint,
        )];
    };
    let ours = std::env::current_exe().ok();
    let files = KnownClient::ALL.into_iter().flat_map(|client| {
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
        true => vec![DoctorFinding::fine(ABOUT, format!("none has the entry `{ENTRY}`"))],
        false => found,
    }
}

/// What our entry in a client's file leads to.
#[derive(Debug, PartialEq, Eq)]
enum ClientEntryTarget {
    Program(String),
    Address,
}

/// `None` where the file is not there, or has no such entry.
fn started_by(client: KnownClient, file: &ClientFile) -> Option<ClientEntryTarget> {
    let text = fs::read_to_string(&file.path).ok()?;
    let source = Arc::new(ConfigSource::File(file.path.clone()));
    let text = text.replacen('\u{feff}', "   ", 1);
    // What the client itself cannot read is its own affair.
    let document = ConfigDocument::parse(source, client.format(), &text).ok()?;
    let path = entry_path(client, Some(&document.root));
    let entry = path.iter().try_fold(&document.root, |node, key| node.get(key))?;
    Some(program(entry).map_or(ClientEntryTarget::Address, ClientEntryTarget::Program))
}

/// A text, or the first of several.
fn program(entry: &ConfigNode) -> Option<String> {
    let command = entry.get("command")?;
    let word = match &command.value {
        ConfigValue::Array(words) => words.first()?.string()?,
        _ => command.string()?,
    };
    Some(word.to_owned())
}

fn judge(
    client: KnownClient,
    file: &ClientFile,
    started: &ClientEntryTarget,
    ours: Option<&Path>,
    surroundings: &Surroundings,
) -> DoctorFinding {
    let place = format!("{} ({})", client.title(), surroundings.shown(&file.path));
    let program = match started {
        ClientEntryTarget::Program(program) => Path::new(program),
        ClientEntryTarget::Address => {
            return DoctorFinding::fine(ABOUT, format!("{place} calls an address"));
        }
    };
    let scope = match file.scope {
        ClientScope::Project => " --scope project",
        ClientScope::User => "",
    };
    let again = format!("toolgate connect {client}{scope}");
    let shown = program.display();
    if program.is_relative() {
        let message = format!("{place} starts `{shown}`, wherever that is found");
        return DoctorFinding::wrong(ABOUT, message, format!("write its whole path: {again}"));
    }
    let identity = |path: &Path| fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    match (identity(program), ours.and_then(identity)) {
        (None, _) => DoctorFinding::wrong(
            ABOUT,
            format!("{place} starts {shown}, which is not there"),
            again,
        ),
        (Some(theirs), Some(ours)) if theirs != ours => DoctorFinding::wrong(
            ABOUT,
            format!("{place} starts {shown}, which is not this program"),
            format!("if it is to start this one: {again}"),
        ),
        (Some(_), _) => DoctorFinding::fine(ABOUT, format!("{place} starts {shown}")),
    }
}
