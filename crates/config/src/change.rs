//! Adds, removes and switches a server in the file of one layer, in the shape that file has.
//!
//! What an edit would leave behind is read before it is written: an entry that does not load is
//! refused, and the file stays as it is.

mod append_rules;

use std::path::Path;

use serde_json::{Map, Value};
use toolgate_types::config::ApprovalMode;
use toolgate_types::{Layer, LayerGrade, SecretSource};

use crate::discover::root_of;
use crate::edit::file::{BackupChoice, EditedFile, FileError, edit_file};
use crate::edit::{EditError, TextEditor};
use crate::expand::{ExpansionSources, NO_SECRETS};
use crate::fingerprint::FileLook;
use crate::layer::{LayerStandpoint, LayeredConfig, read_layer};
use crate::load::LayerFile;
use crate::problem::{Problem, Problems};
use crate::shape::{ConfigShape, UnsayableKey};
use crate::text::format_of;
use crate::tree::{ConfigDocument, ConfigNode};
use toolgate_types::Variables;

pub use append_rules::{RuleWriteError, append_rules, rule_text};

/// What to do to a server.
#[derive(Debug, Clone)]
pub enum ServerChange {
    /// Write an entry, given in native keys.
    Put {
        entry: Map<String, Value>,
        replace: bool,
    },
    Remove,
    Enable(bool),
    /// Whether its calls ask.
    Approval(ApprovalMode),
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
    Unsayable(#[from] UnsayableKey),
    #[error(transparent)]
    Edit(#[from] EditError),
    #[error(transparent)]
    File(#[from] FileError),
}

/// What an edit did.
#[derive(Debug)]
pub struct EditOutcome {
    pub edited: EditedFile,
    /// What the entry was before, as it stood in the file.
    pub before: Option<Value>,
    pub warnings: Vec<Problem>,
}

/// The file of a layer, and what its entries may refer to.
#[derive(Debug, Clone, Copy)]
pub struct EditTarget<'a> {
    pub file: &'a LayerFile,
    pub layer: Layer,
    pub variables: &'a Variables,
    pub secrets: Option<&'a dyn SecretSource>,
    pub lock_folder: &'a Path,
}

/// Changes one server in one file.
pub fn change_server(
    target: EditTarget<'_>,
    id: &str,
    change: &ServerChange,
) -> Result<EditOutcome, ChangeError> {
    let mut before = None;
    let mut warnings = Vec::new();
    let path = &target.file.path;
    let edited = edit_file(path, target.lock_folder, BackupChoice::None, |text| {
        let applied = apply(target, id, change, text)?;
        before = applied.before;
        warnings = applied.warnings;
        Ok::<_, ChangeError>(applied.text)
    })?;
    Ok(EditOutcome { edited, before, warnings })
}

struct AppliedChange {
    text: String,
    before: Option<Value>,
    warnings: Vec<Problem>,
}

fn apply(
    target: EditTarget<'_>,
    id: &str,
    change: &ServerChange,
    text: &str,
) -> Result<AppliedChange, ChangeError> {
    let format = format_of(&target.file.path);
    let blank = text.trim_start_matches('\u{feff}').trim().is_empty();
    let document = if blank { None } else { Some(target.parse(text)?) };
    let shape = target.shape(document.as_ref());
    let path = entry_path(shape, document.as_ref(), id);
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let found = document.as_ref().and_then(|document| descend(&document.root, &path));
    let before = found.and_then(|node| serde_json::from_str(&node.to_json(false)).ok());
    let mut editor = TextEditor::open(format, text)?;
    match (change, found.is_some()) {
        (ServerChange::Put { replace: false, .. }, true) => return Err(ChangeError::Exists),
        (ServerChange::Put { entry, .. }, _) => {
            if blank && matches!(shape, ConfigShape::Native | ConfigShape::Codelia) {
                editor.set(&["version"], &Value::from(1))?;
            }
            editor.set(&path, &Value::Object(shape.write_server(entry.clone())?))?;
        }
        (ServerChange::Remove | ServerChange::Enable(_) | ServerChange::Approval(_), false) => {
            return Err(ChangeError::Missing);
        }
        (ServerChange::Remove, true) => drop(editor.remove(&path)?),
        (ServerChange::Enable(enabled), true) => {
            let path = [&path[..], &["enabled"]].concat();
            editor.set(&path, &Value::from(*enabled))?;
        }
        (ServerChange::Approval(mode), true) => {
            let path = [&path[..], &["approval"]].concat();
            editor.set(&path, &Value::from(mode.as_str()))?;
        }
    }
    let text = editor.finish();
    let problems = target.problems_of(&text, shape, &path.join("."))?;
    let checked = matches!(change, ServerChange::Put { .. } | ServerChange::Approval(_));
    if checked {
        Problems::refuse_errors(&problems).map_err(ChangeError::Invalid)?;
    }
    Ok(AppliedChange { text, before, warnings: problems })
}

impl EditTarget<'_> {
    fn parse(&self, text: &str) -> Result<ConfigDocument, ChangeError> {
        let source =
            std::sync::Arc::new(toolgate_types::ConfigSource::File(self.file.path.clone()));
        let text = text.replacen('\u{feff}', "   ", 1);
        ConfigDocument::parse(source, format_of(&self.file.path), &text)
            .map_err(|problems| ChangeError::Invalid(Problems(problems)))
    }

    fn shape(&self, document: Option<&ConfigDocument>) -> ConfigShape {
        let by_keys =
            |document: &ConfigDocument| ConfigShape::of_keys(document.format, &document.root);
        let by_keys = || document.map_or(ConfigShape::Native, by_keys);
        self.file.shape.unwrap_or_else(by_keys)
    }

    /// What is wrong with the edited entry once the whole file is read again.
    fn problems_of(
        &self,
        text: &str,
        shape: ConfigShape,
        key: &str,
    ) -> Result<Vec<Problem>, ChangeError> {
        let document = self.parse(text)?;
        let grade = match self.layer {
            Layer::Global => LayerGrade::Person,
            Layer::Project | Layer::Environment | Layer::Runtime => LayerGrade::Project,
        };
        let root = root_of(&self.file.path);
        let secrets = self.secrets.map_or(NO_SECRETS, SecretSource::read);
        let sources = ExpansionSources { variables: self.variables, secrets: &secrets };
        let (layer, workspace) = (self.layer, &root);
        let look = FileLook::EachEntry;
        let standpoint =
            LayerStandpoint { layer, grade, shape, sources, root: &root, workspace, look };
        let (layered, mut problems) = read_layer(&LayeredConfig::default(), &document, standpoint);
        problems.extend(layered.map(|layered| layered.not_yet).unwrap_or_default());
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
fn entry_path(shape: ConfigShape, document: Option<&ConfigDocument>, id: &str) -> Vec<String> {
    let path = |parents: &[&str]| {
        parents.iter().copied().chain([id]).map(str::to_owned).collect::<Vec<String>>()
    };
    let loose = document.and_then(|document| document.root.get("mcp")?.get(id));
    if shape == ConfigShape::CommandTools && loose.is_some_and(crate::layer::is_server) {
        return path(&["mcp"]);
    }
    path(shape.servers_path())
}

fn descend<'n>(root: &'n ConfigNode, path: &[&str]) -> Option<&'n ConfigNode> {
    path.iter().try_fold(root, |node, key| node.get(key))
}
