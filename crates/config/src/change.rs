//! Adds, removes and switches a server in the file of one layer, in the shape that file has.
//!
//! What an edit would leave behind is read before it is written: an entry that does not load is
//! refused, and the file stays as it is.

use std::path::Path;

use serde_json::{Map, Value};
use toolgate_types::{Grade, Layer};

use crate::discover::root_of;
use crate::edit::file::{Backup, Edited, FileError, edit_file};
use crate::edit::{EditError, Editor};
use crate::layer::{Layered, Standpoint, read_layer};
use crate::load::LayerFile;
use crate::problem::{Problem, Problems};
use crate::shape::{Shape, Unsayable};
use crate::text::format_of;
use crate::tree::{Document, Node};
use toolgate_types::Variables;

/// What to do to a server.
#[derive(Debug, Clone)]
pub enum Change {
    /// Write an entry, given in native keys.
    Put {
        entry: Map<String, Value>,
        replace: bool,
    },
    Remove,
    Enable(bool),
}

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    #[error("the server exists already")]
    Exists,
    #[error("there is no such server")]
    Missing,
    #[error(transparent)]
    Invalid(Problems),
    #[error(transparent)]
    Unsayable(#[from] Unsayable),
    #[error(transparent)]
    Edit(#[from] EditError),
    #[error(transparent)]
    File(#[from] FileError),
}

/// What an edit did.
#[derive(Debug)]
pub struct Changed {
    pub edited: Edited,
    /// What the entry was before, as it stood in the file.
    pub before: Option<Value>,
    pub warnings: Vec<Problem>,
}

/// The file of a layer, and what its entries may refer to.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    pub file: &'a LayerFile,
    pub layer: Layer,
    pub variables: &'a Variables,
    pub lock_folder: &'a Path,
}

/// Changes one server in one file.
pub fn change_server(
    target: Target<'_>,
    id: &str,
    change: &Change,
) -> Result<Changed, ChangeError> {
    let mut before = None;
    let mut warnings = Vec::new();
    let path = &target.file.path;
    let edited = edit_file(path, target.lock_folder, Backup::None, |text| {
        let applied = apply(target, id, change, text)?;
        before = applied.before;
        warnings = applied.warnings;
        Ok::<_, ChangeError>(applied.text)
    })?;
    Ok(Changed { edited, before, warnings })
}

struct Applied {
    text: String,
    before: Option<Value>,
    warnings: Vec<Problem>,
}

fn apply(
    target: Target<'_>,
    id: &str,
    change: &Change,
    text: &str,
) -> Result<Applied, ChangeError> {
    let format = format_of(&target.file.path);
    let blank = text.trim_start_matches('\u{feff}').trim().is_empty();
    let document = if blank { None } else { Some(target.parse(text)?) };
    let shape = target.shape(document.as_ref());
    let path = entry_path(shape, document.as_ref(), id);
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let found = document.as_ref().and_then(|document| descend(&document.root, &path));
    let before = found.and_then(|node| serde_json::from_str(&node.to_json(false)).ok());
    let mut editor = Editor::open(format, text)?;
    match (change, found.is_some()) {
        (Change::Put { replace: false, .. }, true) => return Err(ChangeError::Exists),
        (Change::Put { entry, .. }, _) => {
            if blank && matches!(shape, Shape::Native | Shape::Codelia) {
                editor.set(&["version"], &Value::from(1))?;
            }
            editor.set(&path, &Value::Object(shape.write_server(entry.clone())?))?;
        }
        (Change::Remove | Change::Enable(_), false) => return Err(ChangeError::Missing),
        (Change::Remove, true) => drop(editor.remove(&path)?),
        (Change::Enable(enabled), true) => {
            let path = [&path[..], &["enabled"]].concat();
            editor.set(&path, &Value::from(*enabled))?;
        }
    }
    let text = editor.finish();
    let problems = target.problems_of(&text, shape, &path.join("."))?;
    let checked = matches!(change, Change::Put { .. });
    if checked {
        Problems::refuse_errors(&problems).map_err(ChangeError::Invalid)?;
    }
    Ok(Applied { text, before, warnings: problems })
}

impl Target<'_> {
    fn parse(&self, text: &str) -> Result<Document, ChangeError> {
        let source = std::sync::Arc::new(toolgate_types::Source::File(self.file.path.clone()));
        let text = text.replacen('\u{feff}', "   ", 1);
        Document::parse(source, format_of(&self.file.path), &text)
            .map_err(|problems| ChangeError::Invalid(Problems(problems)))
    }

    fn shape(&self, document: Option<&Document>) -> Shape {
        let by_keys = |document: &Document| Shape::of_keys(document.format, &document.root);
        let by_keys = || document.map_or(Shape::Native, by_keys);
        self.file.shape.unwrap_or_else(by_keys)
    }

    /// What is wrong with the edited entry once the whole file is read again.
    fn problems_of(
        &self,
        text: &str,
        shape: Shape,
        key: &str,
    ) -> Result<Vec<Problem>, ChangeError> {
        let document = self.parse(text)?;
        let grade = match self.layer {
            Layer::Global => Grade::Person,
            Layer::Project | Layer::Environment | Layer::Runtime => Grade::Project,
        };
        let root = root_of(&self.file.path);
        let (layer, variables) = (self.layer, self.variables);
        let standpoint =
            Standpoint { layer, grade, shape, variables, root: &root, workspace: &root };
        let (_, problems) = read_layer(&Layered::default(), &document, standpoint);
        let inside = |problem: &Problem| {
            problem
                .key
                .strip_prefix(key)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        Ok(problems.into_iter().filter(inside).collect())
    }
}

/// Where an entry stands or would stand; among command tools a server may stand beside them.
fn entry_path(shape: Shape, document: Option<&Document>, id: &str) -> Vec<String> {
    let path = |parents: &[&str]| {
        parents.iter().copied().chain([id]).map(str::to_owned).collect::<Vec<String>>()
    };
    let loose = document.and_then(|document| document.root.get("mcp")?.get(id));
    if shape == Shape::CommandTools && loose.is_some_and(crate::layer::is_server) {
        return path(&["mcp"]);
    }
    path(shape.servers_path())
}

fn descend<'n>(root: &'n Node, path: &[&str]) -> Option<&'n Node> {
    path.iter().try_fold(root, |node, key| node.get(key))
}
