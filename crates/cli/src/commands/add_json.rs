//! `toolgate add-json <id> '{…}'`: an entry as other tools hand it around.

use serde_json::Value;
use toolgate_config::tree::{Document, Format};
use toolgate_types::Source;

use super::add::Placing;
use crate::args::AddJson;
use crate::failure::{Done, Failure};
use crate::output::Output;
use crate::surroundings::Surroundings;

pub(crate) fn run(arguments: &AddJson, surroundings: &Surroundings, output: &mut Output) -> Done {
    let unreadable = |why: String| Failure::usage(format!("the entry is not a JSON object: {why}"));
    // Read as any configuration is, so that a duplicate key is refused and not dropped.
    let document = Document::parse(Source::Overrides.into(), Format::Json, &arguments.entry)
        .map_err(|p| {
            unreadable(p.first().map_or_else(String::new, |problem| problem.message.clone()))
        })?;
    let entry: Value = serde_json::from_str(&document.root.to_json(false))
        .map_err(|e| unreadable(e.to_string()))?;
    let Value::Object(mut entry) = entry else {
        return Err(unreadable(format!("it is {}", document.root.kind())));
    };
    // Other tools say `type` where we say `transport`.
    if let Some(word) = entry.shift_remove("type")
        && !entry.contains_key("transport")
    {
        entry.shift_insert(0, "transport".into(), word);
    }
    let AddJson { id, scope, replace, .. } = arguments;
    let placing = Placing { id: id.clone(), scope: *scope, replace: *replace, trust: None };
    placing.place(entry, surroundings, output)
}
