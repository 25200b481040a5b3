//! The entries of a layer: servers, command tools, bundles, roles, workflows, policy.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;

use indexmap::IndexMap;
use toolgate_types::config::{Entry, NameFilter, Server};
use toolgate_types::{
    BundleId, EntryKind, IdError, Origin, RoleId, SecretName, ServerId, ToolId, WorkflowId,
};

use super::{DocumentStructure, LayeredConfig, RejectedEntry};
use crate::expand;
use crate::fingerprint::{self, EntryLook, EntryScene};
use crate::meaning_of_keys;
use crate::place::DocumentPlace;
use crate::problem::Severity;
use crate::reader::{DocumentReader, known_keys_hint};
use crate::shape::ConfigShape;
use crate::tree::{ConfigMember, ConfigNode, ConfigValue, snake_case};

pub(super) fn read(
    reader: &mut DocumentReader<'_>,
    structure: &DocumentStructure<'_>,
    scene: EntryScene<'_>,
    layered: &mut LayeredConfig,
) {
    let (tools, servers_among_tools): (Vec<_>, Vec<_>) =
        structure.loose_tools.iter().cloned().partition(|(_, place)| !is_server(place.node));
    let servers = entries(reader, structure, "servers", servers_among_tools);
    let tools = entries(reader, structure, "tools", tools);

    for read in each(reader, layered, EntryKind::Server, servers, ServerId::parse) {
        let NamedEntry { id, place } = read;
        let server = read_server(reader, &place);
        let look = |server: &Server| fingerprint::look_at_server(scene, server);
        let server = server.map(|mut server| {
            let filters = [&mut server.tools, &mut server.resources, &mut server.prompts];
            keep_denied(layered, EntryKind::Server, id.as_str(), filters);
            server
        });
        keep(reader, layered, EntryKind::Server, id, &place, server, look, |layered| {
            &mut layered.config.servers
        });
    }
    for read in each(reader, layered, EntryKind::Tool, tools, ToolId::parse) {
        let NamedEntry { id, place } = read;
        let tool = checked(reader, |reader| {
            let raw = reader.read(&place, place.node)?;
            meaning_of_keys::tool(reader, &place, raw)
        });
        let look = |tool: &_| fingerprint::look_at_tool(scene, tool);
        keep(reader, layered, EntryKind::Tool, id, &place, tool, look, |layered| {
            &mut layered.config.tools
        });
    }
    read_grants(reader, structure, layered);
    for place in structure.sections("policy") {
        let Some(raw) = reader.read(place, place.node) else { continue };
        // A mistake in a policy is reported and takes away nothing else of it: a typing error in
        // one list must not lift the denies of another.
        let value = meaning_of_keys::policy(reader, place, raw);
        let fingerprint =
            fingerprint::of_entry(reader, EntryKind::Role, "policy", place, BTreeMap::new());
        let values = value_origins(reader, place);
        let origin = reader.origin(place);
        layered.config.policies.push(Entry { value, origin, fingerprint, values });
    }
}

fn read_grants(
    reader: &mut DocumentReader<'_>,
    structure: &DocumentStructure<'_>,
    layered: &mut LayeredConfig,
) {
    let bundles = entries(reader, structure, "bundles", Vec::new());
    for read in each(reader, layered, EntryKind::Bundle, bundles, BundleId::parse) {
        let NamedEntry { id, place } = read;
        let bundle = checked(reader, |reader| {
            let raw = reader.read(&place, place.node)?;
            meaning_of_keys::bundle(reader, &place, raw)
        });
        if let (None, Some(at)) = (&bundle, place.find(&["server", "server_id"]))
            && let Some(server) = at.node.string()
        {
            let broken = (server.to_owned(), reader.origin(&at));
            layered.broken_bundles.insert(id.to_string(), broken);
        }
        let bundle = bundle.map(|mut bundle| {
            keep_denied(layered, EntryKind::Bundle, id.as_str(), [&mut bundle.tools]);
            bundle
        });
        keep(reader, layered, EntryKind::Bundle, id, &place, bundle, no_look, |layered| {
            &mut layered.config.bundles
        });
    }
    let roles = entries(reader, structure, "roles", Vec::new());
    for read in each(reader, layered, EntryKind::Role, roles, RoleId::parse) {
        let NamedEntry { id, place } = read;
        let role = checked(reader, |reader| {
            let raw = reader.read(&place, place.node)?;
            Some(meaning_of_keys::role(reader, &place, raw))
        });
        let role = role.map(|mut role| {
            keep_denied(layered, EntryKind::Role, id.as_str(), [&mut role.tools]);
            role
        });
        keep(reader, layered, EntryKind::Role, id, &place, role, no_look, |layered| {
            &mut layered.config.roles
        });
    }
    let workflows = entries(reader, structure, "workflows", Vec::new());
    for read in each(reader, layered, EntryKind::Workflow, workflows, WorkflowId::parse) {
        let NamedEntry { id, place } = read;
        let workflow = checked(reader, |reader| {
            let raw = reader.read(&place, place.node)?;
            Some(meaning_of_keys::workflow(reader, &place, raw))
        });
        keep(reader, layered, EntryKind::Workflow, id, &place, workflow, no_look, |layered| {
            &mut layered.config.workflows
        });
    }
}

