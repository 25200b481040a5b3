//! `toolgate enable <id>` and `toolgate disable <id>`.

use serde_json::Map;
use toolgate_config::EditScope;
use toolgate_config::change::ServerChange;
use toolgate_terminal::CommandOutput;
use toolgate_types::{EntryStanding, visible};

use super::add::edit;
use crate::args::{ScopeArg, SwitchArgs};
use crate::failure::{CommandResult, Exit};
use crate::surroundings::Surroundings;
use crate::trust_standing;

pub(crate) fn run(
    arguments: &SwitchArgs,
    enabled: bool,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let SwitchArgs { id, scope } = arguments;
    let scope = scope.unwrap_or_else(|| scope_with(id, surroundings));
    let before = trust_standing::standing_of(surroundings, id)?;
    let changed = edit(id, scope, &ServerChange::Enable(enabled), surroundings)?;
    let file = surroundings.shown(&changed.edited.path);
    let (done, undo) = if enabled { ("enabled", "disable") } else { ("disabled", "enable") };
    let word = scope.as_str();
    output.note(format!("{done} server {} in {file} ({word} scope)", visible(id)));
    output.note(format!("undo with: toolgate {undo} {id} --scope {word}"));
    // The entry changed by a byte, and the person who accepted it changed it: nobody else gets here.
    if let (EditScope::Project, Some(EntryStanding::Accepted(trust))) = (scope, before) {
        trust_standing::accept_switched(surroundings, id, trust)?;
    }
    if output.json {
        let mut fields = Map::new();
        fields.insert(done.into(), id.as_str().into());
        fields.insert("scope".into(), word.into());
        fields.insert("file".into(), changed.edited.path.display().to_string().into());
        output.document(fields);
    }
    Ok(Exit::Ok)
}

/// Your own file where only that has the entry, otherwise the project's, which counts.
fn scope_with(id: &str, surroundings: &Surroundings) -> EditScope {
    let has = |scope| surroundings.load(scope).config.servers.contains_key(id);
    match has(ScopeArg::Global) && !has(ScopeArg::Project) {
        true => EditScope::Global,
        false => EditScope::Project,
    }
}
