//! A typed tool: one Rust type for what it takes, one for what it gives, and the schemas of both.
//!
//! It knows nothing of a particular server; how a call is run is that server's own.

use std::borrow::Cow;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use toolgate_types::ToolHints;
use toolgate_types::config::ApprovalMode;

/// A tool of a first-party server, and what is recommended for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OfferedTool {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    /// What it does to the world.
    pub hints: ToolHints,
    /// Whether a call of it needs a person.
    pub approval: ApprovalMode,
    /// Whether it is on the server's allow list when nobody writes one.
    pub exposed: bool,
    /// The roles it suits, by the names people usually give them.
    pub roles: &'static [&'static str],
}

/// The arguments of a tool, which are the tool: its definition is made from them.
pub trait BuiltinTool: DeserializeOwned + JsonSchema + Send + 'static {
    const OFFER: OfferedTool;
    type Output: BuiltinToolOutput;
}

/// What a tool gives. The structured form says everything, for clients that show nothing else.
pub trait BuiltinToolOutput: Serialize + JsonSchema + Send + 'static {
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

/// What a tool that only reads, and only what is on this machine, says of its effects.
pub(crate) const ONLY_READS: ToolHints = ToolHints {
    read_only: Some(true),
    destructive: Some(false),
    idempotent: Some(true),
    open_world: Some(false),
};

/// The schemas of what a tool takes and gives.
#[derive(Debug)]
pub(crate) struct ToolSchemas {
    pub(crate) input: Box<RawValue>,
    pub(crate) output: Box<RawValue>,
}

impl ToolSchemas {
    /// `None` if a type has no schema that can be written, which none of ours does.
    pub(crate) fn of<T: BuiltinTool>() -> Option<Self> {
        let input = schema::<T>(SchemaSettings::draft2020_12())?;
        let output = schema::<T::Output>(SchemaSettings::draft2020_12().for_serialize())?;
        Some(Self { input, output })
    }
}

fn schema<T: JsonSchema>(mut settings: SchemaSettings) -> Option<Box<RawValue>> {
    // Not every client follows a `$ref`.
    settings.inline_subschemas = true;
    to_raw_value(&SchemaGenerator::new(settings).into_root_schema_for::<T>()).ok()
}