/// Adds what lower layers deny to this id, and remembers the sum.
fn keep_denied<const N: usize>(
    layered: &mut LayeredConfig,
    kind: EntryKind,
    id: &str,
    filters: [&mut NameFilter; N],
) {
    let known = layered.denied.entry((kind, id.to_owned())).or_default();
    known.resize(N, NameFilter::default());
    for (filter, known) in filters.into_iter().zip(known) {
        filter.inherit_denies(known);
        known.deny.clone_from(&filter.deny);
    }
}

/// It runs nothing by itself.
fn no_look<T>(_: &T) -> EntryLook {
    EntryLook::default()
}

/// The entries of a section and those that stand elsewhere, in the order of the file.
fn entries<'p>(
    reader: &mut DocumentReader<'_>,
    structure: &DocumentStructure<'p>,
    section: &str,
    elsewhere: Vec<(&'p str, DocumentPlace<'p>)>,
) -> Vec<(&'p str, DocumentPlace<'p>)> {
    let mut entries = elsewhere;
    for place in structure.sections(section) {
        if place.node.table().is_none() {
            let message = format!("expected a table of entries, found {}", place.node.kind());
            reader.error(place, "wrong-type", message);
        }
        entries.extend(place.members());
    }
    entries.sort_by_key(|(_, place)| place.offset);
    entries
}

/// An entry whose name is good.
struct NamedEntry<'p, Id> {
    id: Id,
    place: DocumentPlace<'p>,
}

/// The entries with good ids; bad ids and ids that differ only in case are reported.
fn each<'p, Id>(
    reader: &mut DocumentReader<'_>,
    layered: &mut LayeredConfig,
    kind: EntryKind,
    written: Vec<(&'p str, DocumentPlace<'p>)>,
    parse: impl Fn(&str) -> Result<Id, IdError>,
) -> Vec<NamedEntry<'p, Id>> {
    let mut seen: HashMap<String, (&str, String)> = HashMap::new();
    let mut good = Vec::new();
    for (key, place) in written {
        let folded = key.to_ascii_lowercase();
        if let Some((first, path)) = seen.get(&folded) {
            let message = if *first == key {
                format!("{kind} `{key}` is defined twice, at {path} and at {}", place.path)
            } else {
                format!("{kind} ids `{first}` and `{key}` differ only in case")
            };
            let help = Some("rename one of the two".to_owned());
            reader.report(Severity::Error, &place, "duplicate-id", message, help);
            continue;
        }
        seen.insert(folded, (key, place.path.clone()));
        match parse(key) {
            Ok(id) => good.push(NamedEntry { id, place }),
            Err(error) => {
                reader.error(&place, "bad-id", error.to_string());
                let origin = reader.origin(&place);
                let reason = error.to_string();
                layered.reject(RejectedEntry { kind, id: key.to_owned(), origin, reason });
            }
        }
    }
    good
}

