//! Holds an imported entry against our own reader: what is ready to be written will load.
//!
//! Whether the server exists or answers is not looked at.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use toolgate_types::{Grade, Layer};

use super::scene::{Scene, child};
use crate::meaning;
use crate::place::Place;
use crate::problem::{Problem, Severity};
use crate::reader::Reader;
use crate::shape::Shape;
use crate::tree::{Document, Format};
use toolgate_types::Variables;

/// What our own reader says against an entry. Variables in `to_be_given` count as set.
pub(super) fn complaints(
    scene: &Scene<'_>,
    entry: &Map<String, Value>,
    to_be_given: &[String],
) -> Vec<String> {
    let text = json!({ "entry": entry }).to_string();
    let source = Arc::clone(&scene.document.source);
    let document = match Document::parse(source, Format::Json, &text) {
        Ok(document) => document,
        Err(problems) => return problems.into_iter().map(|problem| problem.message).collect(),
    };
    let mut variables: Variables = scene.request.variables.clone();
    variables.extend(to_be_given.iter().map(|name| (name.clone(), "given".to_owned())));
    let (layer, grade) = (Layer::Global, Grade::Person);
    let mut reader = Reader::new(&document, Shape::Native, layer, grade, &variables, true);
    let Some(place) = child(&Place::root(&document), "entry") else { return Vec::new() };
    if let Some(raw) = reader.read(&place, place.node) {
        meaning::server(&mut reader, &place, raw);
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
