//! One document read as one layer, on top of the layers below it.
//!
//! A higher layer replaces whole entries; it never merges inside one. What a project may not set
//! is refused here.

mod entries;
mod not_yet;
mod settings;

pub(crate) use entries::is_server;
pub use not_yet::{NOT_YET, UNREAD_SETTINGS, UnreadSetting};
use std::collections::{BTreeSet, HashMap};

use std::path::Path;

use indexmap::IndexMap;
use toolgate_types::config::{Config, NameFilter};
use toolgate_types::{EntryKind, Layer, LayerGrade, Origin, SecretName};

use crate::expand::ExpansionSources;
use crate::fingerprint::{EntryScene, FileHashes, FileLook};
use crate::place::DocumentPlace;
use crate::problem::{Problem, Severity};
use crate::reader::{DocumentReader, known_keys_hint};
use crate::shape::{ConfigShape, RESERVED_UNDER_MCP};
use crate::tree::{ConfigDocument, ConfigFormat, ConfigValue};

/// An entry that could not be read; it takes the place of whatever stood below it.
#[derive(Debug, Clone)]
pub struct RejectedEntry {
    pub kind: EntryKind,
    pub id: String,
    pub origin: Origin,
    pub reason: String,
}

/// Where a document stands among the layers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LayerStandpoint<'a> {
    pub(crate) layer: Layer,
    pub(crate) grade: LayerGrade,
    pub(crate) shape: ConfigShape,
    pub(crate) sources: ExpansionSources<'a>,
    /// The folder that it speaks for.
    pub(crate) root: &'a Path,
    /// The folder that its entries' relative paths start from.
    pub(crate) workspace: &'a Path,
    pub(crate) look: FileLook,
}

/// The configuration as it grows from layer to layer.
#[derive(Debug, Clone, Default)]
pub(crate) struct LayeredConfig {
    pub(crate) config: Config,
    pub(crate) rejected: IndexMap<(EntryKind, String), RejectedEntry>,
    /// What each layer says about the surface that agents see, if anything.
    pub(crate) surface: Option<bool>,
    /// Where the layers last said how callers prove who they are.
    pub(crate) caller_auth: Option<Origin>,
    /// Where they last said who issues the tokens of callers.
    pub(crate) oauth: Option<Origin>,
    /// Where they last asked for the rules of production, or else said where to listen.
    pub(crate) production: Option<Origin>,
    pub(crate) listen: Option<Origin>,
    /// Where the layers last said something of named clients.
    pub(crate) clients: Option<Origin>,
    /// What the layers so far deny to an id. It outlives the entry that said so: a broken
    /// replacement in between takes the entry away, and no deny.
    denied: HashMap<(EntryKind, String), Vec<NameFilter>>,
    /// Of bundles that make no sense, the server that each names, and where.
    pub(crate) broken_bundles: IndexMap<String, (String, Origin)>,
    /// What of an entry can change without anybody noticing.
    pub(crate) unwatched: HashMap<(EntryKind, String), Vec<String>>,
    /// The secrets that an entry names, whether it can be used or not.
    pub(crate) secrets: HashMap<(EntryKind, String), BTreeSet<SecretName>>,
    /// What of it nothing goes by yet.
    pub(crate) not_yet: Vec<Problem>,
}

impl LayeredConfig {
    pub(crate) fn reject(&mut self, rejected: RejectedEntry) {
        self.rejected.insert((rejected.kind, rejected.id.clone()), rejected);
    }
}

/// Two entries claim one name, or a reserved one: such a layer cannot be trusted to mean anything.
const FAILS_THE_LAYER: [&str; 2] = ["duplicate-id", "reserved-tool-name"];

/// Whether `${VAR}` means something in a document.
pub(crate) fn is_expanded(document: &ConfigDocument) -> bool {
    document.format == ConfigFormat::Toml
        || matches!(
            document.root.get("expand_env").map(|n| &n.value),
            Some(ConfigValue::Bool(true))
        )
}

/// Reads a document on top of what is below. A document whose very structure is wrong adds nothing.
pub(crate) fn read_layer(
    below: &LayeredConfig,
    document: &ConfigDocument,
    standpoint: LayerStandpoint<'_>,
) -> (Option<LayeredConfig>, Vec<Problem>) {
    let LayerStandpoint { layer, grade, shape, sources, root, workspace, look } = standpoint;
    let expand = is_expanded(document);
    let mut reader = DocumentReader::new(document, shape, layer, grade, sources, expand);
    let mut layered = below.clone();
    let top = DocumentPlace::root(document);
    if document.root.table().is_none() {
        let message = format!("the file holds {} instead of a table", document.root.kind());
        reader.error(&top, "not-a-table", message);
        return (None, reader.problems);
    }
    let structure = DocumentStructure::read(&mut reader, &top);
    let hashes = &FileHashes::default();
    let scene = EntryScene { root, workspace, variables: sources.variables, hashes, look };
    entries::read(&mut reader, &structure, scene, &mut layered);
    settings::read(&mut reader, &structure, &mut layered);
    let not_yet = not_yet::warnings(document, &structure);
    layered.not_yet.extend(not_yet);
    // In the order of the file, whatever the order of reading.
    reader.problems.sort_by_key(|problem| problem.line);
    let sound = !reader.problems.iter().any(|problem| FAILS_THE_LAYER.contains(&problem.rule));
    (sound.then_some(layered), reader.problems)
}

