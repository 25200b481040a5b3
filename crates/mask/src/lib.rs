//! Secrets masked in text and in JSON, before it reaches a log, a record, an error or a prompt.
//!
//! Four ways to know a secret: by its value, in the encodings it travels in; by the name it stands
//! under; by what a tool's schema says of it; by the shape that tokens, keys and URLs with
//! credentials have. What is masked becomes `***`; every other byte stays. Where masking is due is
//! for others to decide, and so are hidden characters (`visible` of `toolgate-types`).
//!
//! A value is looked for if it has six bytes or more and is no everyday word: shorter ones occur in
//! every text by chance, and stars all over a log tell where the secret is while hiding the rest.
//! Those are still masked by name, schema and shape.

mod collect;
mod edit;
mod encodings;
mod json;
mod needle;
mod schema;
mod shape;
mod view;

use parking_lot::RwLock;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::value::RawValue;

use edit::{MaskForm, settle};
use needle::{Needle, Needles};
pub use schema::{SecretMarks, SecretSchema};
use toolgate_types::config::Config;
use toolgate_types::{ConfigText, Secret};

/// Masks secrets. Cheap to clone, and all clones learn what one of them does; the values they look
/// for are wiped when the last one goes.
#[derive(Clone, Default)]
pub struct Masker {
    needles: Arc<RwLock<Arc<Needles>>>,
}

/// Collects the secrets a [`Masker`] looks for.
#[derive(Default)]
pub struct MaskerBuilder {
    needles: Vec<Needle>,
}

impl Masker {
    pub fn builder() -> MaskerBuilder {
        MaskerBuilder::default()
    }

    /// Looks for every secret of a configuration, and for the values of those variables that the
    /// configuration hands on or whose name says secret.
    pub fn of_config(config: &Config, variables: &BTreeMap<String, String>) -> Self {
        collect::secrets_of(config, variables).build()
    }

    /// One that looks for these too: tokens that arrive at run time.
    pub fn with<'a>(&self, more: impl IntoIterator<Item = &'a Secret>) -> Self {
        let known = MaskerBuilder { needles: self.needles().to_vec() };
        more.into_iter().fold(known, MaskerBuilder::secret).build()
    }

    /// From now on it looks for what the other does too, and so do all its clones: a configuration
    /// that is loaded anew brings new secrets, and the old ones stay secret.
    pub fn learn(&self, other: &Self) {
        let more = other.needles();
        let mut known = self.needles.write();
        let needles = known.to_vec().into_iter().chain(more.to_vec()).collect();
        *known = Arc::new(Needles::new(needles));
    }

    fn needles(&self) -> Arc<Needles> {
        Arc::clone(&self.needles.read())
    }

    /// A line of a log, an error, what a server wrote to its standard error.
    pub fn mask_text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        settle(text, ConfigText::STARS, |text| edit::in_text(&self.needles(), text))
    }

    /// As [`Self::mask_text`], and each line is cut after so many characters. In this order: of a
    /// secret that is cut first, half is left, and nothing tells that half from other text.
    pub fn mask_and_cut(&self, text: &str, longest: usize) -> String {
        let masked = self.mask_text(text);
        let cut = |line: &str| match line.char_indices().nth(longest) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line.to_owned(),
        };
        masked.split('\n').map(cut).collect::<Vec<_>>().join("\n")
    }

    /// JSON stays JSON: members with a sensitive name are `"***"`, whatever they hold, and strings
    /// are masked as text is. Text that is not JSON is masked as text.
    pub fn mask_json<'a>(&self, json: &'a str) -> Cow<'a, str> {
        self.mask_known(json, None)
    }

    /// As [`Self::mask_json`], and what the tool's schema marks as secret is masked as well.
    pub fn mask_arguments(&self, arguments: &RawValue, schema: Option<&RawValue>) -> String {
        self.mask_known(arguments.get(), schema).into_owned()
    }

    fn mask_known<'a>(&self, json: &'a str, schema: Option<&RawValue>) -> Cow<'a, str> {
        if serde_json::from_str::<&RawValue>(json).is_err() {
            return self.mask_text(json);
        }
        let schema = schema.map(|schema| SecretSchema::new(schema.get()));
        let whole = MaskForm::Value { quoting: 0 }.replacement();
        settle(json, whole, |json| json::edits(&self.needles(), json, schema.as_ref()))
    }
}

impl MaskerBuilder {
    /// Adds a secret. One that is too short or too common to be told from other text is left out.
    #[must_use]
    pub fn secret(mut self, secret: &Secret) -> Self {
        encodings::add_forms(secret.expose(), &mut self.needles);
        self
    }

    pub fn build(self) -> Masker {
        Masker { needles: Arc::new(RwLock::new(Arc::new(Needles::new(self.needles)))) }
    }
}

impl fmt::Debug for Masker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Masker(***)")
    }
}

impl fmt::Debug for MaskerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MaskerBuilder(***)")
    }
}

#[cfg(test)]
mod tests;
