//! Reads one document of one layer: collects problems, reads structs past their first mistake,
//! and turns written text into text that knows whether it is secret.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use toolgate_types::{ConfigText, Layer, LayerGrade, Milliseconds, Origin, Pattern, did_you_mean};

use crate::expand::{self, ExpansionSources};
use crate::place::DocumentPlace;
use crate::problem::{Problem, Severity};
use crate::shape::ConfigShape;
use crate::tree::{ConfigDocument, ConfigNode, PathStep, ReadErrorKind};

/// One document being read, and what was found wrong with it so far.
pub(crate) struct DocumentReader<'a> {
    pub(crate) document: &'a ConfigDocument,
    pub(crate) shape: ConfigShape,
    pub(crate) layer: Layer,
    pub(crate) grade: LayerGrade,
    pub(crate) sources: ExpansionSources<'a>,
    /// Whether `${VAR}` is expanded in this document.
    pub(crate) expand: bool,
    pub(crate) problems: Vec<Problem>,
    errors: usize,
}

/// After so many mistakes in one entry the rest of it is not looked at.
const MOST_MISTAKES: usize = 50;

impl<'a> DocumentReader<'a> {
    pub(crate) fn new(
        document: &'a ConfigDocument,
        shape: ConfigShape,
        layer: Layer,
        grade: LayerGrade,
        sources: ExpansionSources<'a>,
        expand: bool,
    ) -> Self {
        let problems = Vec::new();
        Self { document, shape, layer, grade, sources, expand, problems, errors: 0 }
    }

    /// How many errors were reported so far.
    pub(crate) fn errors(&self) -> usize {
        self.errors
    }

    pub(crate) fn error(&mut self, place: &DocumentPlace<'_>, rule: &'static str, message: String) {
        self.report(Severity::Error, place, rule, message, None);
    }

    pub(crate) fn report(
        &mut self,
        severity: Severity,
        place: &DocumentPlace<'_>,
        rule: &'static str,
        message: String,
        help: Option<String>,
    ) {
        self.errors += usize::from(severity == Severity::Error);
        self.problems.push(Problem {
            severity,
            rule,
            source: Arc::clone(&self.document.source),
            key: place.path.clone(),
            line: self.document.line(place.offset),
            message,
            help,
        });
    }

    pub(crate) fn warn(
        &mut self,
        place: &DocumentPlace<'_>,
        rule: &'static str,
        message: String,
        help: &str,
    ) {
        self.report(Severity::Warning, place, rule, message, Some(help.to_owned()));
    }

    pub(crate) fn origin(&self, place: &DocumentPlace<'_>) -> Origin {
        Origin {
            layer: self.layer,
            grade: self.grade,
            source: Arc::clone(&self.document.source),
            key: place.path.clone(),
            line: self.document.line(place.offset),
        }
    }

    /// Reads a raw struct. After each mistake the value at fault is left out and reading goes on,
    /// so that all mistakes are reported; `None` only if the place holds no table at all.
    pub(crate) fn read<T: DeserializeOwned>(
        &mut self,
        place: &DocumentPlace<'_>,
        node: &ConfigNode,
    ) -> Option<T> {
        let mut node = node.clone();
        for _ in 0..MOST_MISTAKES {
            let error = match T::deserialize(&node) {
                Ok(value) => return Some(value),
                Err(error) => error,
            };
            let at = self.locate(place, &error.path);
            match error.kind {
                ReadErrorKind::UnknownKey { key, expected } => {
                    let help = known_keys_hint(&key, expected);
                    let message = format!("unknown key `{key}`");
                    self.report(Severity::Error, &at, "unknown-key", message, Some(help));
                }
                ReadErrorKind::Repeated(key) => {
                    let message = format!("`{key}` is given twice, in two spellings");
                    self.error(&at, "duplicate-key", message);
                }
                ReadErrorKind::Other(message) => self.error(&at, "wrong-type", message),
            }
            if !node.remove(&error.path) {
                return None;
            }
        }
        None
    }

