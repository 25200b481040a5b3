//! Holds an imported entry against our own reader: what is ready to be written will load.
//!
//! Whether the server exists or answers is not looked at.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use toolgate_types::{Layer, LayerGrade};

use super::scene::{ImportScene, child};
use crate::expand::{ExpansionSources, NO_SECRETS};
use crate::meaning_of_keys;
use crate::place::DocumentPlace;
use crate::problem::{Problem, Severity};
use crate::reader::DocumentReader;
use crate::shape::ConfigShape;
use crate::tree::{ConfigDocument, ConfigFormat};
use toolgate_types::Variables;

/// What our own reader says against an entry. Variables in `to_be_given` count as set.
pub(super) fn complaints(
    scene: &ImportScene<'_>,
    entry: &Map<String, Value>,
    to_be_given: &[String],
) -> Vec<String> {
    let text = json!({ "entry": entry }).to_string();
    let source = Arc::clone(&scene.document.source);
    let document = match ConfigDocument::parse(source, ConfigFormat::Json, &text) {
        Ok(document) => document,
        Err(problems) => return problems.into_iter().map(|problem| problem.message).collect(),
    };
    let mut variables: Variables = scene.request.variables.clone();
    variables.extend(to_be_given.iter().map(|name| (name.clone(), "given".to_owned())));
    let (layer, grade) = (Layer::Global, LayerGrade::Person);
    // What another client wrote names no secret of ours.
    let sources = ExpansionSources { variables: &variables, secrets: &NO_SECRETS };
    let mut reader =
        DocumentReader::new(&document, ConfigShape::Native, layer, grade, sources, true);
    let Some(place) = child(&DocumentPlace::root(&document), "entry") else { return Vec::new() };
    if let Some(raw) = reader.read(&place, place.node) {
        meaning_of_keys::server(&mut reader, &place, raw);
    }
    // Where a part of the URL is still to be given, nobody knows yet whether it will be good.
    let is_unknown = |problem: &Problem| problem.rule == "bad-url" && !to_be_given.is_empty();
    reader
        .problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error && !is_unknown(problem))
        .map(|problem| match problem.key.strip_prefix("entry.") {
            Some(key) => format!("`{key}`: {}", problem.message),
            None => problem.message.clone(),
        })
        .collect()
}
