//! Every key that a configuration may have is gone by: another crate than `config` reads it, or the
//! table of what is not there yet has it, so that whoever writes it is warned.

mod readers;

use std::collections::BTreeSet;

use anyhow::Result;
use serde_json::Value;
use toolgate_config::UNREAD_SETTINGS;
use toolgate_config::schema::json_schema;

use super::shipped_code;
use crate::source::words;
use crate::{Finding, Repository};
use readers::{OF_THE_FILE, READERS};

const TABLE: &str = "xtask/src/tidy/settings/readers.rs";

/// Crates that read a configuration, and go by nothing in it.
const READ_ONLY: [&str; 3] = ["config/", "types/", "mask/"];

pub fn check(repository: &Repository) -> Result<Vec<Finding>> {
    let mut findings = check_keys(&keys_of(&json_schema()));
    for (key, file, word) in READERS {
        let path = format!("crates/{file}");
        let is_known = repository.rust_files().any(|known| known == path);
        let text = if is_known { repository.source(&path)? } else { String::new() };
        let code = shipped_code(&path, &text);
        if READ_ONLY.iter().any(|room| file.starts_with(room)) || !names(&code, word) {
            let message = format!("`{key}` is not gone by in {path}: there is no `{word}`");
            findings.push(Finding::new(TABLE, 0, message));
        }
    }
    Ok(findings)
}

fn names(code: &str, word: &str) -> bool {
    words(code).any(|(_, found, _)| found == word)
}

/// Holds the keys of a schema against the tables.
pub fn check_keys(keys: &BTreeSet<String>) -> Vec<Finding> {
    let is_unread = |key: &str| {
        let below = |table: &str| key == table || key.starts_with(&format!("{table}."));
        UNREAD_SETTINGS.iter().any(|setting| below(setting.key))
    };
    let is_read = |key: &str| READERS.iter().any(|(known, ..)| *known == key);
    let is_of_the_file = |key: &str| OF_THE_FILE.contains(&key);
    let mut findings = Vec::new();
    for key in keys {
        let places = [is_unread(key), is_read(key), is_of_the_file(key)];
        let message = match places.into_iter().filter(|place| *place).count() {
            0 => format!("nothing goes by `{key}`, and nobody is told"),
            1 => continue,
            _ => format!("`{key}` is gone by and is not"),
        };
        findings.push(Finding::new(TABLE, 0, message));
    }
    let known = READERS.iter().map(|(key, ..)| *key).chain(OF_THE_FILE);
    let gone = known.filter(|key| !keys.contains(*key));
    findings.extend(gone.map(|key| Finding::new(TABLE, 0, format!("there is no key `{key}`"))));
    findings
}

/// The keys that hold something themselves, by their path; `*` stands for a name.
pub fn keys_of(schema: &Value) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    collect(schema, schema, "", &mut keys);
    keys
}

/// Whether anything was found below.
fn collect(root: &Value, schema: &Value, path: &str, keys: &mut BTreeSet<String>) -> bool {
    let schema = match schema["$ref"].as_str() {
        Some(name) => &root["$defs"][name.rsplit('/').next().unwrap_or_default()],
        None => schema,
    };
    let mut is_table = false;
    for choice in ["anyOf", "oneOf", "allOf"] {
        for schema in schema[choice].as_array().into_iter().flatten() {
            is_table |= collect(root, schema, path, keys);
        }
    }
    for (key, schema) in schema["properties"].as_object().into_iter().flatten() {
        is_table = true;
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        if !collect(root, schema, &path, keys) {
            keys.insert(path);
        }
    }
    if schema["additionalProperties"].is_object() {
        is_table |= collect(root, &schema["additionalProperties"], &format!("{path}.*"), keys);
    }
    is_table
}
