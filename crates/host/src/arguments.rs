//! What a tool takes: the schema that is shown, and whether arguments fit it.
//!
//! A schema is a server's word and may be made to hurt whoever reads it: endless, recursive,
//! exponential, or pointing elsewhere. Here it is checked against only within bounds, nothing is
//! ever fetched, and what is beyond them is left to the server, which checks its arguments anyway.
//! This and what is below it is the one place on the path of a call that parses payloads, where looking at
//! them as they are spelled does not do: into a copy that is looked at and thrown away. What travels stays the
//! bytes that came.

mod bounds;
mod compiled;
mod optional_nulls;
mod plain_schema;
mod sentence;

use serde::Deserialize;
use serde_json::value::RawValue;

pub(crate) use compiled::CompiledSchema;
use optional_nulls::OptionalNulls;

/// The schema of a tool that has none that can be used.
const ANYTHING: &str = r#"{"type":"object","additionalProperties":true}"#;

/// Whether a schema can be shown to a model, verbatim: if it is one for an object and has at most
/// `max_bytes`.
pub(crate) fn is_usable(schema: Option<&RawValue>, max_bytes: usize) -> bool {
    usable(schema, max_bytes).is_some()
}

/// The schema to show where a tool has none that can be used: it takes any object.
pub(crate) fn any_object() -> &'static RawValue {
    serde_json::from_str(ANYTHING).unwrap_or(RawValue::NULL)
}

fn nothing() -> &'static RawValue {
    serde_json::from_str("{}").unwrap_or(RawValue::NULL)
}

/// Whether arguments fit a tool's schema.
#[derive(Debug)]
pub(crate) struct ArgumentCheck {
    compiled: Option<Box<CompiledSchema>>,
    nulls: OptionalNulls,
}

impl ArgumentCheck {
    #[cfg(test)]
    pub(crate) fn compile(schema: Option<&RawValue>, max_bytes: usize) -> Self {
        Self::compile_shown(schema, schema, max_bytes)
    }

    /// A schema that cannot be used or is out of bounds leaves a check that arguments are an object.
    /// What callers are shown says what they may leave out.
    pub(crate) fn compile_shown(
        schema: Option<&RawValue>,
        shown: Option<&RawValue>,
        max_bytes: usize,
    ) -> Self {
        let compiled = usable(schema, max_bytes).and_then(CompiledSchema::new).map(Box::new);
        let nulls = usable(shown, max_bytes).map(OptionalNulls::of).unwrap_or_default();
        Self { compiled, nulls }
    }

    /// The arguments without each `null` that stands for leaving an optional parameter out; nothing
    /// if there is none. What is checked, decided, shown and sent are these.
    pub(crate) fn without_nulls(&self, arguments: &RawValue) -> Option<Box<RawValue>> {
        self.nulls.left_out(arguments)
    }

    /// Says in a short sentence, for the model that wrote them, what is wrong with the arguments.
    /// None at all are an empty object.
    pub(crate) fn check(&self, arguments: Option<&RawValue>) -> Result<(), String> {
        let arguments = arguments.unwrap_or_else(|| nothing());
        if !arguments.get().starts_with('{') {
            return Err(format!("the arguments must be an object, not {}", kind(arguments.get())));
        }
        match &self.compiled {
            Some(compiled) => compiled.check(arguments),
            None => Ok(()),
        }
    }
}

#[derive(Deserialize)]
struct SchemaHead<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<&'a RawValue>,
}

fn usable(schema: Option<&RawValue>, max_bytes: usize) -> Option<&RawValue> {
    let schema = schema.filter(|schema| schema.get().len() <= max_bytes)?;
    // A struct could be read from an array too.
    if !schema.get().starts_with('{') {
        return None;
    }
    let head: SchemaHead<'_> = serde_json::from_str(schema.get()).ok()?;
    let for_objects = match head.kind {
        None => true,
        Some(kind) => serde_json::from_str::<String>(kind.get()).is_ok_and(|kind| kind == "object"),
    };
    for_objects.then_some(schema)
}

fn kind(json: &str) -> &'static str {
    match json.as_bytes().first() {
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

#[cfg(test)]
mod tests;
