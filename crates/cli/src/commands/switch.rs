//! `toolgate enable <id>` and `toolgate disable <id>`.

use serde_json::Map;
use toolgate_config::change::Change;
use toolgate_types::{Standing, visible};

use super::add::edit;
use crate::args::{Edit, EditScope};
use crate::failure::{Done, Exit};
use crate::output::Output;
use crate::surroundings::Surroundings;
use crate::trust_standing;

pub(crate) fn run(
    arguments: &Edit,
    enabled: bool,
    surroundings: &Surroundings,
    output: &mut Output,
) -> Done {
    let Edit { id, scope } = arguments;
    let before = trust_standing::standing_of(surroundings, id)?;
    let changed = edit(id, *scope, &Change::Enable(enabled), surroundings)?;
    let file = surroundings.shown(&changed.edited.path);
    let (done, undo) = if enabled { ("enabled", "disable") } else { ("disabled", "enable") };
    let word = scope.as_str();
    output.note(format!("{done} server {} in {file} ({word} scope)", visible(id)));
    output.note(format!("undo with: toolgate {undo} {id} --scope {word}"));
    // The entry changed by a byte, and the person who accepted it changed it: nobody else gets here.
    if let (EditScope::Project, Some(Standing::Accepted(trust))) = (scope, before) {
        trust_standing::accept_typed(surroundings, id, trust)?;
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
