//! What one key may hold, in words, and the sections that its tables open.
//!
//! An optional value reads like the value itself; a definition that is not a table is written out
//! where it is used.

use serde_json::Value;

use super::Renderer;
use super::markdown::{cell, code};

/// The type of a key.
#[derive(Default)]
pub(super) struct KeyType<'s> {
    pub(super) text: String,
    /// Values with what each means.
    pub(super) meanings: Vec<(String, String)>,
    pub(super) sections: Vec<ReferenceSection<'s>>,
}

/// A table to be described: its title (`[servers.<name>]`), its path and its schema.
pub(crate) struct ReferenceSection<'s> {
    pub(super) title: String,
    pub(super) path: String,
    pub(super) schema: &'s Value,
}

/// The name of the definition that a schema refers to.
pub(super) fn reference(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}

fn branches(schema: &Value) -> Option<Vec<&Value>> {
    let list = ["oneOf", "anyOf", "allOf"].iter().find_map(|key| schema.get(*key)?.as_array())?;
    let is_null = |branch: &Value| branch.get("type").and_then(Value::as_str) == Some("null");
    Some(list.iter().filter(|branch| !is_null(branch)).collect())
}

impl<'s> Renderer<'s> {
    /// The branches of a union that are tables.
    pub(super) fn forms(&self, schema: &'s Value) -> Vec<&'s Value> {
        let branches = branches(schema).unwrap_or_default();
        branches
            .into_iter()
            .map(|branch| self.resolve(branch))
            .filter(|branch| branch.get("properties").is_some())
            .collect()
    }

    fn is_table(&self, schema: &'s Value) -> bool {
        schema.get("properties").is_some() || !self.forms(schema).is_empty()
    }

    pub(super) fn kind(&mut self, schema: &'s Value, path: &str) -> KeyType<'s> {
        self.kind_in(schema, path, false)
    }

    fn kind_in(&mut self, schema: &'s Value, path: &str, listed: bool) -> KeyType<'s> {
        let target = self.resolve(schema);
        if target.get("properties").is_some() {
            return self.table_kind(reference(schema).map(str::to_owned), target, path, listed);
        }
        match branches(target) {
            Some(only) if only.len() == 1 => return self.kind_in(only[0], path, listed),
            Some(several) => return self.union(schema, several, path, listed),
            None => {}
        }
        if let Some(value) = target.get("const") {
            let text = code(value);
            let meaning = target.get("description").and_then(Value::as_str).map(cell);
            let meanings = meaning.map(|meaning| (text.clone(), meaning)).into_iter().collect();
            return KeyType { text, meanings, sections: Vec::new() };
        }
        if let Some(values) = target.get("enum").and_then(Value::as_array) {
            let values: Vec<String> =
                values.iter().filter(|value| !value.is_null()).map(code).collect();
            return KeyType { text: values.join(" or "), ..KeyType::default() };
        }
        let names = match target.get("type") {
            Some(Value::String(name)) => vec![name.as_str()],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let mut names = names.into_iter().filter(|name| *name != "null");
        match (names.next(), names.next()) {
            (Some("array"), None) => self.list(target, path),
            (Some("object"), None) => self.map(target, path),
            (Some(name), None) => KeyType { text: limited(name, target), ..KeyType::default() },
            (Some(first), Some(second)) => {
                let names: Vec<&str> = [first, second].into_iter().chain(names).collect();
                KeyType { text: names.join(" or "), ..KeyType::default() }
            }
            (None, _) => KeyType { text: "any".to_owned(), ..KeyType::default() },
        }
    }

    fn list(&mut self, schema: &'s Value, path: &str) -> KeyType<'s> {
        match schema.get("items").filter(|items| items.is_object()) {
            Some(items) => self.kind_in(items, path, true).prefixed("list of "),
            None => KeyType { text: "list".to_owned(), ..KeyType::default() },
        }
    }

    fn map(&mut self, schema: &'s Value, path: &str) -> KeyType<'s> {
        match schema.get("additionalProperties").filter(|values| values.is_object()) {
            Some(values) => self.kind(values, &format!("{path}.<name>")).prefixed("by name: "),
            None => KeyType { text: "table".to_owned(), ..KeyType::default() },
        }
    }

    /// All tables of a union share one section; the other branches are named before it.
    fn union(
        &mut self,
        schema: &'s Value,
        branches: Vec<&'s Value>,
        path: &str,
        listed: bool,
    ) -> KeyType<'s> {
        let (tables, others): (Vec<&Value>, Vec<&Value>) =
            branches.into_iter().partition(|branch| self.is_table(self.resolve(branch)));
        let mut all = KeyType::default();
        let mut texts = Vec::new();
        for branch in others {
            let kind = self.kind_in(branch, path, listed);
            texts.push(kind.text);
            all.meanings.extend(kind.meanings);
            all.sections.extend(kind.sections);
        }
        let table = match tables[..] {
            [] => None,
            [only] => Some(self.kind_in(only, path, listed)),
            _ => {
                let names: Option<Vec<&str>> =
                    tables.iter().map(|table| reference(table)).collect();
                let key = reference(schema).map(str::to_owned);
                let key = key.or_else(|| names.map(|names| names.join("|")));
                Some(self.table_kind(key, self.resolve(schema), path, listed))
            }
        };
        if let Some(table) = table {
            texts.push(table.text);
            all.sections.extend(table.sections);
        }
        all.text = texts.join(" or ");
        all
    }

    fn table_kind(
        &mut self,
        key: Option<String>,
        schema: &'s Value,
        path: &str,
        listed: bool,
    ) -> KeyType<'s> {
        let title = if listed { format!("[[{path}]]") } else { format!("[{path}]") };
        let section = ReferenceSection { title: title.clone(), path: path.to_owned(), schema };
        let mut sections = Vec::new();
        let text = self.place(key, &title, section, &mut sections);
        KeyType { text, meanings: Vec::new(), sections }
    }
}

impl KeyType<'_> {
    fn prefixed(mut self, prefix: &str) -> Self {
        self.text.insert_str(0, prefix);
        self
    }
}

/// `integer, 1 to 65535`; a lower bound of zero says nothing.
fn limited(name: &str, schema: &Value) -> String {
    let least = schema.get("minimum").filter(|least| least.as_f64() != Some(0.0));
    match (least, schema.get("maximum"), schema.get("pattern").and_then(Value::as_str)) {
        (_, _, Some(pattern)) => format!("{name} matching `{}`", cell(pattern)),
        (Some(least), Some(most), _) => format!("{name}, {least} to {most}"),
        (Some(least), None, _) => format!("{name}, at least {least}"),
        (None, Some(most), _) => format!("{name}, at most {most}"),
        (None, None, _) => name.to_owned(),
    }
}
