//! `toolgate add-json <id> '{…}'`: an entry as other tools hand it around.

use serde_json::Value;
use toolgate_config::tree::{ConfigDocument, ConfigFormat};
use toolgate_terminal::CommandOutput;
use toolgate_types::ConfigSource;

use super::add::EntryPlacing;
use crate::args::AddJsonArgs;
use crate::failure::{CliFailure, CommandResult};
use crate::surroundings::Surroundings;

pub(crate) fn run(
    arguments: &AddJsonArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let unreadable =
        |why: String| CliFailure::usage(format!("the entry is not a JSON object: {why}"));
    // Read as any configuration is, so that a duplicate key is refused and not dropped.
    let document =
        ConfigDocument::parse(ConfigSource::Overrides.into(), ConfigFormat::Json, &arguments.entry)
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
    let AddJsonArgs { id, scope, replace, .. } = arguments;
    let placing = EntryPlacing { id: id.clone(), scope: *scope, replace: *replace, trust: None };
    placing.place(entry, surroundings, output)
}
