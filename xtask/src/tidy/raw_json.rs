//! No `serde_json::Value` on the call path: payloads travel as the bytes they came in.
//!
//! It also refuses what makes a `Value` (`json!`, `to_value`, `Map`). It does not see a `Value` that
//! another crate hands over under a name of its own.

use anyhow::Result;

use super::{over, shipped_code};
use crate::source::{named, room};
use crate::{Finding, Repository};

const CALL_PATH: [&str; 5] = ["wire", "guard", "upstream", "host", "gateway"];

/// A schema, and the arguments or the structured content that are checked against it, are parsed into
/// a copy that is only looked at and then thrown away; the bytes that travel stay raw.
const LOOKED_AT: [&str; 4] = [
    "crates/host/src/arguments.rs",
    "crates/host/src/arguments/",
    "crates/host/src/output_schema.rs",
    "crates/host/src/output_schema/",
];

const PARSED: [&str; 10] = [
    "serde_json::Value",
    "serde_json::value::Value",
    "serde_json::Map",
    "serde_json::map",
    "serde_json::json",
    "serde_json::to_value",
    "serde_json::value::to_value",
    "serde_json::from_value",
    "serde_json::value::from_value",
    "serde_json::*",
];

pub fn check(repository: &Repository) -> Result<Vec<Finding>> {
    over(repository, repository.rust_files(), check_text)
}

pub fn check_text(file: &str, text: &str) -> Vec<Finding> {
    let on_call_path = room(file).is_some_and(|room| CALL_PATH.contains(&room));
    if !on_call_path || LOOKED_AT.iter().any(|place| is_at(file, place)) {
        return Vec::new();
    }
    named(&shipped_code(file, text))
        .into_iter()
        .filter(|name| PARSED.iter().any(|parsed| name.is_below(parsed)))
        .map(|name| {
            let message = format!("`{}` on the call path; keep the raw bytes", name.full);
            Finding::new(file, name.line, message)
        })
        .collect()
}

/// Whether a file is this one, or in this folder if the place ends as one.
fn is_at(file: &str, place: &str) -> bool {
    file == place || place.ends_with('/') && file.starts_with(place)
}
