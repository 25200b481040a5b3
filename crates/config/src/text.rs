//! Gets the text of a configuration file, or says in one sentence why there is none.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use toolgate_types::ConfigSource;

use crate::problem::{Problem, Severity};
use crate::tree::{ConfigDocument, ConfigFormat};

/// No configuration a person writes comes near this.
const LARGEST: u64 = 4 << 20;

/// The format a file has by its name; JSON where the name says nothing else.
pub fn format_of(path: &Path) -> ConfigFormat {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => ConfigFormat::Toml,
        _ => ConfigFormat::Json,
    }
}

/// Reads and parses a file.
pub fn read_document(path: &Path) -> Result<ConfigDocument, Vec<Problem>> {
    let text = read_file(path)?;
    ConfigDocument::parse(Arc::new(ConfigSource::File(path.to_owned())), format_of(path), &text)
}

/// Reads the text of a file, as far as it can be a configuration at all.
pub fn read_file(path: &Path) -> Result<String, Vec<Problem>> {
    read_text(path).map_err(|unreadable| {
        let Unreadable { rule, line, message, help } = unreadable;
        let source = Arc::new(ConfigSource::File(path.to_owned()));
        vec![Problem { line, ..file_problem(source, rule, message, help) }]
    })
}

pub(crate) fn file_problem(
    source: Arc<ConfigSource>,
    rule: &'static str,
    message: String,
    help: &str,
) -> Problem {
    let help = Some(help.to_owned());
    Problem { severity: Severity::Error, rule, source, key: String::new(), line: 0, message, help }
}

struct Unreadable {
    rule: &'static str,
    line: usize,
    message: String,
    help: &'static str,
}

fn read_text(path: &Path) -> Result<String, Unreadable> {
    let refuse = |rule, message: String, help| Unreadable { rule, line: 0, message, help };
    let unreadable = |error: std::io::Error| {
        let message = format!("cannot read the file: {error}");
        refuse("unreadable", message, "check its path and permissions")
    };
    // Asked before it is opened: opening a pipe would wait for a writer.
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        let help = "name the file itself, such as `toolgate.toml`";
        return Err(refuse("not-a-file", "this is not a regular file".to_owned(), help));
    }
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST {
        let help = "a configuration has at most 4 MiB";
        return Err(refuse("too-large", "the file is too large".to_owned(), help));
    }
    match String::from_utf8(bytes) {
        // Editors on other systems put a mark in front; spaces keep every offset and line.
        Ok(text) if text.starts_with('\u{feff}') => Ok(text.replacen('\u{feff}', "   ", 1)),
        Ok(text) => Ok(text),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let line = 1 + error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count();
            let message = format!("not UTF-8: a bad byte at offset {at}");
            Err(Unreadable { line, ..refuse("not-utf8", message, "save the file as UTF-8") })
        }
    }
}
