//! An entry that is found, as a person is shown it before it is taken over.
//!
//! Values are shown as they are written. Only in what a client keeps for the person are tokens that
//! stand under a name for tokens left out: nobody else put them there, and they run nothing.

use serde_json::{Map, Value};
use toolgate_types::is_sensitive_name;

use super::import_search::FoundClientFile;
use super::imported::ImportedServer;

impl FoundClientFile {
    /// The entry of one of its servers as it would be written, without the person's own tokens.
    pub fn shown_entry(&self, server: &ImportedServer) -> Map<String, Value> {
        let mut entry = server.entry.clone();
        if !self.is_own || server.is_of_project {
            return entry;
        }
        for key in ["env", "headers", "oauth"] {
            let table = entry.get_mut(key).and_then(Value::as_object_mut);
            for (name, value) in table.into_iter().flatten() {
                if let Value::String(text) = value
                    && is_sensitive_name(name)
                    && is_token(text)
                {
                    *text = format!("<secret {name}, {} characters>", text.len());
                }
            }
        }
        entry
    }
}

/// Long, and of characters that make no command.
fn is_token(text: &str) -> bool {
    let text = text.strip_prefix("Bearer ").unwrap_or(text);
    let is_usual = |c: char| c.is_ascii_alphanumeric() || "_./+=~-".contains(c);
    text.len() >= 16 && text.chars().all(is_usual)
}
