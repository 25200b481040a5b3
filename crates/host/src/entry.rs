//! One tool as it is listed: frozen, with everything a call needs to know about it.

use std::sync::{Arc, OnceLock};

use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use toolgate_guard::DefinitionMismatch;
use toolgate_types::config::{ApprovalMode, Naming};
use toolgate_types::{Definition, Digest, ServerId, ToolOrigin};
use toolgate_upstream::{SessionDefaults, Upstream};

use crate::Audience;
use crate::arguments::{ArgumentCheck, any_object, is_usable};
use crate::description::with_origin;
use crate::own_tool::OwnTool;

/// A listed tool.
#[derive(Debug)]
pub struct ToolEntry {
    name: String,
    pub(crate) audience: Audience,
    schema_bytes: usize,
    pub(crate) source: ToolSource,
    /// Made when they are first needed: a list of thousands is read more often than called.
    shown: OnceLock<ShownDefinition>,
    check: OnceLock<ArgumentCheck>,
    digest: OnceLock<Digest>,
}

/// `auto` was chosen for the tools that there were; one that came later asks first.
pub(crate) fn unchosen(upstream: &Upstream, tool: &str) -> Option<DefinitionMismatch> {
    let server = &upstream.entry().value;
    let own = server.tool_settings.get(tool).and_then(|tool| tool.approval);
    let is_auto = own.or(server.approval) == Some(ApprovalMode::Auto);
    (is_auto && upstream.came_later(tool)).then_some(DefinitionMismatch::Chosen)
}

/// What is called, and what would do it: another of either is another tool.
pub(crate) fn identity(upstream: &Upstream, definition: &Definition) -> Digest {
    let commands = upstream.commands();
    let command = commands.and_then(|commands| commands.get(definition.key.as_str()));
    let fingerprint = match command {
        Some(command) => &command.fingerprint,
        None => &upstream.entry().fingerprint,
    };
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

/// How long a definition is as a model is given it: name, description and schema, in JSON.
pub(crate) fn listed_bytes(tool: &Definition) -> usize {
    const AROUND: usize = r#"{"name":"","description":"","inputSchema":}"#.len();
    let description = tool.description.as_deref().unwrap_or_default().len();
    let schema = tool.input_schema.as_deref().map_or(0, |schema| schema.get().len());
    AROUND + tool.key.len() + description + schema
}

/// Whose tool it is.
#[derive(Debug)]
pub(crate) enum ToolSource {
    Server { upstream: Arc<Upstream>, definition: Arc<Definition> },
    Own(OwnTool),
}

#[derive(Debug)]
struct ShownDefinition {
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
        source: ToolSource,
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
            ToolSource::Own(tool) => tool.names().contains(&name),
            ToolSource::Server { .. } => self.name == name,
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

    /// Where it comes from, for a person to read.
    pub fn origin(&self) -> Option<&ToolOrigin> {
        self.shown().origin.as_ref()
    }

    /// The server that has it; none for a tool of the host itself.
    pub fn server(&self) -> Option<&ServerId> {
        match &self.source {
            ToolSource::Server { upstream, .. } => Some(upstream.id()),
            ToolSource::Own(_) => None,
        }
    }

    /// The definition as the server sent it, unknown members and all.
    pub fn definition(&self) -> Option<&Arc<Definition>> {
        match &self.source {
            ToolSource::Server { definition, .. } => Some(definition),
            ToolSource::Own(_) => None,
        }
    }

    /// Whether a call of it is another tool's, which is what a person is asked about, what is recorded
    /// and what is counted.
    pub(crate) fn passes_on(&self) -> bool {
        matches!(&self.source, ToolSource::Own(OwnTool::CallTool(_)))
    }

    /// What a client is told of a tool of the host itself; a server's definition says that itself.
    pub fn own_annotations(&self) -> Option<&RawValue> {
        match &self.source {
            ToolSource::Own(tool) => Some(tool.annotations()),
            ToolSource::Server { .. } => None,
        }
    }

    /// Whether the server's schema for results is for callers to see: they refuse what does not fit it.
    pub fn lists_output_schema(&self) -> bool {
        match &self.source {
            ToolSource::Server { upstream, .. } => !upstream.entry().value.omit_output_schemas,
            ToolSource::Own(_) => true,
        }
    }

    /// Of a command tool: where it would run for this audience's session, and with what.
    pub fn session_defaults(&self) -> Option<SessionDefaults> {
        let ToolSource::Server { upstream, definition } = &self.source else { return None };
        let tool = upstream.commands()?.get(definition.key.as_str())?;
        let overrides = self.audience.overrides.as_deref();
        Some(SessionDefaults::of(&tool.value, upstream.workspace(), overrides))
    }

    /// The hash of the definition, exactly as the server sent it, and of the server's entry.
    pub(crate) fn digest(&self) -> Digest {
        *self.digest.get_or_init(|| match &self.source {
            ToolSource::Server { upstream, definition } => identity(upstream, definition),
            ToolSource::Own(_) => Digest([0; 32]),
        })
    }

    /// Whether it is this tool, under this name, so that it can be listed again as it is.
    pub(crate) fn is(&self, name: &str, upstream: &Arc<Upstream>, tool: &Arc<Definition>) -> bool {
        match &self.source {
            ToolSource::Server { upstream: mine, definition } => {
                Arc::ptr_eq(definition, tool) && Arc::ptr_eq(mine, upstream) && self.name == name
            }
            ToolSource::Own(_) => false,
        }
    }

    pub(crate) fn check(&self, arguments: Option<&RawValue>) -> Result<(), String> {
        self.argument_check().check(arguments)
    }

    /// See [`ArgumentCheck::without_nulls`].
    pub(crate) fn without_nulls(&self, arguments: &RawValue) -> Option<Box<RawValue>> {
        self.argument_check().without_nulls(arguments)
    }

    fn argument_check(&self) -> &ArgumentCheck {
        let compile = || ArgumentCheck::compile(self.schema(), self.schema_bytes);
        self.check.get_or_init(compile)
    }

    fn schema(&self) -> Option<&RawValue> {
        match &self.source {
            ToolSource::Server { definition, .. } => definition.input_schema.as_deref(),
            ToolSource::Own(tool) => Some(tool.parameters()),
        }
    }

    fn shown(&self) -> &ShownDefinition {
        self.shown.get_or_init(|| {
            let has_schema = is_usable(self.schema(), self.schema_bytes);
            match &self.source {
                ToolSource::Server { upstream, definition } => {
                    let (server, tool) = (upstream.id().as_str(), definition.key.as_str());
                    let own_words = definition.description.as_deref();
                    let description = match self.audience.naming {
                        Naming::Bare => own_words.unwrap_or_default().to_owned(),
                        _ => with_origin(own_words, server, tool),
                    };
                    let origin = ToolOrigin { provider: server.to_owned(), name: tool.to_owned() };
                    ShownDefinition { description, has_schema, origin: Some(origin) }
                }
                ToolSource::Own(tool) => {
                    let description = tool.description().into_owned();
                    ShownDefinition { description, has_schema, origin: None }
                }
            }
        })
    }
}
