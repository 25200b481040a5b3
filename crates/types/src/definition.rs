//! A definition as its server sent it: every byte kept, and the few parts that steer us read out.
//!
//! A part of the wrong type counts as absent: one odd member never costs a tool, and the raw
//! definition still says what the server said.

use std::sync::{Arc, OnceLock};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::Digest;

/// A tool, resource, resource template or prompt.
#[derive(Debug, Clone)]
pub struct Definition {
    /// What it is called by: a name, a URI or a URI template.
    pub key: Arc<str>,
    pub title: Option<String>,
    pub description: Option<String>,
    /// A tool's `inputSchema`, as it stands.
    pub input_schema: Option<Box<RawValue>>,
    pub hints: ToolHints,
    /// All of it, unknown members included.
    pub raw: Box<RawValue>,
    /// Known once somebody asked for it.
    digest: OnceLock<Digest>,
    /// The same.
    may_mirror: OnceLock<bool>,
}

/// What a tool's annotations say of its effects. They are the server's own words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ToolHints {
    pub read_only: Option<bool>,
    pub destructive: Option<bool>,
    pub idempotent: Option<bool>,
    pub open_world: Option<bool>,
}

#[derive(Deserialize)]
struct DefinitionParts<'a> {
    #[serde(borrow)]
    title: Option<&'a RawValue>,
    #[serde(borrow)]
    description: Option<&'a RawValue>,
    #[serde(borrow, rename = "inputSchema")]
    input_schema: Option<&'a RawValue>,
    #[serde(borrow)]
    annotations: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct RawHints<'a> {
    #[serde(borrow, rename = "readOnlyHint")]
    read_only: Option<&'a RawValue>,
    #[serde(borrow, rename = "destructiveHint")]
    destructive: Option<&'a RawValue>,
    #[serde(borrow, rename = "idempotentHint")]
    idempotent: Option<&'a RawValue>,
    #[serde(borrow, rename = "openWorldHint")]
    open_world: Option<&'a RawValue>,
}

impl Definition {
    pub fn new(key: impl Into<Arc<str>>, raw: Box<RawValue>) -> Self {
        let parts = serde_json::from_str::<DefinitionParts<'_>>(raw.get()).ok();
        let part = |pick: fn(&DefinitionParts<'_>) -> Option<String>| parts.as_ref().and_then(pick);
        let title = part(|parts| text(parts.title));
        let description = part(|parts| text(parts.description));
        let schema = parts.as_ref().and_then(|parts| parts.input_schema);
        let input_schema = schema.map(ToOwned::to_owned);
        let annotations = parts.as_ref().and_then(|parts| parts.annotations);
        let hints = annotations.map(ToolHints::of).unwrap_or_default();
        let (digest, may_mirror) = (OnceLock::new(), OnceLock::new());
        Self { key: key.into(), title, description, input_schema, hints, raw, digest, may_mirror }
    }

    /// The hash of all of it, worked out once: it does not change, and every call's record names it.
    pub fn digest(&self, hash: impl FnOnce(&RawValue) -> Digest) -> Digest {
        *self.digest.get_or_init(|| hash(&self.raw))
    }

    /// A tool's `inputSchema` where it may want parameters in headers, which is looked for once.
    pub fn mirroring_schema(
        &self,
        may_mirror: impl FnOnce(&RawValue) -> bool,
    ) -> Option<&RawValue> {
        let schema = self.input_schema.as_deref()?;
        self.may_mirror.get_or_init(|| may_mirror(schema)).then_some(schema)
    }
}

impl ToolHints {
    fn of(annotations: &RawValue) -> Self {
        match serde_json::from_str::<RawHints<'_>>(annotations.get()) {
            Ok(raw) => Self {
                read_only: flag(raw.read_only),
                destructive: flag(raw.destructive),
                idempotent: flag(raw.idempotent),
                open_world: flag(raw.open_world),
            },
            Err(_) => Self::default(),
        }
    }
}

fn text(raw: Option<&RawValue>) -> Option<String> {
    let json = raw?.get();
    // Nearly every text means what stands there, and a start reads those of all tools.
    match json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(plain) if !plain.as_bytes().contains(&b'\\') => Some(plain.to_owned()),
        _ => serde_json::from_str(json).ok(),
    }
}

fn flag(raw: Option<&RawValue>) -> Option<bool> {
    match raw?.get() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
