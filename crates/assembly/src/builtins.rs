//! The servers that Toolgate brings itself: there when nothing is configured, or when an entry names
//! them. They do not count as configured, and any entry of their id takes their place. In a home, or
//! above one, they are there only when an entry names them: what lies there is nobody's project.

mod homes;
mod served_docs;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use toolgate_config::{ADMINISTRATOR_FILE, LoadOptions, config_home, global_file};
use toolgate_host::{BuiltinByEntry, BuiltinServers};
use toolgate_servers::{FirstPartyServer, PrivatePlaces, RepoServer, WorkflowServer, manifest};
use toolgate_types::config::{Config, Entry, Server, Transport};
use toolgate_types::{
    ConfigSource, Digest, Fingerprint, Layer, LayerGrade, Origin, Pattern, ServerId, Tool,
};
use toolgate_upstream::{OwnToolServer, serve_own_tools};

use crate::query_process::QueryProcess;
use crate::{SharedStore, WorkspaceContext};
use served_docs::{docs_by_entry, docs_server};

/// One of them before anybody wants it: working out the schemas of its tools is most of what it takes to make
/// a host.
type UnmadeServer = Box<dyn FnOnce() -> OwnToolServer + Send>;

/// What serves the suite, as far as there is a store for what it keeps, whether an entry wants it now or later.
pub(crate) fn builtins(
    folder: &Path,
    options: &LoadOptions,
    own_places: &[PathBuf],
    store: Option<&SharedStore>,
) -> Vec<(ServerId, BuiltinByEntry)> {
    let private = private_places(options, own_places);
    let serving = manifest().iter().filter_map(|suite| {
        let id = ServerId::parse(suite.name).ok()?;
        if suite.name == "docs" {
            return Some((id, docs_by_entry(suite, folder, private.clone())));
        }
        let server = own_server(suite, folder, private.clone(), store)?;
        let serve: Box<dyn FnOnce() -> BuiltinServers + Send> =
            Box::new(|| serve_own_tools(server()));
        let served = LazyLock::new(serve);
        let by_entry: BuiltinByEntry = Arc::new(move |_| Arc::clone(&served));
        Some((id, by_entry))
    });
    serving.collect()
}

/// One of them alone, for whoever serves it to somebody else than a host.
pub fn one_builtin(
    name: &str,
    context: &WorkspaceContext,
    own_places: &[PathBuf],
    store: Option<&SharedStore>,
) -> Option<OwnToolServer> {
    let suite = manifest().iter().find(|suite| suite.name == name)?;
    let private = private_places(&context.options, own_places);
    own_server(suite, &context.folder, private, store).map(|server| server())
}

/// One of them; nothing where it needs a store and there is none. Its folder is the one that is there now.
fn own_server(
    suite: &'static FirstPartyServer,
    folder: &Path,
    private: PrivatePlaces,
    store: Option<&SharedStore>,
) -> Option<UnmadeServer> {
    Some(match suite.name {
        "repo" => {
            let repo = RepoServer::new(folder.to_owned(), private);
            Box::new(move || repo_server(suite, &repo))
        }
        "docs" => {
            let folder = folder.to_owned();
            Box::new(move || docs_server(suite, &folder, Vec::new(), private))
        }
        "workflow" => {
            let workflow = workflow(folder, store?);
            Box::new(move || with_instructions(suite, workflow.tools()))
        }
        _ => return None,
    })
}

fn repo_server(suite: &FirstPartyServer, repo: &RepoServer) -> OwnToolServer {
    let (resources, prompts) = (Some(repo.resources()), repo.prompts());
    let tools = repo.tools().into_iter().chain(repo.writing_tools()).collect();
    OwnToolServer { resources, prompts, ..with_instructions(suite, tools) }
}

fn with_instructions(suite: &FirstPartyServer, tools: Vec<Arc<dyn Tool>>) -> OwnToolServer {
    let instructions = Some(suite.instructions);
    OwnToolServer { instructions, ..OwnToolServer::new(suite.program, tools) }
}

