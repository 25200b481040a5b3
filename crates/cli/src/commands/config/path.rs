//! `toolgate config path`: which files count, and whether they are there.

use std::path::Path;

use serde_json::{Map, Value, json};
use toolgate_terminal::{CommandOutput, table};

use crate::args::ScopeArg;
use crate::failure::{CommandResult, Exit};
use crate::surroundings::Surroundings;

pub(super) fn run(surroundings: &Surroundings, output: &mut CommandOutput) -> CommandResult {
    let loaded = surroundings.load(ScopeArg::Effective);
    let state = surroundings.state_folder().ok();
    let places = [
        ("project", loaded.project_file.as_deref()),
        ("global", loaded.global_file.as_deref()),
        ("state", state.as_deref()),
    ];
    if output.json {
        let places = places.iter().map(|(name, path)| ((*name).to_owned(), as_json(*path)));
        output.document(places.collect::<Map<String, Value>>());
        return Ok(Exit::Ok);
    }
    let rows: Vec<Vec<String>> = places
        .iter()
        .map(|(name, path)| {
            let shown = path.map_or_else(|| "-".to_owned(), |path| path.display().to_string());
            let there = if path.is_some_and(Path::exists) { "exists" } else { "none" };
            vec![(*name).to_owned(), there.to_owned(), shown]
        })
        .collect();
    output.raw(&table(&["what", "file", "path"], &rows));
    Ok(Exit::Ok)
}

fn as_json(path: Option<&Path>) -> Value {
    match path {
        Some(path) => json!({ "path": path.display().to_string(), "exists": path.exists() }),
        None => Value::Null,
    }
}
