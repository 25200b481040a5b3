//! The pages that a tool's definition refers to: resources of its own server, which clients that know
//! MCP Apps read and show.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::value::RawValue;
use toolgate_types::Definition;

/// Where in `_meta` of a tool the URI of a page stands.
pub const PAGE_MEMBERS: [&[&str]; 3] =
    [&["ui", "resourceUri"], &["ui/resourceUri"], &["openai/outputTemplate"]];

pub(super) fn of(tool: &Definition) -> Vec<String> {
    let raw = tool.raw.get();
    // Few tools have any; a key may be spelled with escapes.
    if !raw.contains("_meta") && !raw.contains("\\u") {
        return Vec::new();
    }
    let page = |path: &&[&str]| {
        let mut at: &RawValue = &tool.raw;
        for key in std::iter::once(&"_meta").chain(*path) {
            at = member(at, key)?;
        }
        serde_json::from_str(at.get()).ok()
    };
    PAGE_MEMBERS.iter().filter_map(page).collect()
}

fn member<'a>(object: &'a RawValue, key: &str) -> Option<&'a RawValue> {
    let members: HashMap<Cow<'a, str>, &'a RawValue> = serde_json::from_str(object.get()).ok()?;
    members.get(key).copied()
}
