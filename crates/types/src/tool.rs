//! A tool as an agent's core sees it: a name, a description, a schema, a call.
//!
//! Nothing here says where a tool comes from or how it is reached, so a core that knows this trait
//! runs a server's tool exactly as it runs its own.

use async_trait::async_trait;
use serde_json::value::RawValue;

use crate::{CallError, Principal, ToolHints};

/// Something a model can call.
#[async_trait]
pub trait Tool: Send + Sync {
    /// Letters, digits, `_` and `-`, at most 64, unique among the tools it was given with.
    fn name(&self) -> &str;

    fn description(&self) -> &str;

    /// The JSON Schema of the arguments; always an object.
    fn parameters(&self) -> &RawValue;

    /// A name for people.
    fn title(&self) -> Option<&str> {
        None
    }

    /// What it does to the world, where it says so.
    fn hints(&self) -> ToolHints {
        ToolHints::default()
    }

    /// The JSON Schema of the structured part of what it gives, where it promises one.
    fn output_schema(&self) -> Option<&RawValue> {
        None
    }

    /// Where it comes from, for a person to read; `None` for a tool of the program itself.
    fn origin(&self) -> Option<&ToolOrigin> {
        None
    }

    /// Runs it. Dropping the future cancels the call.
    async fn call(&self, arguments: Box<RawValue>) -> Result<ToolOutput, CallError>;

    /// The same for somebody in particular, where it matters to the tool who that is.
    async fn call_for(
        &self,
        _: &Principal,
        arguments: Box<RawValue>,
    ) -> Result<ToolOutput, CallError> {
        self.call(arguments).await
    }
}

/// Whose tool it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolOrigin {
    pub provider: String,
    /// What the provider calls it.
    pub name: String,
}

/// What a tool gave.
#[derive(Debug, Clone)]
pub struct ToolOutput {
    /// The tool ran and says that it failed.
    pub is_error: bool,
    pub parts: Vec<OutputPart>,
}

/// A part of an output. Media stay apart from text, so that no model reads base64.
#[derive(Debug, Clone)]
pub enum OutputPart {
    Text(String),
    /// Structured content.
    Json(Box<RawValue>),
    Media {
        mime: String,
        /// Base64, as it came.
        data: String,
    },
    /// Something that can be fetched elsewhere.
    Link {
        uri: String,
        name: Option<String>,
        mime: Option<String>,
    },
}

impl ToolOutput {
    /// Everything that is text, for models that read nothing else; media are only named.
    pub fn text(&self) -> String {
        let shown = self.parts.iter().map(|part| match part {
            OutputPart::Text(text) => text.clone(),
            OutputPart::Json(json) => json.get().to_owned(),
            OutputPart::Media { mime, data } => format!("[{mime}, {} bytes]", data.len() / 4 * 3),
            OutputPart::Link { uri, .. } => format!("[{uri}]"),
        });
        shown.collect::<Vec<_>>().join("\n")
    }
}
