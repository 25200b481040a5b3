//! One tool as it is listed: frozen, with everything a call needs to know about it.

use std::sync::{Arc, OnceLock};

use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use toolgate_types::config::Naming;
use toolgate_types::{Definition, Digest, ServerId, ToolOrigin};
use toolgate_upstream::Upstream;

use crate::Audience;
use crate::arguments::{ArgumentCheck, any_object, is_usable};
use crate::description::with_origin;
use crate::own::OwnTool;

/// A listed tool.
#[derive(Debug)]
pub struct ToolEntry {
    name: String,
    pub(crate) audience: Audience,
    schema_bytes: usize,
    pub(crate) source: Source,
    /// Made when they are first needed: a list of thousands is read more often than called.
    shown: OnceLock<Shown>,
    check: OnceLock<ArgumentCheck>,
    digest: OnceLock<Digest>,
}

/// What is called, and what would do it: another of either is another tool.
pub(crate) fn identity(upstream: &Upstream, definition: &Definition) -> Digest {
    let fingerprint = &upstream.entry().fingerprint;
    let mut hash = Sha256::new();
    hash.update(fingerprint.entry.0);
    for (file, content) in &fingerprint.files {
        hash.update(file.len().to_le_bytes());
        hash.update(file);
        hash.update(content.0);
    }
    hash.update(definition.raw.get());
    Digest(hash.finalize().into())
}

/// Whose tool it is.
#[derive(Debug)]
pub(crate) enum Source {
    Server { upstream: Arc<Upstream>, definition: Arc<Definition> },
    Own(OwnTool),
}

#[derive(Debug)]
struct Shown {
    description: String,
    /// Whether the server's own schema is the one to show.
    has_schema: bool,
    origin: Option<ToolOrigin>,
}

impl ToolEntry {
    pub(crate) fn new(
        name: String,
        audience: &Audience,
        schema_bytes: usize,
        source: Source,
    ) -> Self {
        Self {
            name,
            audience: audience.clone(),
            schema_bytes,
            source,
            shown: OnceLock::new(),
            check: OnceLock::new(),
            digest: OnceLock::new(),
        }
    }

    /// The public name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether a tool of the host itself goes by this name; it may have two.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        match &self.source {
            Source::Own(tool) => tool.names().contains(&name),
            Source::Server { .. } => self.name == name,
        }
    }

    /// What the server says of it, with its origin; the raw words where names are raw too.
    pub fn description(&self) -> &str {
        &self.shown().description
    }

    /// The schema of the arguments: the server's own where it is usable, else one that takes any
    /// object.
    pub fn parameters(&self) -> &RawValue {
        match self.schema().filter(|_| self.shown().has_schema) {
            Some(schema) => schema,
            None => any_object(),
        }
    }

    pub fn origin(&self) -> Option<&ToolOrigin> {
        self.shown().origin.as_ref()
    }

    pub fn server(&self) -> Option<&ServerId> {
        match &self.source {
            Source::Server { upstream, .. } => Some(upstream.id()),
            Source::Own(_) => None,
        }
    }

    /// The definition as the server sent it, unknown members and all.
    pub fn definition(&self) -> Option<&Arc<Definition>> {
        match &self.source {
            Source::Server { definition, .. } => Some(definition),
            Source::Own(_) => None,
        }
    }

    /// The hash of the definition, exactly as the server sent it, and of the server's entry.
    pub(crate) fn digest(&self) -> Digest {
        *self.digest.get_or_init(|| match &self.source {
            Source::Server { upstream, definition } => identity(upstream, definition),
            Source::Own(_) => Digest([0; 32]),
        })
    }

    /// Whether it is this tool, under this name, so that it can be listed again as it is.
    pub(crate) fn is(&self, name: &str, upstream: &Arc<Upstream>, tool: &Arc<Definition>) -> bool {
        match &self.source {
            Source::Server { upstream: mine, definition } => {
                Arc::ptr_eq(definition, tool) && Arc::ptr_eq(mine, upstream) && self.name == name
            }
            Source::Own(_) => false,
        }
    }

    pub(crate) fn check(&self, arguments: Option<&RawValue>) -> Result<(), String> {
        let compile = || ArgumentCheck::compile(self.schema(), self.schema_bytes);
        self.check.get_or_init(compile).check(arguments)
    }

    fn schema(&self) -> Option<&RawValue> {
        match &self.source {
            Source::Server { definition, .. } => definition.input_schema.as_deref(),
            Source::Own(tool) => Some(tool.parameters()),
        }
    }

    fn shown(&self) -> &Shown {
        self.shown.get_or_init(|| {
            let has_schema = is_usable(self.schema(), self.schema_bytes);
            match &self.source {
                Source::Server { upstream, definition } => {
                    let (server, tool) = (upstream.id().as_str(), definition.key.as_str());
                    let own_words = definition.description.as_deref();
                    let description = match self.audience.naming {
                        Naming::Bare => own_words.unwrap_or_default().to_owned(),
                        _ => with_origin(own_words, server, tool),
                    };
                    let origin = ToolOrigin { provider: server.to_owned(), name: tool.to_owned() };
                    Shown { description, has_schema, origin: Some(origin) }
                }
                Source::Own(tool) => {
                    let description = tool.description().to_owned();
                    Shown { description, has_schema, origin: None }
                }
            }
        })
    }
}
