//! What a schema says of one place in content: every part of it that may count there.
//!
//! Where a part counts only sometimes (`anyOf`, `if`), it is taken to count: more is then left whole
//! than had to be, never less.

use serde_json::{Map, Value};

/// What makes of a value one that only its author can write.
const EXACT: [&str; 2] = ["const", "enum"];
const WRITTEN_BY_RULE: [&str; 3] = ["pattern", "format", "contentEncoding"];

/// All parts of a schema that count at one place of the content.
pub(super) struct SchemaPlace<'s> {
    root: &'s Value,
    parts: Vec<&'s Map<String, Value>>,
}

impl<'s> SchemaPlace<'s> {
    pub(super) fn root(schema: &'s Value) -> Self {
        Self::of(schema, [schema])
    }

    fn of(root: &'s Value, schemas: impl IntoIterator<Item = &'s Value>) -> Self {
        let mut place = Self { root, parts: Vec::new() };
        schemas.into_iter().for_each(|schema| place.add(schema));
        place
    }

    /// With everything that counts at the same place. The schema was measured before: its references
    /// stay inside it and lead into no circle.
    fn add(&mut self, schema: &'s Value) {
        let Some(members) = schema.as_object() else { return };
        if self.parts.iter().any(|known| std::ptr::eq(*known, members)) {
            return;
        }
        self.parts.push(members);
        for (key, value) in members {
            match (key.as_str(), value) {
                ("$ref", Value::String(target)) => {
                    let target = target.strip_prefix('#').and_then(|at| self.root.pointer(at));
                    target.into_iter().for_each(|target| self.add(target));
                }
                ("allOf" | "anyOf" | "oneOf", Value::Array(several)) => {
                    several.iter().for_each(|one| self.add(one));
                }
                ("if" | "then" | "else" | "not", one) => self.add(one),
                ("dependentSchemas" | "dependencies", Value::Object(by_name)) => {
                    by_name.values().for_each(|one| self.add(one));
                }
                _ => {}
            }
        }
    }

    fn has(&self, words: &[&str]) -> bool {
        self.parts.iter().any(|part| words.iter().any(|word| part.contains_key(*word)))
    }

    /// The value is one of those that the schema names.
    pub(super) fn is_exact(&self) -> bool {
        self.has(&EXACT)
    }

    /// A text here may end earlier than it does.
    pub(super) fn may_cut_text(&self) -> bool {
        !self.is_exact() && !self.has(&WRITTEN_BY_RULE)
    }

    /// A list here may end earlier: its items do not each have a meaning by their place.
    pub(super) fn may_cut_list(&self) -> bool {
        let is_tuple = self.parts.iter().any(|part| part.get("items").is_some_and(Value::is_array));
        !is_tuple && !self.is_exact() && !self.has(&["prefixItems", "contains"])
    }

    /// The largest of the numbers under this name.
    pub(super) fn largest(&self, word: &str) -> usize {
        self.numbers(word).max().unwrap_or(0)
    }

    pub(super) fn smallest(&self, word: &str) -> usize {
        self.numbers(word).min().unwrap_or(usize::MAX)
    }

    fn numbers(&self, word: &str) -> impl Iterator<Item = usize> {
        let numbers = self.parts.iter().filter_map(move |part| part.get(word)?.as_f64());
        // Lengths are small; a fraction or a negative one is no length and changes nothing that the
        // check afterwards would not see.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
        numbers.map(|number| number as usize)
    }

    /// What counts for a member of an object.
    pub(super) fn member(&self, name: &str) -> Self {
        let mut schemas = Vec::new();
        for part in &self.parts {
            schemas.extend(part.get("properties").and_then(|named| named.get(name)));
            let patterns = part.get("patternProperties").and_then(Value::as_object);
            schemas.extend(patterns.into_iter().flat_map(Map::values));
            schemas.extend(part.get("additionalProperties"));
            schemas.extend(part.get("unevaluatedProperties"));
        }
        Self::of(self.root, schemas)
    }

    /// What counts for any item of a list.
    pub(super) fn item(&self) -> Self {
        let mut schemas = Vec::new();
        for part in &self.parts {
            for word in ["items", "prefixItems", "additionalItems", "unevaluatedItems", "contains"]
            {
                match part.get(word) {
                    Some(Value::Array(several)) => schemas.extend(several),
                    one => schemas.extend(one),
                }
            }
        }
        Self::of(self.root, schemas)
    }
}