    fn locate<'p>(&self, place: &DocumentPlace<'p>, path: &[PathStep]) -> DocumentPlace<'p> {
        let mut here = place.clone();
        for step in path {
            match step {
                PathStep::Key(key) => {
                    let named = |of: &DocumentPlace<'p>| of.members().find(|(name, _)| name == key);
                    let inner = |of: &DocumentPlace<'p>| named(&of.find(&["transport"])?);
                    match named(&here).or_else(|| inner(&here)) {
                        Some((_, found)) => here = found,
                        None => return here,
                    }
                }
                PathStep::Index(index) => {
                    here = here.item(*index);
                }
            }
        }
        here
    }

    /// Written text that is not a secret unless a variable was expanded into it.
    pub(crate) fn text(
        &mut self,
        place: &DocumentPlace<'_>,
        written: String,
    ) -> Option<ConfigText> {
        if written.contains('\0') {
            self.error(place, "control-character", "text cannot hold a NUL character".into());
            return None;
        }
        if !self.expand {
            if expand::mentions_variable(&written) {
                let message = "`${…}` in a JSON file is taken literally".to_owned();
                let help = "write the value itself, use a key that names a variable \
                            (`bearer_token_env`, `env_headers`, `env_vars`), or set `expand_env`";
                self.warn(place, "literal-variable", message, help);
            }
            return Some(ConfigText::Plain(written));
        }
        match expand::expand(&written, self.sources) {
            Ok(None) => Some(ConfigText::Plain(written)),
            Ok(Some(expanded)) => Some(expanded),
            Err(error) => {
                let help = error.help();
                self.report(Severity::Error, place, error.rule(), error.to_string(), Some(help));
                None
            }
        }
    }

    /// Written text that is a secret by its nature: literal values are never shown.
    pub(crate) fn secret(
        &mut self,
        place: &DocumentPlace<'_>,
        written: String,
    ) -> Option<ConfigText> {
        match self.text(place, written)? {
            ConfigText::Plain(value) => Some(ConfigText::hidden(value)),
            expanded => Some(expanded),
        }
    }

    pub(crate) fn millis(
        &mut self,
        place: &DocumentPlace<'_>,
        written: Option<f64>,
        default: Milliseconds,
    ) -> Milliseconds {
        let Some(written) = written else { return default };
        let rounded = written.round();
        // 2^53 milliseconds is far beyond any time-out and still exact.
        if (1.0..=9_007_199_254_740_992.0).contains(&rounded)
            && let Ok(millis) = Milliseconds::new(rounded as u64)
        {
            return millis;
        }
        let written =
            if written.abs() < 1e15 { written.to_string() } else { format!("{written:e}") };
        let message = format!("{written} ms is not a duration");
        if self.shape.forgives_timeouts() {
            let help = format!("the default of {default} is used");
            self.warn(place, "duration", message, &help);
        } else {
            let help = Some("a duration is at least 1 ms".to_owned());
            self.report(Severity::Error, place, "duration", message, help);
        }
        default
    }

    /// An allow list: absent is "all", empty is a mistake.
    pub(crate) fn allow_list(
        &mut self,
        place: &DocumentPlace<'_>,
        names: &[&str],
        written: Option<Vec<String>>,
    ) -> Option<Vec<Pattern>> {
        let written = written?;
        let at = place.at(names);
        if written.is_empty() {
            let message = "an allow list cannot be empty".to_owned();
            let help = "leave the key out to allow everything, or deny `*` to allow nothing";
            self.report(Severity::Error, &at, "empty-allow-list", message, Some(help.to_owned()));
        }
        Some(self.patterns(&at, written))
    }

    pub(crate) fn deny_list(
        &mut self,
        place: &DocumentPlace<'_>,
        names: &[&str],
        written: Option<Vec<String>>,
    ) -> Vec<Pattern> {
        self.patterns(&place.at(names), written.unwrap_or_default())
    }

    fn patterns(&mut self, place: &DocumentPlace<'_>, written: Vec<String>) -> Vec<Pattern> {
        let mut patterns = Vec::with_capacity(written.len());
        for text in written {
            match Pattern::parse(&text) {
                Ok(pattern) => patterns.push(pattern),
                Err(error) => self.error(place, "pattern", error.to_string()),
            }
        }
        patterns
    }
}

/// The key that was probably meant, or all that there are.
pub(crate) fn known_keys_hint(key: &str, expected: &[&str]) -> String {
    let suggested = did_you_mean(&crate::tree::snake_case(key), expected.iter().copied());
    suggested.unwrap_or_else(|| format!("known keys: {}", expected.join(", ")))
}

#[cfg(test)]
mod tests;
