//! Two definitions side by side, member by member, down to what differs.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use toolgate_types::Severity;

use super::excerpt::{excerpts, shown};
use super::hidden::{hidden_in, is_odd};
use super::parts::{ValueParts, side_by_side};
use super::place::DriftPlace;
use super::{DefinitionChange, DefinitionDrift, MOST};

/// Deeper than this nothing is taken apart. The texts are read once for each level.
const DEEPEST: usize = 32;

/// Where so much text was taken apart, nothing more is.
const MOST_BYTES: usize = 8 << 20;

/// The most that is shown of one key, in characters.
const LONGEST_KEY: usize = 60;

/// The changes found so far, each kind by itself, so that many of one cannot crowd out another.
#[derive(Default)]
pub(super) struct DriftWalk {
    found: BTreeMap<Severity, (Vec<DefinitionChange>, usize)>,
    read: usize,
}

impl DriftWalk {
    pub(super) fn definition(&mut self, accepted: &RawValue, live: &RawValue) {
        self.value("", DriftPlace::Definition, (accepted, live), 0);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    pub(super) fn told(&mut self, change: DefinitionChange) {
        let (changes, all) = self.found.entry(change.severity).or_default();
        *all += 1;
        if changes.len() < MOST {
            changes.push(change);
        }
    }

    pub(super) fn drift(self) -> DefinitionDrift {
        let severity = self.found.keys().max().copied().unwrap_or_default();
        let all: usize = self.found.values().map(|(_, all)| all).sum();
        let gravest_first = self.found.into_values().rev();
        let changes: Vec<_> = gravest_first.flat_map(|(changes, _)| changes).take(MOST).collect();
        DefinitionDrift { severity, more: all - changes.len(), changes }
    }

    fn value(
        &mut self,
        path: &str,
        place: DriftPlace,
        sides: (&RawValue, &RawValue),
        depth: usize,
    ) {
        let (before, after) = sides;
        if before.get() == after.get() {
            return;
        }
        let bytes = before.get().len() + after.get().len();
        // The first level always: one member that is large must not make all others seem less grave.
        if depth == 0 || depth < DEEPEST && self.read + bytes <= MOST_BYTES {
            let parts = (ValueParts::of(before), ValueParts::of(after));
            match parts {
                (ValueParts::Members(before), ValueParts::Members(after)) => {
                    self.read += bytes;
                    return self.members(path, place, before, after, depth);
                }
                (ValueParts::Items(before), ValueParts::Items(after))
                    if before.len() == after.len() =>
                {
                    self.read += bytes;
                    for (number, sides) in before.into_iter().zip(after).enumerate() {
                        self.item(path, number, place, sides, depth);
                    }
                    return;
                }
                // Written otherwise, and the same.
                (ValueParts::Text(before), ValueParts::Text(after)) if before == after => return,
                _ => {}
            }
        }
        self.differs(path.to_owned(), place, (Some(before), Some(after)), "");
    }

    fn item(
        &mut self,
        path: &str,
        number: usize,
        place: DriftPlace,
        sides: (&RawValue, &RawValue),
        depth: usize,
    ) {
        // Most are the same, and then nothing is made of them.
        if sides.0.get() != sides.1.get() {
            self.value(&format!("{path}[{number}]"), place, sides, depth + 1);
        }
    }

    fn members(
        &mut self,
        path: &str,
        place: DriftPlace,
        before: Vec<(String, &RawValue)>,
        after: Vec<(String, &RawValue)>,
        depth: usize,
    ) {
        for ((key, _), sides) in side_by_side(before, after) {
            let path = || match path {
                "" => short(&key),
                _ => format!("{path}.{}", short(&key)),
            };
            let place = place.member(&key);
            match sides {
                (Some(before), Some(after)) if before.get() == after.get() => {}
                (Some(before), Some(after)) => {
                    self.value(&path(), place, (before, after), depth + 1);
                }
                sides => self.differs(path(), place, sides, &key),
            }
        }
    }

    /// A change that is told as a whole; `key` is new with it.
    fn differs(
        &mut self,
        path: String,
        place: DriftPlace,
        (before, after): (Option<&RawValue>, Option<&RawValue>),
        key: &str,
    ) {
        let hidden = |side: Option<&RawValue>| side.map(|raw| hidden_in(raw.get()));
        let now = hidden(after).unwrap_or_default();
        let hides = !now.is_empty() && hidden(before).as_ref() != Some(&now);
        let hides = hides || after.is_some() && key.contains(is_odd);
        let severity = match hides {
            true => Severity::Danger,
            false => place.severity(before, after),
        };
        let texts = (before.map(text), after.map(text));
        let (before, after) = excerpts(texts.0.as_deref(), texts.1.as_deref());
        let path = if path.is_empty() { "(definition)".to_owned() } else { path };
        self.told(DefinitionChange { place: path, before, after, severity });
    }
}

/// A text as itself, any other JSON as it is written.
fn text(raw: &RawValue) -> String {
    match ValueParts::of(raw) {
        ValueParts::Text(text) => text,
        _ => raw.get().to_owned(),
    }
}

fn short(key: &str) -> String {
    match key.char_indices().nth(LONGEST_KEY) {
        Some((end, _)) => format!("{}…", shown(&key[..end])),
        None => shown(key),
    }
}
