//! From a configuration to the server `local`: the tools that are enabled and that a person accepted.

use std::collections::BTreeMap;
use std::sync::Arc;

use indexmap::IndexMap;
use sha2::{Digest as _, Sha256};
use toolgate_types::config::{CommandTool, Config, Entry, Server, ToolSettings, Transport};
use toolgate_types::{
    Acceptances, ConfigSource, Digest, EntryKind, EntryStanding, Fingerprint, Layer, LayerGrade,
    Origin, ToolId, Trust,
};

/// The entry of `local`; nothing where it would have no tool. What a person did not accept, or somebody
/// forbids, is not in it.
pub fn command_server(
    config: &Config,
    acceptances: &Acceptances,
    permits: impl Fn(&CommandTool) -> bool,
) -> Option<Entry<Server>> {
    let is_offered = |(id, entry): &(&ToolId, &Entry<CommandTool>)| {
        let (grade, print) = (entry.origin.grade, &entry.fingerprint);
        let standing = acceptances.standing(grade, EntryKind::Tool, id.as_str(), print, None);
        let is_accepted = matches!(standing, EntryStanding::Accepted(_));
        is_accepted && entry.value.enabled && permits(&entry.value)
    };
    let offered = config.tools.iter().filter(is_offered);
    let tools: IndexMap<ToolId, Entry<CommandTool>> =
        offered.map(|(id, entry)| (id.clone(), entry.clone())).collect();
    if tools.is_empty() {
        return None;
    }
    let settings = tools.iter().map(|(id, entry)| {
        let CommandTool { timeout, result_bytes, .. } = &entry.value;
        let settings = ToolSettings {
            timeout: Some(*timeout),
            result_bytes: *result_bytes,
            ..ToolSettings::default()
        };
        (id.to_string(), settings)
    });
    let fingerprint = fingerprint(&tools);
    let value = Server {
        declared_trust: Some(Trust::Trusted),
        tool_settings: settings.collect(),
        sampling: false,
        ..Server::new(Transport::Commands(Arc::new(tools)))
    };
    let origin = Origin {
        layer: Layer::Runtime,
        grade: LayerGrade::Person,
        source: Arc::new(ConfigSource::Overrides),
        key: "tools".to_owned(),
        line: 0,
    };
    Some(Entry { value, origin, fingerprint, values: Vec::new() })
}

/// Other tools are another server: nothing that was known of these holds for those.
fn fingerprint(tools: &IndexMap<ToolId, Entry<CommandTool>>) -> Fingerprint {
    let mut hash = Sha256::new();
    for (id, entry) in tools {
        hash.update(id.as_str().len().to_le_bytes());
        hash.update(id.as_str());
        hash.update(entry.fingerprint.entry.0);
        for (file, content) in &entry.fingerprint.files {
            hash.update(file.len().to_le_bytes());
            hash.update(file);
            hash.update(content.0);
        }
    }
    Fingerprint { entry: Digest(hash.finalize().into()), files: BTreeMap::new() }
}
