//! What a verb prints: data to standard output, everything else to standard error.
//!
//! Output is gathered and written at the end, so that a closed pipe ends the program quietly.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};

use serde::Serialize;
use serde_json::{Map, Value};
use toolgate_types::visible;

use crate::args::Common;
use crate::failure::Failure;

/// The version of every JSON document we print.
const SCHEMA_VERSION: u32 = 1;

pub(crate) struct Output {
    pub(crate) json: bool,
    quiet: bool,
    verbose: bool,
    color: bool,
    /// Whether data goes to a terminal, which would act on what is hidden in it.
    is_terminal: bool,
    text: String,
}

/// A document and the version of its shape.
#[derive(Serialize)]
struct Versioned<'a, T> {
    #[serde(rename = "schemaVersion")]
    schema_version: u32,
    #[serde(flatten)]
    fields: &'a T,
}

impl Output {
    pub(crate) fn new(common: &Common) -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self {
            json: common.json,
            quiet: common.quiet,
            verbose: common.verbose > 0,
            color: wanted && std::io::stderr().is_terminal(),
            is_terminal: std::io::stdout().is_terminal(),
            text: String::new(),
        }
    }

    /// One line of data.
    pub(crate) fn line(&mut self, line: impl AsRef<str>) {
        self.text.push_str(line.as_ref());
        self.text.push('\n');
    }

    /// Data as text, with its own line ends.
    pub(crate) fn raw(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// A JSON document with its schema version first.
    pub(crate) fn document(&mut self, fields: Map<String, Value>) {
        self.document_of(&fields);
    }

    /// The same from a type of its own; what is raw in it stays the bytes it is.
    pub(crate) fn document_of(&mut self, fields: &impl Serialize) {
        let document = Versioned { schema_version: SCHEMA_VERSION, fields };
        // Only maps with keys that are no text could fail.
        let text = serde_json::to_string_pretty(&document).unwrap_or_default();
        self.line(if self.is_terminal { escaped(&text) } else { text });
    }

    /// A document on one line, for a reader that takes them as they come.
    pub(crate) fn document_line(&mut self, fields: &impl Serialize) {
        self.json_line(&Versioned { schema_version: SCHEMA_VERSION, fields });
    }

    /// One of many lines of JSON, whose version the last one tells.
    pub(crate) fn json_line(&mut self, fields: &impl Serialize) {
        let text = serde_json::to_string(fields).unwrap_or_default();
        self.line(if self.is_terminal { escaped(&text) } else { text });
    }

    /// A server's words: as they are for a program, with nothing hidden for a person.
    pub(crate) fn words(&mut self, words: &str) {
        match self.is_terminal {
            true => self.text.push_str(&visible_lines(words)),
            false => self.text.push_str(words),
        }
        if !words.ends_with('\n') {
            self.text.push('\n');
        }
    }

    pub(crate) fn is_verbose(&self) -> bool {
        self.verbose
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// A remark for the person; not data, and silent with `-q`.
    pub(crate) fn note(&mut self, note: impl AsRef<str>) {
        if !self.quiet {
            self.flush();
            say(note.as_ref());
        }
    }

    /// A remark only with `-v`.
    pub(crate) fn detail(&mut self, note: impl AsRef<str>) {
        if self.verbose {
            self.note(note);
        }
    }

    pub(crate) fn warning(&mut self, warning: impl AsRef<str>) {
        let word = self.painted("33", "warning");
        self.note(format!("{word}: {}", warning.as_ref()));
    }

    pub(crate) fn failure(&mut self, failure: &Failure) {
        self.flush();
        let mut text = format!("{}: {}", self.painted("31", "error"), failure.message);
        if let Some(hint) = &failure.hint {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n{hint}");
        }
        say(&text);
    }

    fn painted(&self, code: &str, word: &str) -> String {
        if self.color { format!("\u{1b}[{code}m{word}\u{1b}[0m") } else { word.to_owned() }
    }

    /// Writes what was gathered; a reader that went away is no failure of ours.
    pub(crate) fn flush(&mut self) {
        self.is_read();
    }

    /// The same, and whether somebody still reads.
    pub(crate) fn is_read(&mut self) -> bool {
        let text = std::mem::take(&mut self.text);
        let mut stdout = std::io::stdout().lock();
        stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).is_ok()
    }

    pub(crate) fn finish(mut self) {
        self.flush();
    }
}

fn say(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Text with nothing hidden in it but its lines and tabs.
fn visible_lines(text: &str) -> String {
    let line = |line: &str| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        line.split('\t').map(visible).collect::<Vec<_>>().join("\t")
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// The same JSON with hidden characters in JSON's own escapes. Outside of texts there are none but
/// line breaks.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        let is_plain = c.is_ascii_graphic() || matches!(c, ' ' | '\n' | '\r' | '\t');
        if is_plain || !visible(c.encode_utf8(&mut [0; 4])).starts_with('\\') {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}

/// A number and what it counts: `1 server`, `2 servers`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Rows under a header, padded to columns.
pub(crate) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let mut widths: Vec<usize> = header.iter().map(|title| title.chars().count()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut out = String::new();
    let header = header.iter().map(|title| (*title).to_owned()).collect();
    for row in std::iter::once(&header).chain(rows) {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        out.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        out.push('\n');
    }
    out
}
