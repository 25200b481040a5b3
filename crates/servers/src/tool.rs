//! A typed tool: one Rust type for what it takes, one for what it gives, and the schemas of both.
//!
//! It knows nothing of a particular server; how a call is run is that server's own.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::{JsonObject, Tool as Definition, ToolAnnotations};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::manifest::Offer;

/// The arguments of a tool, which are the tool: its definition is made from them.
pub trait Tool: DeserializeOwned + JsonSchema + Send + 'static {
    const OFFER: Offer;
    type Output: Output;
}

/// What a tool gives. The structured form says everything, for clients that show nothing else.
pub trait Output: Serialize + JsonSchema + Send + 'static {
    /// The same for a reader of text; each part is a block of its own.
    fn text(&self) -> Vec<String>;
}

/// A path for a line of text: a name with a line break in it must not look like two.
pub(crate) fn one_line(path: &str) -> Cow<'_, str> {
    match path.contains(char::is_control) {
        true => Cow::Owned(path.escape_debug().to_string()),
        false => Cow::Borrowed(path),
    }
}

/// The definition of a tool that only reads, and only what is on this machine.
pub(crate) fn read_only<T: Tool>() -> Definition {
    let input = SchemaSettings::draft2020_12();
    let output = SchemaSettings::draft2020_12().for_serialize();
    let annotations = ToolAnnotations::with_title(T::OFFER.title)
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(false);
    Definition::new(T::OFFER.name, T::OFFER.description, schema::<T>(input))
        .with_title(T::OFFER.title)
        .with_raw_output_schema(schema::<T::Output>(output))
        .with_annotations(annotations)
}

fn schema<T: JsonSchema>(mut settings: SchemaSettings) -> Arc<JsonObject> {
    // Not every client follows a `$ref`.
    settings.inline_subschemas = true;
    let schema = SchemaGenerator::new(settings).into_root_schema_for::<T>();
    match schema.to_value() {
        Value::Object(object) => Arc::new(object),
        _ => Arc::default(),
    }
}
