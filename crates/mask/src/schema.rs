//! What a tool's schema marks as secret: `writeOnly`, `format: "password"`, `x-secret`.
//!
//! A schema comes from a server and may be anything. It is read where the arguments lead, never as a
//! whole, references stay inside it, and what it can make us look at is bounded. A hint in any
//! branch counts.

mod members;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use members::{items, members};

/// How many schemas may describe one value; combinations of more are not written by people.
const MOST: usize = 64;

/// How many schemas are read for one set of arguments.
const MOST_READ: usize = 512;

/// A tool's schema, looked at for what it marks as secret.
#[derive(Debug)]
pub struct SecretSchema<'s> {
    root: &'s str,
    /// By address: a schema that describes a thousand items is read once.
    read: RefCell<HashMap<usize, Rc<SchemaFacts<'s>>>>,
}

/// All schemas that describe one value.
#[derive(Debug, Default)]
pub struct SecretMarks<'s>(Vec<Rc<SchemaFacts<'s>>>);

/// What one schema says itself.
#[derive(Debug, Default)]
struct SchemaFacts<'s> {
    is_secret: bool,
    properties: Vec<(String, &'s str)>,
    /// Of members that are not among the properties; which of them is not looked into.
    others: Vec<&'s str>,
    first_items: Vec<&'s str>,
    items: Vec<&'s str>,
    /// Schemas that describe the same value.
    alike: Vec<&'s str>,
}

impl SecretMarks<'_> {
    pub fn are_secret(&self) -> bool {
        self.0.iter().any(|facts| facts.is_secret)
    }
}

impl<'s> SecretSchema<'s> {
    pub fn new(root: &'s str) -> Self {
        Self { root, read: RefCell::default() }
    }

    /// What describes the arguments as a whole.
    pub fn whole(&self) -> SecretMarks<'s> {
        self.marks(vec![self.root])
    }

    /// What describes one member.
    pub fn member(&self, object: &SecretMarks<'s>, name: &str) -> SecretMarks<'s> {
        self.below(object, |facts, schemas| {
            let named = facts.properties.iter().filter(|(property, _)| property == name);
            let before = schemas.len();
            schemas.extend(named.map(|(_, schema)| *schema));
            if schemas.len() == before {
                schemas.extend(&facts.others);
            }
        })
    }

    /// What describes one item of an array.
    pub fn item(&self, array: &SecretMarks<'s>, index: usize) -> SecretMarks<'s> {
        self.below(array, |facts, schemas| match facts.first_items.get(index) {
            Some(schema) => schemas.push(schema),
            None => schemas.extend(&facts.items),
        })
    }

    fn below(
        &self,
        marks: &SecretMarks<'s>,
        mut pick: impl FnMut(&SchemaFacts<'s>, &mut Vec<&'s str>),
    ) -> SecretMarks<'s> {
        let mut schemas = Vec::new();
        marks.0.iter().for_each(|facts| pick(facts, &mut schemas));
        self.marks(schemas)
    }

    /// These schemas and all that they refer to, each once, so that a circle ends.
    fn marks(&self, mut schemas: Vec<&'s str>) -> SecretMarks<'s> {
        let mut marks = Vec::new();
        schemas.truncate(MOST);
        while let Some(schema) = schemas.get(marks.len()).copied()
            && let Some(facts) = self.facts(schema)
        {
            for more in &facts.alike {
                let is_new = schemas.iter().all(|known| known.as_ptr() != more.as_ptr());
                if is_new && schemas.len() < MOST {
                    schemas.push(more);
                }
            }
            marks.push(facts);
        }
        SecretMarks(marks)
    }

    fn facts(&self, schema: &'s str) -> Option<Rc<SchemaFacts<'s>>> {
        let address = schema.as_ptr().addr();
        if let Some(facts) = self.read.borrow().get(&address) {
            return Some(Rc::clone(facts));
        }
        if self.read.borrow().len() >= MOST_READ {
            return None;
        }
        let facts = Rc::new(self.read_facts(schema));
        self.read.borrow_mut().insert(address, Rc::clone(&facts));
        Some(facts)
    }

    fn read_facts(&self, schema: &'s str) -> SchemaFacts<'s> {
        let mut facts = SchemaFacts::default();
        for (key, value) in members(schema) {
            match key.as_str() {
                "writeOnly" | "x-secret" => facts.is_secret |= value == "true",
                "format" => facts.is_secret |= value == "\"password\"",
                "properties" => facts.properties.extend(members(value)),
                "patternProperties" => {
                    facts.others.extend(members(value).into_iter().map(|(_, schema)| schema));
                }
                "additionalProperties" => facts.others.push(value),
                "prefixItems" => facts.first_items = items(value),
                // An older schema lists its first items here.
                "items" if value.starts_with('[') => facts.first_items = items(value),
                "items" | "additionalItems" => facts.items.push(value),
                "allOf" | "anyOf" | "oneOf" => facts.alike.extend(items(value)),
                "if" | "then" | "else" => facts.alike.push(value),
                "$ref" => facts.alike.extend(self.target(value)),
                _ => {}
            }
        }
        facts
    }

    /// The schema that a reference within this one means.
    fn target(&self, reference: &str) -> Option<&'s str> {
        let reference: String = serde_json::from_str(reference).ok()?;
        let pointer = reference.strip_prefix('#')?;
        pointer.split('/').skip(1).try_fold(self.root, |schema, step| {
            let step = step.replace("~1", "/").replace("~0", "~");
            match step.parse().ok().and_then(|index: usize| items(schema).get(index).copied()) {
                Some(item) => Some(item),
                None => Some(members(schema).into_iter().find(|(key, _)| *key == step)?.1),
            }
        })
    }
}

#[cfg(test)]
mod tests;
