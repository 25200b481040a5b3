//! Settings that are read, checked, and that nothing goes by yet. Whoever writes one is told: what
//! is promised is true or not written.
//!
//! The table shrinks as the work goes on; a check of the house holds that every key of the schema is
//! either in it or used by another crate.

use std::sync::Arc;

use super::DocumentStructure;
use crate::place::DocumentPlace;
use crate::problem::{Problem, Severity};
use crate::tree::{ConfigDocument, is_spelling};

/// The rule of such a warning.
pub const NOT_YET: &str = "not-yet";

/// A setting, or a kind of entry, that nothing goes by yet.
#[derive(Debug, Clone, Copy)]
pub struct UnreadSetting {
    /// From the section down; `*` stands for any name. What is below it is meant too.
    pub key: &'static str,
    /// What happens instead.
    pub instead: &'static str,
}

pub const UNREAD_SETTINGS: [UnreadSetting; 0] = [];

/// A warning for everything in this document that nothing goes by.
pub(crate) fn warnings(
    document: &ConfigDocument,
    structure: &DocumentStructure<'_>,
) -> Vec<Problem> {
    let mut found = Vec::new();
    for setting in &UNREAD_SETTINGS {
        let mut keys = setting.key.split('.');
        let Some(section) = keys.next() else { continue };
        let keys: Vec<&str> = keys.collect();
        let places = structure.sections(section).flat_map(|place| below(place, &keys));
        found.extend(places.map(|place| warning(document, &place, setting)));
    }
    found.sort_by_key(|problem| problem.line);
    found
}

fn warning(
    document: &ConfigDocument,
    place: &DocumentPlace<'_>,
    setting: &UnreadSetting,
) -> Problem {
    Problem {
        severity: Severity::Warning,
        rule: NOT_YET,
        source: Arc::clone(&document.source),
        key: place.path.clone(),
        line: document.line(place.offset),
        message: format!("nothing goes by this yet: {}", setting.instead),
        help: None,
    }
}

/// The places that these keys lead to.
fn below<'a>(place: &DocumentPlace<'a>, keys: &[&str]) -> Vec<DocumentPlace<'a>> {
    let Some((key, rest)) = keys.split_first() else { return vec![place.clone()] };
    let members = place.members().filter(|(name, _)| *key == "*" || is_spelling(name, key));
    members.flat_map(|(_, member)| below(&member, rest)).collect()
}
