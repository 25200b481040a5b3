//! The servers that Toolgate brings itself: there when nothing is configured, or when an entry names
//! them. They do not count as configured, and any entry of their id takes their place. In a home, or
//! above one, they are there only when an entry names them: what lies there is nobody's project.

mod homes;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolgate_config::{ADMINISTRATOR_FILE, LoadOptions, config_home, global_file};
use toolgate_host::BuiltinServers;
use toolgate_servers::{FirstPartyServer, PrivatePlaces, RepoServer, manifest};
use toolgate_types::config::{Config, Entry, Server, Transport};
use toolgate_types::{ConfigSource, Digest, Fingerprint, Layer, LayerGrade, Origin, ServerId};
use toolgate_upstream::{OwnToolServer, serve_own_tools};

/// What serves the suite, whether an entry wants it now or later.
pub(crate) fn builtins(
    folder: &Path,
    options: &LoadOptions,
    own_places: &[PathBuf],
) -> Vec<(ServerId, BuiltinServers)> {
    let serving = manifest().iter().filter_map(|suite| {
        let id = ServerId::parse(suite.name).ok()?;
        let tools = match suite.name {
            "repo" => {
                RepoServer::new(folder.to_owned(), private_places(options, own_places)).tools()
            }
            _ => return None,
        };
        let instructions = Some(suite.instructions);
        let server = OwnToolServer { name: suite.program, instructions, tools };
        Some((id, serve_own_tools(server)))
    });
    serving.collect()
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

/// What is recommended holds where the entry says nothing.
fn recommend(server: &mut Server, suite: &FirstPartyServer) {
    if server.approval.is_some() {
        return;
    }
    for tool in suite.tools {
        let settings = server.tool_settings.entry(tool.name.to_owned()).or_default();
        settings.approval.get_or_insert(tool.approval);
    }
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
