//! `toolgate remove <id>`: takes a server out of one scope; another scope's stays.

use serde_json::{Map, Value};
use toolgate_config::change::ServerChange;
use toolgate_terminal::CommandOutput;
use toolgate_types::visible;

use super::add::edit;
use crate::args::{EditArgs, ScopeArg};
use crate::failure::{CommandResult, Exit};
use crate::fetch_packages::{forget_fetched, key_of};
use crate::surroundings::Surroundings;

pub(crate) fn run(
    arguments: &EditArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let EditArgs { id, scope } = arguments;
    let before = surroundings.load((*scope).into());
    let changed = edit(id, *scope, &ServerChange::Remove, surroundings)?;
    if let Some(key) = key_of(id, &before)
        && let Err(failure) = forget_fetched(&key, &before, surroundings)
    {
        output.warning(visible(&failure.message));
    }
    let file = surroundings.shown(&changed.edited.path);
    let word = scope.as_str();
    output.note(format!("removed server {} from {file} ({word} scope)", visible(id)));
    if let Some(before) = changed.before {
        output.note(match holds_values_to_hide(&before) {
            true => "its headers, variables or arguments may be secret: not repeated here".into(),
            false => format!("undo with: toolgate add-json {id} '{before}' --scope {word}"),
        });
    }
    let still = surroundings.load(ScopeArg::Effective);
    if let Some(entry) = still.config.servers.get(id.as_str()) {
        output.note(format!("the one of {} scope is in effect now", entry.origin.layer));
    }
    if output.json {
        let mut fields = Map::new();
        fields.insert("removed".into(), id.as_str().into());
        fields.insert("scope".into(), word.into());
        fields.insert("file".into(), changed.edited.path.display().to_string().into());
        output.document(fields);
    }
    Ok(Exit::Ok)
}

/// An entry can be repeated on the screen only if it has no place for a secret.
fn holds_values_to_hide(entry: &Value) -> bool {
    match entry {
        Value::Object(table) => table.iter().any(|(key, value)| {
            let places = ["env", "headers", "http_headers", "oauth", "args"];
            let quote = value.as_str().is_some_and(|text| text.contains(['\'', '?', '@']));
            quote || places.contains(&key.as_str()) || holds_values_to_hide(value)
        }),
        _ => false,
    }
}
