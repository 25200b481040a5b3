//! How large a schema is once every `$ref` in it is followed, before anything is compiled.
//!
//! Only what is counted is looked at, and everything is counted as if it were a schema: data inside
//! `enum` or `default` may make a schema look larger than it is, never smaller.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// Levels of nesting, those below a `$ref` included. Checking recurses as deep.
const DEEPEST: u32 = 64;
/// Values in the unfolded schema. Checking looks at each of them for each value of the arguments.
const MOST_VALUES: u64 = 50_000;
/// Regular expressions in the unfolded schema; each takes memory of its own.
const MOST_PATTERNS: u64 = 100;

/// An unfolded schema, or a part of one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SchemaSize {
    pub(super) values: u64,
    pub(super) patterns: u64,
    depth: u32,
}

impl SchemaSize {
    /// `None` if the schema is too large, is recursive or needs anything outside itself.
    pub(super) fn of(schema: &Value) -> Option<Self> {
        let mut walk = SchemaBoundsWalk { root: schema, parts: HashMap::new() };
        walk.size(schema, 1)
    }

    fn add(&mut self, part: Self) {
        self.values = self.values.saturating_add(part.values);
        self.patterns = self.patterns.saturating_add(part.patterns);
        self.depth = self.depth.max(part.depth);
    }

    fn in_bounds(&self) -> bool {
        self.values <= MOST_VALUES && self.patterns <= MOST_PATTERNS && self.depth <= DEEPEST
    }
}

struct SchemaBoundsWalk<'a> {
    root: &'a Value,
    /// By address: a part is measured once, however many references lead to it. `None` while it is
    /// being measured, so that whoever meets it then has gone in a circle.
    parts: HashMap<*const Value, Option<SchemaSize>>,
}

impl<'a> SchemaBoundsWalk<'a> {
    /// `level` counts the way here, so that a long chain of references ends before our stack does.
    fn size(&mut self, part: &'a Value, level: u32) -> Option<SchemaSize> {
        if level > DEEPEST {
            return None;
        }
        let address = std::ptr::from_ref(part);
        if let Some(known) = self.parts.get(&address) {
            return *known;
        }
        self.parts.insert(address, None);
        let mut size = SchemaSize { values: 1, ..SchemaSize::default() };
        match part {
            Value::Object(members) => size.add(self.members(members, level)?),
            Value::Array(items) => {
                for item in items {
                    size.add(self.size(item, level + 1)?);
                }
            }
            _ => {}
        }
        size.depth += 1;
        self.parts.insert(address, Some(size));
        size.in_bounds().then_some(size)
    }

    fn members(&mut self, members: &'a Map<String, Value>, level: u32) -> Option<SchemaSize> {
        let mut sum = SchemaSize::default();
        for (key, value) in members {
            sum.add(self.size(value, level + 1)?);
            match (key.as_str(), value) {
                ("$ref", Value::String(target)) => {
                    let target = self.target(target)?;
                    sum.add(self.size(target, level + 1)?);
                }
                ("$dynamicRef" | "$recursiveRef", Value::String(_)) => return None,
                // Another base for `#/…`, or other rules for a part, is more than is followed here.
                ("$id" | "$schema", Value::String(_)) if level > 1 => return None,
                ("id", Value::String(_)) if level > 1 && self.is_draft_4() => return None,
                ("pattern", Value::String(_)) => sum.patterns += 1,
                ("patternProperties", Value::Object(patterns)) => {
                    sum.patterns += patterns.len() as u64;
                }
                _ => {}
            }
        }
        // What is unevaluated is found by going through the rest of the part once more.
        if members.contains_key("unevaluatedProperties") || members.contains_key("unevaluatedItems")
        {
            sum.values = sum.values.saturating_mul(2);
            sum.patterns = sum.patterns.saturating_mul(2);
        }
        Some(sum)
    }

    /// `#` and `#/…` only. A reference with `%` would have to be decoded first and is not followed.
    fn target(&self, reference: &str) -> Option<&'a Value> {
        let pointer = reference.strip_prefix('#')?;
        if pointer.contains('%') { None } else { self.root.pointer(pointer) }
    }

    fn is_draft_4(&self) -> bool {
        let rules = self.root.get("$schema").and_then(Value::as_str);
        rules.is_some_and(|rules| rules.contains("draft-04"))
    }
}
