//! Whether the clients that have our entry start this very program, or call an address where a gate
//! is that knows what they bring.

use std::fs;
use std::net::TcpStream;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use toolgate_auth::callers::ClientTokens;
use toolgate_config::clients::{
    ClientFile, ClientScope, ClientText, ENTRY, EntryAddress, EntryTarget, KnownClient,
};
use toolgate_store::{WorkspaceId, Workspaces as _};
use toolgate_types::since_1970;

use super::DoctorFinding;
use crate::surroundings::{Surroundings, shown_path, wait};

const ABOUT: &str = "clients";

/// A gate on this machine answers at once, or is not there.
const SOON: Duration = Duration::from_millis(500);

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
            let text = fs::read_to_string(&file.path).ok()?;
            let target = ClientText { client, path: &file.path, text: &text }.target()?;
            Some(judge(client, &file, &target, ours.as_deref(), surroundings))
        })
        .collect();
    match found.is_empty() {
        true => vec![DoctorFinding::fine(ABOUT, format!("none has the entry `{ENTRY}`"))],
        false => found,
    }
}

fn judge(
    client: KnownClient,
    file: &ClientFile,
    target: &EntryTarget,
    ours: Option<&Path>,
    surroundings: &Surroundings,
) -> DoctorFinding {
    let place = format!("{} ({})", client.title(), surroundings.shown(&file.path));
    let scope = match file.scope {
        ClientScope::Project => " --scope project",
        ClientScope::User => "",
    };
    let again = format!("toolgate connect {client}{scope}");
    let program = match target {
        EntryTarget::Program(program) => Path::new(program),
        EntryTarget::Address(address) => {
            let leads_nowhere = trouble(address, surroundings);
            let url = &address.url;
            return match leads_nowhere {
                None => DoctorFinding::fine(ABOUT, format!("{place} calls {url}")),
                Some(why) => DoctorFinding::wrong(
                    ABOUT,
                    format!("{place} calls {url}, {why}"),
                    format!("start `toolgate serve`, or connect it again: {again} --http"),
                ),
            };
        }
        EntryTarget::Nothing => {
            let message = format!("{place} has an entry `{ENTRY}` that leads nowhere");
            return DoctorFinding::wrong(ABOUT, message, again);
        }
    };
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

/// Why nothing comes of calling an address of this machine. Others are not called from here.
fn trouble(address: &EntryAddress, surroundings: &Surroundings) -> Option<String> {
    let listener = address.on_this_machine()?;
    if TcpStream::connect_timeout(&listener.into(), SOON).is_err() {
        return Some("where nothing listens".to_owned());
    }
    // Without a store there is nothing that it could be held against.
    let store = Arc::new(surroundings.store_to_read().ok()?);
    if let Some(name) = address.workspace() {
        let known = WorkspaceId::parse(&name).map(|id| wait(store.workspace(&id)));
        let root = match known {
            Some(Ok(root)) => root,
            Some(Err(_)) => return None,
            None => None,
        };
        match root {
            None => return Some("which no folder is registered for".to_owned()),
            Some(root) if !root.as_path().is_dir() => {
                let folder = shown_path(root.as_path());
                return Some(format!("which is for {folder}, and that is not there"));
            }
            Some(_) => {}
        }
    }
    let token = address.token.as_ref()?;
    let now = since_1970(SystemTime::now());
    let verified = wait(ClientTokens::new(store).verify(token.expose(), now));
    let refusal = verified.err().filter(|refusal| refusal.is_final())?;
    Some(format!("with a token that does not count: {refusal}"))
}
