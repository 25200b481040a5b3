//! Edits of a configuration text that leave everything else as it was.
//!
//! Every edit is a splice: bytes outside the spliced ranges cannot change, so comments, order,
//! indentation and line endings survive by construction. The outcome is compared with what was
//! asked before it counts. What the keys mean is not known here; files are the matter of [`file`].

mod entries;
pub mod file;
mod gaps;
mod jsonc;
mod lines;
mod outcome;
mod toml;
mod yaml;

use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use toolgate_types::ConfigSource;

use crate::tree::{ConfigDocument, ConfigFormat, ConfigNode};
use lines::TextSplice;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// One text and the edits made to it so far.
pub struct TextEditor {
    format: ConfigFormat,
    original: String,
    /// The text without its byte order mark.
    text: String,
    newline: &'static str,
    changed: bool,
}

/// Why a text was not edited. The text stays as it was before the edit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("line {line}: {message}; repair the text before it is edited")]
    Syntax { line: usize, message: String },
    #[error("`{key}` is {kind}, not a table, so `{inner}` cannot stand in it")]
    NotATable { key: String, kind: &'static str, inner: String },
    #[error("`{key}` is null, and TOML has no null; leave the key out")]
    Null { key: String },
    #[error("`{key}` is {number}, and TOML's whole numbers have at most 63 bits")]
    NumberRange { key: String, number: String },
    #[error("an edit needs at least one key")]
    NoKey,
    #[error("`{key}` cannot be edited without touching its neighbours; edit it by hand")]
    Entangled { key: String },
}

impl TextEditor {
    /// A blank text is an empty document.
    pub fn open(format: ConfigFormat, text: &str) -> Result<Self, EditError> {
        let body = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let newline = lines::newline_of(body);
        let body = match format {
            ConfigFormat::Json => jsonc::with_root(body, newline),
            ConfigFormat::Toml if body.trim().is_empty() => String::new(),
            ConfigFormat::Toml => body.to_owned(),
            ConfigFormat::Yaml => yaml::with_root(body),
        };
        parse(format, &body)?;
        Ok(Self { format, original: text.to_owned(), text: body, newline, changed: false })
    }

    /// Replaces what stands at `path`, or appends it; missing parents are made.
    pub fn set(&mut self, path: &[&str], value: &Value) -> Result<(), EditError> {
        let before = parse(self.format, &self.text)?;
        let wanted = outcome::node_of(value);
        if find(&before, path)?.is_some_and(|present| outcome::equal(present, &wanted)) {
            return Ok(());
        }
        let mut text = self.text.clone();
        match self.format {
            ConfigFormat::Json => jsonc::set(&mut text, &before, path, value, self.newline),
            ConfigFormat::Toml => toml::set(&mut text, path, value, self.newline)?,
            ConfigFormat::Yaml => yaml::set(&mut text, &before, path, value, self.newline)?,
        }
        self.accept(text, before, path, Some(wanted))
    }

    /// Takes away what stands at `path`; `false` when nothing does.
    pub fn remove(&mut self, path: &[&str]) -> Result<bool, EditError> {
        let before = parse(self.format, &self.text)?;
        if find(&before, path)?.is_none() {
            return Ok(false);
        }
        let mut text = self.text.clone();
        match self.format {
            ConfigFormat::Json => jsonc::remove(&mut text, &before, path),
            ConfigFormat::Toml => toml::remove(&mut text, path)?,
            ConfigFormat::Yaml => yaml::remove(&mut text, &before, path)?,
        }
        self.accept(text, before, path, None)?;
        Ok(true)
    }

    /// The text with every edit; without one, the very text that was opened.
    pub fn finish(self) -> String {
        if !self.changed {
            return self.original;
        }
        if self.original.starts_with(BYTE_ORDER_MARK) {
            return format!("{BYTE_ORDER_MARK}{}", self.text);
        }
        self.text
    }

    /// An edit counts only if it did what was asked and nothing else.
    fn accept(
        &mut self,
        mut text: String,
        before: ConfigNode,
        path: &[&str],
        wanted: Option<ConfigNode>,
    ) -> Result<(), EditError> {
        // What replaces everything still ends the way everything did.
        if !self.text.trim().is_empty() && !self.text.ends_with('\n') {
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
        }
        let as_asked = parse(self.format, &text)
            .is_ok_and(|after| outcome::as_asked(before, &after, path, wanted));
        if !as_asked {
            return Err(EditError::Entangled { key: spell(path) });
        }
        self.text = text;
        self.changed = true;
        Ok(())
    }
}

impl fmt::Debug for TextEditor {
    /// Leaves the text out: it may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { format, changed, .. } = self;
        f.debug_struct("TextEditor")
            .field("format", format)
            .field("changed", changed)
            .finish_non_exhaustive()
    }
}

fn parse(format: ConfigFormat, text: &str) -> Result<ConfigNode, EditError> {
    match ConfigDocument::parse(Arc::new(ConfigSource::Overrides), format, text) {
        Ok(document) => Ok(document.root),
        Err(problems) => {
            let line = problems.first().map_or(0, |problem| problem.line);
            let message = problems.first().map(|problem| problem.message.clone());
            Err(EditError::Syntax { line, message: message.unwrap_or_default() })
        }
    }
}

fn find<'n>(root: &'n ConfigNode, path: &[&str]) -> Result<Option<&'n ConfigNode>, EditError> {
    if path.is_empty() {
        return Err(EditError::NoKey);
    }
    let mut node = root;
    for (depth, key) in path.iter().enumerate() {
        if node.table().is_none() {
            let above = if depth == 0 { "the text".to_owned() } else { spell(&path[..depth]) };
            let inner = (*key).to_owned();
            return Err(EditError::NotATable { key: above, kind: node.kind(), inner });
        }
        match node.get(key) {
            Some(child) => node = child,
            None => return Ok(None),
        }
    }
    Ok(Some(node))
}

/// A path as TOML spells it, for people.
pub(crate) fn spell<S: AsRef<str>>(path: &[S]) -> String {
    toml::render::keys(path)
}

/// A text as TOML has it.
pub(crate) fn quoted(text: &str) -> String {
    toml::render::string(text)
}