/// In the folder by the name that the host has for it, since what is kept is found by that.
fn workflow(folder: &Path, store: &SharedStore) -> WorkflowServer {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let queries = Arc::new(QueryProcess::new());
    WorkflowServer::new(folder, Arc::clone(store) as _, Arc::clone(store) as _, Some(queries))
}

/// What none of them shows to anybody: where whoever has these variables keeps things of ours, and
/// where other programs keep theirs.
fn private_places(options: &LoadOptions, own_places: &[PathBuf]) -> PrivatePlaces {
    let variables = &options.env;
    let own = [
        config_home(variables).map(|folder| folder.join("toolgate")),
        global_file(options).map(|file| file.path),
        Some(ADMINISTRATOR_FILE.into()),
    ];
    let home = variables.get("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    PrivatePlaces {
        own: own_places.iter().cloned().chain(own.into_iter().flatten()).collect(),
        home,
    }
}

/// What no process behind walls is shown: what is Toolgate's own.
pub fn hidden_places(options: &LoadOptions, own_places: &[PathBuf]) -> Vec<PathBuf> {
    private_places(options, own_places).own
}

/// Whether this program has such a server.
pub fn is_brought(id: &str) -> bool {
    manifest().iter().any(|suite| suite.name == id)
}

/// Puts the suite into a configuration that has no server at all, unless some of it could not be read
/// or the folder is a home or lies above one; and what is recommended for it into the entries that
/// name it.
pub(crate) fn add_builtins(config: &mut Config, folder: &Path, options: &LoadOptions) {
    let is_empty = config.servers.is_empty() && config.tools.is_empty() && config.notice.is_none();
    if is_empty && !homes::is_home_or_above(folder, options.env.get("HOME").map(Path::new)) {
        for suite in manifest() {
            if let Ok(id) = ServerId::parse(suite.name) {
                config.servers.insert(id, entry(suite));
            }
        }
    }
    for suite in manifest() {
        let entry = config.servers.get_mut(suite.name);
        if let Some(entry) = entry
            && matches!(entry.value.transport, Transport::Builtin)
        {
            recommend(&mut entry.value, suite);
        }
    }
}

/// What is recommended holds where the entry says nothing. What is not exposed by itself is a matter of
/// two words more: it is there only where the entry names it, and a call of it asks whatever the entry
/// says. An entry of a project's counts once a person accepted exactly it, so no file can do it alone.
fn recommend(server: &mut Server, suite: &FirstPartyServer) {
    let asks_of_all = server.approval.is_some();
    for tool in suite.tools {
        if !tool.exposed && !is_named(server, tool.name) {
            server.tools.deny.extend(Pattern::parse(tool.name));
            continue;
        }
        if asks_of_all && tool.exposed {
            continue;
        }
        let settings = server.tool_settings.entry(tool.name.to_owned()).or_default();
        match tool.exposed {
            true => settings.approval.get_or_insert(tool.approval),
            false => settings.approval.insert(tool.approval),
        };
    }
}

/// By its whole name, in the allow list or by settings of its own.
fn is_named(server: &Server, tool: &str) -> bool {
    let allowed = server.tools.allow.iter().flatten();
    server.tool_settings.contains_key(tool) || allowed.into_iter().any(|it| it.as_str() == tool)
}

fn entry(suite: &FirstPartyServer) -> Entry<Server> {
    let value = Server {
        description: Some(suite.description.to_owned()),
        declared_trust: Some(suite.trust),
        ..Server::new(Transport::Builtin)
    };
    let origin = Origin {
        layer: Layer::Runtime,
        grade: LayerGrade::Person,
        source: Arc::new(ConfigSource::Overrides),
        key: format!("servers.{}", suite.name),
        line: 0,
    };
    // The same program has the same suite, and another version of it another snapshot.
    let mut digest = [0; 32];
    let name = [suite.name, env!("CARGO_PKG_VERSION")].concat();
    for (slot, byte) in digest.iter_mut().zip(name.bytes()) {
        *slot = byte;
    }
    let fingerprint = Fingerprint { entry: Digest(digest), files: BTreeMap::new() };
    Entry { value, origin, fingerprint, values: Vec::new() }
}
