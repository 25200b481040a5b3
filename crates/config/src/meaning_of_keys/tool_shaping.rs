//! How a tool is shown and called otherwise than its server defines it.

use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::value::RawValue;
use toolgate_types::config::{ShownToolName, ToolSettings, ToolShaping};
use toolgate_types::{is_hidden, visible};

use crate::place::DocumentPlace;
use crate::problem::Severity;
use crate::raw::RawJson;
use crate::reader::DocumentReader;

/// The keys about it, as they are written.
pub(super) struct WrittenShaping {
    pub(super) description: Option<String>,
    pub(super) rename: Option<String>,
    pub(super) hide_parameters: Option<Vec<String>>,
    pub(super) default: Option<IndexMap<String, RawJson>>,
}

pub(super) fn shaping(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    written: WrittenShaping,
) -> Option<Arc<ToolShaping>> {
    let WrittenShaping { description, rename, hide_parameters, default } = written;
    if description.as_deref().is_some_and(has_hidden_characters) {
        let message = "a description cannot hold characters that nobody sees".to_owned();
        reader.error(&place.at(&["description"]), "control-character", message);
    }
    let rename = rename.and_then(|written| match ShownToolName::parse(&written) {
        Ok(name) => Some(name),
        Err(error) => {
            reader.error(&place.at(&["rename"]), "tool-name", error.to_string());
            None
        }
    });
    let hidden = hide_parameters.unwrap_or_default().into_iter().collect();
    let defaults_at = place.at(&["default"]);
    let places = defaults_at.by_key();
    let defaults = default.unwrap_or_default().into_iter().filter_map(|(name, value)| {
        let at = places.get(name.as_str()).unwrap_or(&defaults_at);
        Some((name, default_value(reader, at, value)?))
    });
    let defaults = defaults.collect();
    ToolShaping { rename, description, hidden, defaults }.shared()
}

/// No two tools of a server are given one name.
pub(super) fn check_names(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    tools: &IndexMap<String, ToolSettings>,
) {
    let mut given: IndexMap<&ShownToolName, &str> = IndexMap::new();
    for (tool, settings) in tools {
        let name = settings.shaping.as_ref().and_then(|shaping| shaping.rename.as_ref());
        let Some(name) = name else { continue };
        if let Some(first) = given.insert(name, tool) {
            let message = format!("`{name}` is already the name of `{}`", visible(first));
            let help = Some("give each tool a name of its own".to_owned());
            let at = place.by_key().get(tool.as_str()).unwrap_or(place).at(&["rename"]);
            reader.report(Severity::Error, &at, "duplicate-rename", message, help);
        }
    }
}

/// What a person approves, and what is written down, has the value in it.
fn default_value(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    RawJson(json): RawJson,
) -> Option<Box<RawValue>> {
    let json = match reader.expand {
        true if names_variable(&json) => {
            let message = "a default is sent, shown and recorded as it is written: it cannot name \
                           a variable or a secret"
                .to_owned();
            let help = Some("write the value itself; `$${` is a literal `${`".to_owned());
            reader.report(Severity::Error, place, "default-variable", message, help);
            return None;
        }
        // Neither `$` nor `{` is ever escaped.
        true => json.replace("$${", "${"),
        false => json,
    };
    RawValue::from_string(json).ok()
}

fn names_variable(json: &str) -> bool {
    json.match_indices("${").any(|(at, _)| !json[..at].ends_with('$'))
}

/// Line breaks and tabs are seen.
fn has_hidden_characters(text: &str) -> bool {
    text.chars().any(|c| is_hidden(c) && !matches!(c, '\n' | '\t'))
}
