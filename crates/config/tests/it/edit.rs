//! Edits change what they were asked to change, and not one byte else.

mod file;
mod jsonc;
mod random;
mod refused;
mod toml;
mod toml_spellings;
mod yaml;

use serde_json::Value;
use toolgate_config::edit::{EditError, TextEditor};
use toolgate_config::tree::ConfigFormat;

fn edit(
    format: ConfigFormat,
    text: &str,
    change: impl FnOnce(&mut TextEditor) -> Result<(), EditError>,
) -> String {
    let mut editor = TextEditor::open(format, text).unwrap();
    change(&mut editor).unwrap();
    editor.finish()
}

/// The text after one value was set.
fn set(format: ConfigFormat, text: &str, path: &[&str], value: &Value) -> String {
    edit(format, text, |editor| editor.set(path, value))
}

/// The text after one entry was removed.
fn remove(format: ConfigFormat, text: &str, path: &[&str]) -> String {
    edit(format, text, |editor| {
        assert!(editor.remove(path)?, "{path:?} is not in the text");
        Ok(())
    })
}
