//! What a verb prints: data to standard output, everything else to standard error.
//!
//! This is the one way to a terminal, and what somebody else wrote does not pass it unseen: hidden
//! characters become visible escapes here, whether the caller thought of it or not. Data for a
//! program (JSON, a server's words in a pipe) stays the bytes it is. Output is gathered and written
//! at the end, so that a closed pipe ends the program quietly.

use crate::output_stream::OutputStream;
use crate::printable_text::{Colour, PrintableText};
use crate::remark::{is_colour_wanted, say};
use serde::Serialize;
use serde_json::{Map, Value};

/// The version of every JSON document we print.
const SCHEMA_VERSION: u32 = 1;

/// How a person wants to be spoken to.
#[derive(Debug, Clone, Copy, Default)]
pub struct OutputChoice {
    /// Data as JSON.
    pub json: bool,
    /// Nothing but what was asked for.
    pub quiet: bool,
    /// More than that.
    pub verbose: bool,
}

/// What a command prints.
#[derive(Debug)]
pub struct CommandOutput {
    pub json: bool,
    quiet: bool,
    verbose: bool,
    colour: bool,
    /// Whether data goes to a terminal, which would act on what is hidden in it.
    is_terminal: bool,
    /// Printable, but for what goes to a program as it is.
    text: String,
    /// Whether a JSON document was printed.
    has_document: bool,
}

/// A document and the version of its shape.
#[derive(Serialize)]
struct VersionedJson<'a, T> {
    #[serde(rename = "schemaVersion")]
    schema_version: u32,
    #[serde(flatten)]
    fields: &'a T,
}

impl CommandOutput {
    pub fn new(choice: OutputChoice) -> Self {
        let OutputChoice { json, quiet, verbose } = choice;
        Self {
            json,
            quiet,
            verbose,
            colour: is_colour_wanted(),
            is_terminal: OutputStream::Data.is_terminal(),
            text: String::new(),
            has_document: false,
        }
    }

    /// One line of data, whatever is in it.
    pub fn line(&mut self, line: impl AsRef<str>) {
        self.put(&PrintableText::line(line.as_ref()).ended());
    }

    /// Data as text, with its own line ends and tabs.
    pub fn raw(&mut self, text: &str) {
        self.put(&PrintableText::lines(text));
    }

    /// A JSON document with its schema version first.
    pub fn document(&mut self, fields: Map<String, Value>) {
        self.document_of(&fields);
    }

    /// The same from a type of its own; what is raw in it stays the bytes it is.
    pub fn document_of(&mut self, fields: &impl Serialize) {
        let document = VersionedJson { schema_version: SCHEMA_VERSION, fields };
        // Only maps with keys that are no text could fail.
        let text = serde_json::to_string_pretty(&document).unwrap_or_default();
        self.json_text(&text);
    }

    /// Whether a document was printed; one run prints one, or lines.
    pub fn has_document(&self) -> bool {
        self.has_document
    }

    /// A document on one line, for a reader that takes them as they come.
    pub fn document_line(&mut self, fields: &impl Serialize) {
        self.json_line(&VersionedJson { schema_version: SCHEMA_VERSION, fields });
    }

    /// One of many lines of JSON, whose version the last one tells.
    pub fn json_line(&mut self, fields: &impl Serialize) {
        let text = serde_json::to_string(fields).unwrap_or_default();
        self.json_text(&text);
    }

    /// Whether what is printed goes to a terminal, and into no file or log.
    pub fn is_at_terminal(&self) -> bool {
        self.is_terminal
    }

    /// JSON that is text already: as it is for a program, escaped for a person.
    pub fn json_text(&mut self, text: &str) {
        self.has_document = true;
        match self.is_terminal {
            true => self.put(&PrintableText::json(text)),
            false => self.text.push_str(text),
        }
        self.text.push('\n');
    }

    /// A server's words: as they are for a program, with nothing hidden for a person.
    pub fn words(&mut self, words: &str) {
        match self.is_terminal {
            true => self.put(&PrintableText::lines(words)),
            false => self.text.push_str(words),
        }
        if !words.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// Takes away what a terminal shows, to draw it anew.
    pub fn wipe(&mut self) {
        self.put(&PrintableText::wipe());
    }

    fn put(&mut self, text: &PrintableText) {
        self.text.push_str(text.as_str());
    }

    /// One that says nothing.
    pub fn silenced(&self) -> Self {
        let (json, colour, is_terminal) = (self.json, self.colour, self.is_terminal);
        let (text, has_document) = (String::new(), false);
        Self { json, quiet: true, verbose: false, colour, is_terminal, text, has_document }
    }

    pub fn is_verbose(&self) -> bool {
        self.verbose
    }

    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Whether a person looks at the data as it is written.
    pub fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// A remark for the person, on one line; not data, and silent with `-q`.
    pub fn note(&mut self, note: impl AsRef<str>) {
        self.remark(&PrintableText::line(note.as_ref()));
    }

    /// A remark only with `-v`.
    pub fn detail(&mut self, note: impl AsRef<str>) {
        if self.verbose {
            self.note(note);
        }
    }

    pub fn warning(&mut self, warning: impl AsRef<str>) {
        self.put_warning(&PrintableText::line(warning.as_ref()));
    }

    /// A warning that has lines of its own.
    pub fn warning_lines(&mut self, warning: &str) {
        self.put_warning(&PrintableText::lines(warning));
    }

    fn put_warning(&mut self, warning: &PrintableText) {
        let word = self.coloured("warning", Colour::Yellow);
        self.remark(&word.and(&PrintableText::line(": ")).and(warning));
    }

    fn remark(&mut self, text: &PrintableText) {
        if !self.quiet {
            self.flush();
            say(text);
        }
    }

    /// Why a command failed, and what to do about it.
    pub fn failure(&mut self, message: &str, hint: Option<&str>) {
        self.flush();
        let hint = hint.map_or_else(String::new, |hint| format!("\n{hint}"));
        let word = self.coloured("error", Colour::Red);
        say(&word.and(&PrintableText::lines(&format!(": {message}{hint}"))));
    }

    fn coloured(&self, word: &'static str, colour: Colour) -> PrintableText {
        PrintableText::coloured(word, self.colour.then_some(colour))
    }

    /// Writes what was gathered; a reader that went away is no failure of ours.
    pub fn flush(&mut self) {
        self.is_read();
    }

    /// The same, and whether somebody still reads.
    pub fn is_read(&mut self) -> bool {
        let text = std::mem::take(&mut self.text);
        OutputStream::Data.put_exact(&text).is_ok()
    }

    pub fn finish(mut self) {
        self.flush();
    }
}
