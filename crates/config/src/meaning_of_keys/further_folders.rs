//! The folders of documentation that an entry names: a project's stay inside the workspace.

use std::path::{Component, Path};

use toolgate_types::LayerGrade;

use crate::place::DocumentPlace;
use crate::problem::Severity;
use crate::reader::DocumentReader;

pub(super) fn further_folders(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    written: Option<Vec<String>>,
) -> Vec<String> {
    let at = place.at(&["readable"]);
    let mut folders = Vec::new();
    for (index, folder) in written.unwrap_or_default().into_iter().enumerate() {
        let help = match (is_inside(&folder), is_elsewhere(&folder), reader.grade) {
            (true, ..) | (false, true, LayerGrade::Person) => {
                folders.push(folder);
                continue;
            }
            (false, true, LayerGrade::Project) => {
                "a project names folders of its own; others belong into your own file"
            }
            (false, false, _) => {
                "write it from the workspace (`target/doc`), from `~/` or from `/`"
            }
        };
        let message = "this is no folder that can be read here".to_owned();
        let (at, help) = (at.item(index), Some(help.to_owned()));
        reader.report(Severity::Error, &at, "docs-folder", message, help);
    }
    folders
}

/// By names alone; that no link leads out is seen when it is read.
fn is_inside(folder: &str) -> bool {
    let is_name = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    let mut parts = Path::new(folder).components().peekable();
    parts.peek().is_some() && !folder.starts_with('~') && parts.all(is_name)
}

fn is_elsewhere(folder: &str) -> bool {
    folder.starts_with("~/") || folder.starts_with('/')
}
