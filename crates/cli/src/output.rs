//! What a verb prints: data to standard output, everything else to standard error.
//!
//! This is the one way to a terminal, and what somebody else wrote does not pass it unseen: hidden
//! characters become visible escapes here, whether the caller thought of it or not. Data for a
//! program (JSON, a server's words in a pipe) stays the bytes it is. Output is gathered and written
//! at the end, so that a closed pipe ends the program quietly.

mod mishap;
mod outlet;
mod paging;
mod printable;
mod spinner;

use serde::Serialize;
use serde_json::{Map, Value};
use toolgate_types::visible;

use crate::args::Common;
use crate::failure::Failure;
pub(crate) use mishap::{say_when_panicking, wrong_arguments};
pub(crate) use outlet::{ForClient, ForClientAsync, Outlet, OwnTerminal};
pub(crate) use paging::Page;
use printable::Colour;
pub(crate) use printable::Printable;
pub(crate) use spinner::Spinner;

/// The version of every JSON document we print.
const SCHEMA_VERSION: u32 = 1;

pub(crate) struct Output {
    pub(crate) json: bool,
    quiet: bool,
    verbose: bool,
    colour: bool,
    /// Whether data goes to a terminal, which would act on what is hidden in it.
    is_terminal: bool,
    /// Printable, but for what goes to a program as it is.
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
        Self {
            json: common.json,
            quiet: common.quiet,
            verbose: common.verbose > 0,
            colour: is_colour_wanted(),
            is_terminal: Outlet::Data.is_terminal(),
            text: String::new(),
        }
    }

    /// One line of data, whatever is in it.
    pub(crate) fn line(&mut self, line: impl AsRef<str>) {
        self.put(&Printable::line(line.as_ref()).ended());
    }

    /// Data as text, with its own line ends and tabs.
    pub(crate) fn raw(&mut self, text: &str) {
        self.put(&Printable::lines(text));
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
        self.json_text(&text);
    }

    /// A document on one line, for a reader that takes them as they come.
    pub(crate) fn document_line(&mut self, fields: &impl Serialize) {
        self.json_line(&Versioned { schema_version: SCHEMA_VERSION, fields });
    }

    /// One of many lines of JSON, whose version the last one tells.
    pub(crate) fn json_line(&mut self, fields: &impl Serialize) {
        let text = serde_json::to_string(fields).unwrap_or_default();
        self.json_text(&text);
    }

    /// JSON that is text already: as it is for a program, escaped for a person.
    pub(crate) fn json_text(&mut self, text: &str) {
        match self.is_terminal {
            true => self.put(&Printable::json(text)),
            false => self.text.push_str(text),
        }
        self.text.push('\n');
    }

    /// A server's words: as they are for a program, with nothing hidden for a person.
    pub(crate) fn words(&mut self, words: &str) {
        match self.is_terminal {
            true => self.put(&Printable::lines(words)),
            false => self.text.push_str(words),
        }
        if !words.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// Takes away what a terminal shows, to draw it anew.
    pub(crate) fn wipe(&mut self) {
        self.put(&Printable::wipe());
    }

    fn put(&mut self, text: &Printable) {
        self.text.push_str(text.as_str());
    }

    pub(crate) fn is_verbose(&self) -> bool {
        self.verbose
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Whether a person looks at the data as it is written.
    pub(crate) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// A remark for the person, on one line; not data, and silent with `-q`.
    pub(crate) fn note(&mut self, note: impl AsRef<str>) {
        self.remark(&Printable::line(note.as_ref()));
    }

    /// A remark only with `-v`.
    pub(crate) fn detail(&mut self, note: impl AsRef<str>) {
        if self.verbose {
            self.note(note);
        }
    }

    pub(crate) fn warning(&mut self, warning: impl AsRef<str>) {
        self.put_warning(&Printable::line(warning.as_ref()));
    }

    /// A warning that has lines of its own.
    pub(crate) fn warning_lines(&mut self, warning: &str) {
        self.put_warning(&Printable::lines(warning));
    }

    fn put_warning(&mut self, warning: &Printable) {
        let word = self.coloured("warning", Colour::Yellow);
        self.remark(&word.and(&Printable::line(": ")).and(warning));
    }

    fn remark(&mut self, text: &Printable) {
        if !self.quiet {
            self.flush();
            say(text);
        }
    }

    pub(crate) fn failure(&mut self, failure: &Failure) {
        self.flush();
        let Failure { message, hint, .. } = failure;
        let hint = hint.as_ref().map_or_else(String::new, |hint| format!("\n{hint}"));
        let word = self.coloured("error", Colour::Red);
        say(&word.and(&Printable::lines(&format!(": {message}{hint}"))));
    }

    fn coloured(&self, word: &'static str, colour: Colour) -> Printable {
        Printable::coloured(word, self.colour.then_some(colour))
    }

    /// Writes what was gathered; a reader that went away is no failure of ours.
    pub(crate) fn flush(&mut self) {
        self.is_read();
    }

    /// The same, and whether somebody still reads.
    pub(crate) fn is_read(&mut self) -> bool {
        let text = std::mem::take(&mut self.text);
        Outlet::Data.put_exact(&text).is_ok()
    }

    pub(crate) fn finish(mut self) {
        self.flush();
    }
}

fn is_colour_wanted() -> bool {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    wanted && Outlet::Remarks.is_terminal()
}

/// Nobody is left to hear that standard error cannot be written.
fn say(text: &Printable) {
    let _ = Outlet::Remarks.put(&text.clone().ended());
}

/// A number and what it counts: `1 server`, `2 servers`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Rows under a header, padded to columns. A cell is one line, whatever is in it.
pub(crate) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| visible(cell)).collect()).collect();
    let mut widths: Vec<usize> = header.iter().map(|title| title.chars().count()).collect();
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut out = String::new();
    let header = header.iter().map(|title| (*title).to_owned()).collect();
    for row in std::iter::once(&header).chain(&rows) {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        out.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        out.push('\n');
    }
    out
}
