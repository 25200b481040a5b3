//! The server `docs` of an entry: with the folders that it names besides the workspace.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use toolgate_host::{BuiltinByEntry, BuiltinServers};
use toolgate_servers::{DocsServer, FirstPartyServer, FurtherFolder, PrivatePlaces};
use toolgate_types::LayerGrade;
use toolgate_types::config::{Entry, Server};
use toolgate_upstream::{OwnToolServer, serve_own_tools};

use super::with_instructions;

pub(super) fn docs_server(
    suite: &FirstPartyServer,
    folder: &Path,
    further: Vec<FurtherFolder>,
    private: PrivatePlaces,
) -> OwnToolServer {
    let docs = DocsServer::of_folders(folder.to_owned(), further, private);
    OwnToolServer { resources: Some(docs.resources()), ..with_instructions(suite, docs.tools()) }
}

/// One server, and so one index, for as long as the entry names the same folders.
pub(super) fn docs_by_entry(
    suite: &'static FirstPartyServer,
    folder: &Path,
    private: PrivatePlaces,
) -> BuiltinByEntry {
    let folder = folder.to_owned();
    let last: Mutex<Option<(Vec<FurtherFolder>, BuiltinServers)>> = Mutex::new(None);
    Arc::new(move |entry| {
        let further = named_folders(entry, private.home.as_deref());
        let mut last = last.lock();
        if let Some((_, served)) = last.as_ref().filter(|(folders, _)| *folders == further) {
            return Arc::clone(served);
        }
        let server = docs_server(suite, &folder, further.clone(), private.clone());
        let served = serve_own_tools(server);
        *last = Some((further, Arc::clone(&served)));
        served
    })
}

/// A project names folders of the workspace alone; its file is refused before, and once more here.
fn named_folders(entry: &Entry<Server>, home: Option<&Path>) -> Vec<FurtherFolder> {
    let named = entry.value.further_folders.iter().filter_map(|written| {
        let path = match written.strip_prefix("~/") {
            Some(rest) => home?.join(rest),
            None => PathBuf::from(written),
        };
        match (path.is_absolute(), entry.origin.grade) {
            (false, _) => Some(FurtherFolder::Within(written.clone())),
            (true, LayerGrade::Person) => {
                Some(FurtherFolder::Elsewhere { label: written.clone(), path })
            }
            (true, LayerGrade::Project) => None,
        }
    });
    named.collect()
}