/// Runs a reading step; its value counts only if the step reported no error.
fn checked<T>(
    reader: &mut DocumentReader<'_>,
    step: impl FnOnce(&mut DocumentReader<'_>) -> Option<T>,
) -> Option<T> {
    let before = reader.errors();
    let value = step(reader);
    if reader.errors() == before { value } else { None }
}

/// Puts an entry into its place, or takes away what stood there when the entry is bad: a broken
/// replacement must not leave the replaced one running.
#[expect(clippy::too_many_arguments, reason = "one call per kind of entry, all on this page")]
fn keep<Id, T>(
    reader: &DocumentReader<'_>,
    layered: &mut LayeredConfig,
    kind: EntryKind,
    id: Id,
    place: &DocumentPlace<'_>,
    value: Option<T>,
    look: impl Fn(&T) -> EntryLook,
    map: impl Fn(&mut LayeredConfig) -> &mut IndexMap<Id, Entry<T>>,
) where
    Id: Hash + Eq + ToString,
{
    let origin = reader.origin(place);
    let name = id.to_string();
    layered.secrets.insert((kind, name.clone()), named_secrets(reader, place.node));
    match value {
        Some(value) => {
            let EntryLook { files, unwatched } = look(&value);
            let fingerprint = fingerprint::of_entry(reader, kind, &name, place, files);
            layered.unwatched.insert((kind, name.clone()), unwatched);
            let values = value_origins(reader, place);
            map(layered).insert(id, Entry { value, origin, fingerprint, values });
            layered.rejected.shift_remove(&(kind, name));
        }
        None => {
            map(layered).shift_remove(&id);
            let last = reader.problems.iter().rev().find(|p| p.severity == Severity::Error);
            let reason = last.map_or_else(String::new, |problem| problem.message.clone());
            layered.reject(RejectedEntry { kind, id: name, origin, reason });
        }
    }
}

/// The secrets that an entry names, wherever in it.
fn named_secrets(reader: &DocumentReader<'_>, node: &ConfigNode) -> BTreeSet<SecretName> {
    let mut names = BTreeSet::new();
    let mut stack = if reader.expand { vec![node] } else { Vec::new() };
    while let Some(node) = stack.pop() {
        match &node.value {
            ConfigValue::String(text) => names.extend(expand::named_secrets(text)),
            ConfigValue::Array(items) => stack.extend(items),
            ConfigValue::Table(members) => stack.extend(members.iter().map(|one| &one.value)),
            ConfigValue::Null | ConfigValue::Bool(_) | ConfigValue::Number(_) => {}
        }
    }
    names
}

/// The place of every value inside an entry.
fn value_origins(reader: &DocumentReader<'_>, place: &DocumentPlace<'_>) -> Vec<Origin> {
    let mut origins = Vec::new();
    let mut stack: Vec<DocumentPlace<'_>> = place.members().map(|(_, member)| member).collect();
    stack.reverse();
    while let Some(here) = stack.pop() {
        let inner: Vec<DocumentPlace<'_>> = here.members().map(|(_, member)| member).collect();
        if inner.is_empty() {
            origins.push(reader.origin(&here));
        }
        stack.extend(inner.into_iter().rev());
    }
    origins
}

/// In a file of command tools, an entry with a `url` or `kind = "server"` is a server.
pub(crate) fn is_server(node: &ConfigNode) -> bool {
    node.get("url").is_some() || node.get("kind").and_then(ConfigNode::string) == Some("server")
}

fn read_server(reader: &mut DocumentReader<'_>, place: &DocumentPlace<'_>) -> Option<Server> {
    checked(reader, |reader| {
        let raw = if reader.shape == ConfigShape::Codex {
            let raw = reader.read(place, place.node)?;
            meaning_of_keys::codex_server(reader, place, raw)
        } else {
            check_transport_object(reader, place);
            reader.read(place, &flattened(place.node))?
        };
        meaning_of_keys::server(reader, place, raw)
    })
}

/// A `transport` object holds the transport's own keys and no others.
fn check_transport_object(reader: &mut DocumentReader<'_>, place: &DocumentPlace<'_>) {
    let Some((_, transport)) = place.members().find(|(key, _)| *key == "transport") else { return };
    for (key, at) in transport.members().filter(|(key, _)| !in_transport_object(key)) {
        let help = Some(known_keys_hint(key, &meaning_of_keys::transport_keys()));
        let message = format!("unknown key `{key}`");
        reader.report(Severity::Error, &at, "unknown-key", message, help);
    }
}

fn in_transport_object(key: &str) -> bool {
    key == "type" || meaning_of_keys::transport_keys().contains(&snake_case(key).as_str())
}

/// `"transport": { "type": "http", … }` with its keys lifted beside it, and without `kind`.
fn flattened(entry: &ConfigNode) -> ConfigNode {
    let ConfigValue::Table(members) = &entry.value else { return entry.clone() };
    let mut flat: Vec<ConfigMember> = Vec::with_capacity(members.len());
    for member in members {
        match (&member.value.value, member.key.as_str()) {
            (ConfigValue::Table(inner), "transport") => {
                let inner = inner.iter().filter(|inner| in_transport_object(&inner.key));
                flat.extend(inner.map(|inner| match inner.key.as_str() {
                    "type" => ConfigMember { key: "transport".to_owned(), ..inner.clone() },
                    _ => inner.clone(),
                }));
            }
            (ConfigValue::String(kind), "kind") if kind == "server" => {}
            _ => flat.push(member.clone()),
        }
    }
    ConfigNode { value: ConfigValue::Table(flat), span: entry.span.clone() }
}
