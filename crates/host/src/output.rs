//! What a tool gave, in parts that a program can hand to a model.
//!
//! Content of any kind finds a place, known or not, and no odd member costs the rest. Media are
//! kept apart from everything that is read as text. Limits of size are for others.

mod content;
mod same;

use serde_json::value::RawValue;
use toolgate_types::{OperationResult, OutputPart, ToolOutput};

use crate::members::{self, members};
use same::same_json;

/// The output of a `tools/call` from its result.
pub fn tool_output(done: &OperationResult) -> ToolOutput {
    ToolOutput { is_error: done.is_error, parts: parts(&done.result) }
}

fn parts(result: &RawValue) -> Vec<OutputPart> {
    let Some([content, structured]) = members(result, ["content", "structuredContent"]) else {
        return if is_null(result) {
            Vec::new()
        } else {
            vec![OutputPart::Json(result.to_owned())]
        };
    };
    let structured = structured.filter(|structured| !is_null(structured));
    let mut parts = match content.filter(|content| !is_null(content)) {
        Some(content) => content::parts(content),
        None if structured.is_none() && says_something(result) => {
            vec![OutputPart::Json(result.to_owned())]
        }
        None => Vec::new(),
    };
    if let Some(structured) = structured {
        // Servers repeat structured content as text for clients that do not know it.
        if matches!(&*parts, [OutputPart::Text(text)] if same_json(text, structured)) {
            parts.clear();
        }
        parts.push(OutputPart::Json(structured.to_owned()));
    }
    parts
}

/// Whether there is more in a result without content than the protocol's own members.
fn says_something(result: &RawValue) -> bool {
    const SILENT: [&str; 5] = ["_meta", "isError", "resultType", "content", "structuredContent"];
    members::names(result).iter().any(|name| !SILENT.contains(&&**name))
}

fn is_null(value: &RawValue) -> bool {
    value.get() == "null"
}

#[cfg(test)]
mod tests;