/// Where the sections of a document are, whatever its shape.
#[derive(Default)]
pub(crate) struct DocumentStructure<'a> {
    sections: Vec<(&'static str, DocumentPlace<'a>)>,
    /// `[mcp.<tool>]` entries, which stand beside the sections.
    loose_tools: Vec<(&'a str, DocumentPlace<'a>)>,
}

/// The native sections; entries first.
const SECTIONS: [&str; 14] = [
    "servers",
    "tools",
    "bundles",
    "roles",
    "workflows",
    "policy",
    "gateway",
    "approval",
    "sandbox",
    "audit",
    "limits",
    "profile",
    "auth_providers",
    "credentials",
];

impl<'a> DocumentStructure<'a> {
    pub(crate) fn section<'s>(&'s self, name: &'s str) -> Option<&'s DocumentPlace<'a>> {
        self.sections(name).next()
    }

    /// `servers`, `bundles` and `policy` may stand at the top and under `mcp` in one file.
    pub(crate) fn sections<'s>(
        &'s self,
        name: &'s str,
    ) -> impl Iterator<Item = &'s DocumentPlace<'a>> {
        self.sections.iter().filter(move |(section, _)| *section == name).map(|(_, place)| place)
    }

    fn read(reader: &mut DocumentReader<'_>, top: &DocumentPlace<'a>) -> Self {
        let mut structure = Self::default();
        for (key, place) in top.members() {
            match (key, reader.shape) {
                ("mcp_servers", ConfigShape::Codex) => structure.sections.push(("servers", place)),
                // The rest of that file belongs to the program it is for.
                (_, ConfigShape::Codex) => {}
                ("version", _) => check_version(reader, &place),
                ("expand_env", _) => check_bool(reader, &place),
                ("$schema", _) => {}
                ("mcp", ConfigShape::Codelia | ConfigShape::CommandTools) => {
                    structure.mcp(reader, &place);
                }
                ("enable_mcp_server_surface", ConfigShape::CommandTools) => {
                    check_bool(reader, &place);
                    structure.sections.push(("surface", place));
                }
                _ => structure.native(reader, key, place),
            }
        }
        structure
    }

    fn native(&mut self, reader: &mut DocumentReader<'_>, key: &str, place: DocumentPlace<'a>) {
        if let Some(name) = SECTIONS.iter().find(|name| **name == key) {
            self.sections.push((name, place));
            return;
        }
        if matches!(reader.shape, ConfigShape::Codelia | ConfigShape::CommandTools) {
            let message = format!("`{key}` is no setting of Toolgate");
            reader.warn(&place, "foreign-key", message, "it is left to the program it is for");
            return;
        }
        let known: Vec<&str> = ["version", "expand_env"].into_iter().chain(SECTIONS).collect();
        let help = Some(known_keys_hint(key, &known));
        reader.report(Severity::Error, &place, "unknown-key", format!("unknown key `{key}`"), help);
    }

    fn mcp(&mut self, reader: &mut DocumentReader<'_>, mcp: &DocumentPlace<'a>) {
        if mcp.node.table().is_none() {
            reader.error(mcp, "wrong-type", format!("expected a table, found {}", mcp.node.kind()));
        }
        for (key, place) in mcp.members() {
            if let Some(name) = RESERVED_UNDER_MCP.iter().find(|name| **name == key) {
                if looks_like_a_tool(&place) {
                    let message = format!("`{key}` is a reserved name and cannot be a tool");
                    let help = Some("give the tool another name".to_owned());
                    reader.report(Severity::Error, &place, "reserved-tool-name", message, help);
                } else {
                    self.sections.push((name, place));
                }
            } else if reader.shape == ConfigShape::CommandTools {
                self.loose_tools.push((key, place));
            } else {
                let help = Some(known_keys_hint(key, &RESERVED_UNDER_MCP));
                let message = format!("unknown key `{key}`");
                reader.report(Severity::Error, &place, "unknown-key", message, help);
            }
        }
    }
}

fn looks_like_a_tool(place: &DocumentPlace<'_>) -> bool {
    ["command", "url"].iter().any(|key| place.node.get(key).is_some_and(|n| n.string().is_some()))
}

fn check_version(reader: &mut DocumentReader<'_>, place: &DocumentPlace<'_>) {
    if !matches!(&place.node.value, ConfigValue::Number(number) if number == "1") {
        let help = Some("this Toolgate reads version 1".to_owned());
        let message = "an unknown version of the configuration".to_owned();
        reader.report(Severity::Error, place, "unknown-version", message, help);
    }
}

fn check_bool(reader: &mut DocumentReader<'_>, place: &DocumentPlace<'_>) {
    if !matches!(place.node.value, ConfigValue::Bool(_)) {
        let message = format!("expected true or false, found {}", place.node.kind());
        reader.error(place, "wrong-type", message);
    }
}
