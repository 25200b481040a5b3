//! `toolgate remove <id>`: takes a server out of one scope; another scope's stays.

use serde_json::{Map, Value};
use toolgate_config::change::Change;
use toolgate_types::visible;

use super::add::edit;
use crate::args::{Edit, Scope};
use crate::failure::{Done, Exit};
use crate::output::Output;
use crate::surroundings::Surroundings;

pub(crate) fn run(arguments: &Edit, surroundings: &Surroundings, output: &mut Output) -> Done {
    let Edit { id, scope } = arguments;
    let changed = edit(id, *scope, &Change::Remove, surroundings)?;
    let file = surroundings.shown(&changed.edited.path);
    let word = scope.as_str();
    output.note(format!("removed server {} from {file} ({word} scope)", visible(id)));
    if let Some(before) = changed.before {
        output.note(match holds_values_to_hide(&before) {
            true => "its headers, variables or arguments may be secret: not repeated here".into(),
            false => format!("undo with: toolgate add-json {id} '{before}' --scope {word}"),
        });
    }
    let still = surroundings.load(Scope::Effective);
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
