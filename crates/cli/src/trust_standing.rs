//! What every verb shows of trust: the standing of an entry, and the question that changes it.

use std::time::SystemTime;

use serde_json::{Map, Value};
pub(crate) use toolgate_assembly::server_standing;
use toolgate_config::{McpConfigLoadResult, show};
use toolgate_store::{ProjectRoot, Store as _};
use toolgate_types::config::Entry;
use toolgate_types::{
    Acceptances, AcceptedEntry, EntryKind, Fingerprint, Grade, Layer, Origin, Standing, Trust,
    since_1970,
};

use crate::args::Scope;
use crate::failure::Failure;
use crate::question;
use crate::surroundings::{Surroundings, shown_path, wait};

/// An entry as the question of trust sees it, whatever its kind.
pub(crate) struct Judged {
    pub(crate) kind: EntryKind,
    pub(crate) id: String,
    pub(crate) origin: Origin,
    pub(crate) fingerprint: Fingerprint,
    pub(crate) declared: Option<Trust>,
    /// In native keys, secrets masked.
    pub(crate) shown: Map<String, Value>,
    /// The same exactly as it is written, for the person who decides and for nobody else.
    pub(crate) written: Map<String, Value>,
    /// What of it can change unnoticed once it is accepted, in sentences.
    pub(crate) unwatched: Vec<String>,
    pub(crate) standing: Standing,
}

pub(crate) fn word(standing: &Standing) -> &'static str {
    match standing {
        Standing::Accepted(trust) => trust.as_str(),
        Standing::Pending(_) => "pending",
    }
}

/// Everything in a configuration that a person may have to accept, in the order of writing.
pub(crate) fn judged(loaded: &McpConfigLoadResult, known: &Acceptances) -> Vec<Judged> {
    let config = &loaded.config;
    let servers = config.servers.iter().map(|(id, entry)| {
        let declared = entry.value.declared_trust;
        let said = (show::server(&entry.value), show::server_as_written(&entry.value));
        (EntryKind::Server, id.to_string(), stem(entry), declared, said)
    });
    let tools = config.tools.iter().map(|(id, entry)| {
        let said = (show::tool(&entry.value), show::tool_as_written(&entry.value));
        (EntryKind::Tool, id.to_string(), stem(entry), None, said)
    });
    let bundles = config.bundles.iter().map(|(id, entry)| {
        (EntryKind::Bundle, id.to_string(), stem(entry), None, twice(show::bundle(&entry.value)))
    });
    let roles = config.roles.iter().map(|(id, entry)| {
        (EntryKind::Role, id.to_string(), stem(entry), None, twice(show::role(&entry.value)))
    });
    let workflows = config.workflows.iter().map(|(id, entry)| {
        let said = twice(show::workflow(&entry.value));
        (EntryKind::Workflow, id.to_string(), stem(entry), None, said)
    });
    let all = servers.chain(tools).chain(bundles).chain(roles).chain(workflows);
    all.map(|(kind, id, (origin, fingerprint), declared, (shown, written))| {
        let standing = known.standing(origin.grade, kind, &id, &fingerprint, declared);
        let unwatched = loaded.unwatched(kind, &id).to_vec();
        Judged { kind, id, origin, fingerprint, declared, shown, written, unwatched, standing }
    })
    .collect()
}

/// Where there is nothing to mask.
fn twice(said: Map<String, Value>) -> (Map<String, Value>, Map<String, Value>) {
    (said.clone(), said)
}

fn stem<T>(entry: &Entry<T>) -> (Origin, Fingerprint) {
    (entry.origin.clone(), entry.fingerprint.clone())
}

impl Judged {
    pub(crate) fn is_project_graded(&self) -> bool {
        self.origin.grade == Grade::Project
    }

    pub(crate) fn is_pending(&self) -> bool {
        matches!(self.standing, Standing::Pending(_))
    }
}

/// Records that a person accepted an entry exactly as it is now.
pub(crate) fn accept(
    surroundings: &Surroundings,
    loaded: &McpConfigLoadResult,
    entry: &Judged,
    trust: Trust,
) -> Result<(), Failure> {
    let root = ProjectRoot::of(&loaded.project_root).map_err(|error| {
        Failure::new(format!("cannot find {}: {error}", shown_path(&loaded.project_root)))
    })?;
    let accepted = AcceptedEntry {
        kind: entry.kind,
        id: entry.id.clone(),
        fingerprint: entry.fingerprint.clone(),
        trust,
        accepted_at: since_1970(SystemTime::now()),
    };
    let store = surroundings.store()?;
    Ok(wait(store.accept(&root, accepted))?)
}

/// Accepts a project's server that a person has just typed or switched at this terminal.
/// `false`: there is no terminal, or no such server in the project's own file.
pub(crate) fn accept_typed(
    surroundings: &Surroundings,
    id: &str,
    trust: Trust,
) -> Result<bool, Failure> {
    if !question::can_ask() {
        return Ok(false);
    }
    let loaded = surroundings.load(Scope::Effective);
    let known = surroundings.acceptances(&loaded)?;
    let entries = judged(&loaded, &known);
    let mut servers = entries.iter().filter(|entry| entry.kind == EntryKind::Server);
    match servers.find(|entry| entry.id == id && entry.origin.layer == Layer::Project) {
        Some(entry) => accept(surroundings, &loaded, entry, trust).map(|()| true),
        None => Ok(false),
    }
}

/// The standing of one server as things are now.
pub(crate) fn standing_of(
    surroundings: &Surroundings,
    id: &str,
) -> Result<Option<Standing>, Failure> {
    let loaded = surroundings.load(Scope::Effective);
    let known = surroundings.acceptances(&loaded)?;
    Ok(loaded.config.servers.get(id).map(|entry| server_standing(id, entry, &known)))
}
