//! One tool as it is listed: frozen, with everything a call needs to know about it.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use toolgate_guard::DefinitionMismatch;
use toolgate_types::config::{ApprovalMode, Naming, ToolShaping};
use toolgate_types::{Definition, Digest, ServerId, ToolOrigin, visible};
use toolgate_upstream::{SessionDefaults, Upstream};

use crate::Audience;
use crate::arguments::{ArgumentCheck, any_object, is_usable};
use crate::description::with_origin;
use crate::listed_name::ListedName;
use crate::output_schema::OutputSchema;
use crate::own_tool::OwnTool;
use crate::shaping;

/// A listed tool.
#[derive(Debug)]
pub struct ToolEntry {
    pub(crate) audience: Arc<Audience>,
    tool: Arc<SharedTool>,
}

/// What a tool is to every audience that knows it by this name.
#[derive(Debug)]
pub(crate) struct SharedTool {
    name: Arc<ListedName>,
    /// Whether it is told without its origin, as where names are raw.
    is_bare: bool,
    schema_bytes: usize,
    source: ToolSource,
    /// Made when they are first needed: a list of thousands is read more often than called.
    shown: OnceLock<ShownDefinition>,
    check: OnceLock<ArgumentCheck>,
    digest: OnceLock<Digest>,
    promised: OnceLock<Option<Box<OutputSchema>>>,
    may_mirror: OnceLock<bool>,
    flaw: OnceLock<Option<String>>,
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
    let command = commands.and_then(|commands| commands.get(&*definition.key));
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

/// What stands around name, description and schema.
const AROUND: usize = r#"{"name":"","description":"","inputSchema":}"#.len();

/// How long a server's tool is as a model is given it: name, description and schema, in JSON. What is
/// added to say where it comes from is left out, so that a list can be measured without being written.
pub(crate) fn listed_bytes(name: &str, definition: &Definition) -> usize {
    let description = definition.description.as_deref().unwrap_or_default();
    let schema = definition.input_schema.as_deref().map_or(0, |schema| schema.get().len());
    AROUND + name.len() + description.len() + schema
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
    /// What is shown of that schema, where that is not all of it.
    shaped_schema: Option<Box<RawValue>>,
    origin: Option<ToolOrigin>,
}

impl SharedTool {
    pub(crate) fn new(
        name: Arc<ListedName>,
        naming: Naming,
        schema_bytes: usize,
        source: ToolSource,
    ) -> Self {
        Self {
            name,
            is_bare: naming == Naming::Bare,
            schema_bytes,
            source,
            shown: OnceLock::new(),
            check: OnceLock::new(),
            digest: OnceLock::new(),
            promised: OnceLock::new(),
            may_mirror: OnceLock::new(),
            flaw: OnceLock::new(),
        }
    }

    pub(crate) fn name(&self) -> &str {
        self.name.as_str()
    }

    pub(crate) fn listed_name(&self) -> &ListedName {
        &self.name
    }

    /// The definition that it is of; none of a tool of the host itself.
    pub(crate) fn definition(&self) -> Option<&Arc<Definition>> {
        match &self.source {
            ToolSource::Server { definition, .. } => Some(definition),
            ToolSource::Own(_) => None,
        }
    }

    /// Whether it is this tool, under this name, so that it can be listed again as it is.
    pub(crate) fn is(&self, name: &str, upstream: &Arc<Upstream>, tool: &Arc<Definition>) -> bool {
        match &self.source {
            ToolSource::Server { upstream: mine, definition } => {
                Arc::ptr_eq(definition, tool) && Arc::ptr_eq(mine, upstream) && self.name() == name
            }
            ToolSource::Own(_) => false,
        }
    }
}

impl ToolEntry {
    pub(crate) fn new(
        name: String,
        audience: &Audience,
        schema_bytes: usize,
        source: ToolSource,
    ) -> Self {
        let tool = SharedTool::new(ListedName::new(name), audience.naming, schema_bytes, source);
        Self::shared(&Arc::new(audience.clone()), &Arc::new(tool))
    }

    /// The same tool for another audience.
    pub(crate) fn shared(audience: &Arc<Audience>, tool: &Arc<SharedTool>) -> Self {
        Self { audience: Arc::clone(audience), tool: Arc::clone(tool) }
    }

    pub(crate) fn source(&self) -> &ToolSource {
        &self.tool.source
    }

    /// What it is to every audience that knows it by this name.
    pub(crate) fn tool(&self) -> &Arc<SharedTool> {
        &self.tool
    }

    /// What whoever lists it makes of it, written once for all audiences that know it by this name;
    /// nothing where `write` says that it is not the same for all of them.
    pub fn written(&self, write: impl FnOnce() -> Option<Vec<u8>>) -> Option<&[u8]> {
        self.tool.name.written_by(write)
    }

    /// The public name.
    pub fn name(&self) -> &str {
        self.tool.name()
    }

    /// Whether a tool of the host itself goes by this name; it may have two.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        match &self.tool.source {
            ToolSource::Own(tool) => tool.names().contains(&name),
            ToolSource::Server { .. } => self.tool.name() == name,
        }
    }

    /// What the server says of it, with its origin; the raw words where names are raw too.
    pub fn description(&self) -> &str {
        &self.shown().description
    }

    /// The schema of the arguments: the server's own where it is usable, else one that takes any
    /// object.
    pub fn parameters(&self) -> &RawValue {
        let shown = self.shown();
        match self.schema().filter(|_| shown.has_schema) {
            Some(schema) => shown.shaped_schema.as_deref().unwrap_or(schema),
            None => any_object(),
        }
    }

    /// [`Self::parameters`] where they may want to be in headers as well, which is looked for once.
    pub fn mirroring_schema(
        &self,
        may_mirror: impl FnOnce(&RawValue) -> bool,
    ) -> Option<&RawValue> {
        let may_mirror = || may_mirror(self.parameters());
        self.tool.may_mirror.get_or_init(may_mirror).then(|| self.parameters())
    }

    /// What is said of it, without its origin.
    pub fn own_words(&self) -> Option<&str> {
        match &self.tool.source {
            ToolSource::Server { definition, .. } => {
                let shaped = self.shaping().and_then(|shaping| shaping.description.as_deref());
                shaped.or(definition.description.as_deref())
            }
            ToolSource::Own(_) => Some(&self.shown().description),
        }
    }

    /// The definition as callers see it, but for the name, which is the one within its server.
    pub fn shown_definition(&self) -> Option<Cow<'_, RawValue>> {
        let ToolSource::Server { definition, .. } = &self.tool.source else { return None };
        let shaped = self.shaping().and_then(|shaping| {
            shaping::shown_definition(definition, shaping, self.name_at_server())
        });
        Some(shaped.map_or(Cow::Borrowed(&*definition.raw), Cow::Owned))
    }

    /// Under which name it is shown beside its server's: the one that its entry gives it, or its own.
    pub fn name_at_server(&self) -> &str {
        match &self.tool.source {
            ToolSource::Server { definition, .. } => {
                let given = self.shaping().and_then(|shaping| shaping.rename.as_ref());
                given.map_or(&definition.key, |name| name.as_str())
            }
            ToolSource::Own(_) => self.tool.name(),
        }
    }

    /// How the entry of its server has it shown and called, where that is not as it is defined.
    pub fn shaping(&self) -> Option<&ToolShaping> {
        match &self.tool.source {
            ToolSource::Server { upstream, definition } => {
                upstream.entry().value.shaping(&definition.key).map(|shaping| &**shaping)
            }
            ToolSource::Own(_) => None,
        }
    }

    /// What its server promises of structured content, where that can be checked.
    pub(crate) fn promised(&self) -> Option<&OutputSchema> {
        let read = || {
            let raw = OutputSchema::raw(&self.definition()?.raw)?;
            OutputSchema::new(raw, self.tool.schema_bytes).map(Box::new)
        };
        self.tool.promised.get_or_init(read).as_deref()
    }

    /// Where it comes from, for a person to read.
    pub fn origin(&self) -> Option<&ToolOrigin> {
        self.shown().origin.as_ref()
    }

    /// The server that has it; none for a tool of the host itself.
    pub fn server(&self) -> Option<&ServerId> {
        match &self.tool.source {
            ToolSource::Server { upstream, .. } => Some(upstream.id()),
            ToolSource::Own(_) => None,
        }
    }

    /// The definition as the server sent it, unknown members and all.
    pub fn definition(&self) -> Option<&Arc<Definition>> {
        self.tool.definition()
    }

    /// How long it is as a model is given it.
    pub(crate) fn listed_bytes(&self) -> usize {
        match &self.tool.source {
            ToolSource::Server { definition, .. } => listed_bytes(self.tool.name(), definition),
            ToolSource::Own(tool) => {
                let parameters = tool.parameters().get();
                AROUND + self.tool.name().len() + self.description().len() + parameters.len()
            }
        }
    }

    /// Whether a call of it is another tool's, which is what a person is asked about, what is recorded
    /// and what is counted.
    pub(crate) fn passes_on(&self) -> bool {
        matches!(&self.tool.source, ToolSource::Own(OwnTool::CallTool(_)))
    }

    /// What a client is told of a tool of the host itself; a server's definition says that itself.
    pub fn own_annotations(&self) -> Option<&RawValue> {
        match &self.tool.source {
            ToolSource::Own(tool) => Some(tool.annotations()),
            ToolSource::Server { .. } => None,
        }
    }

    /// Whether the server's schema for results is for callers to see: they refuse what does not fit it.
    pub fn lists_output_schema(&self) -> bool {
        match &self.tool.source {
            ToolSource::Server { upstream, .. } => !upstream.entry().value.omit_output_schemas,
            ToolSource::Own(_) => true,
        }
    }

    /// Of a command tool: where it would run for this audience's session, and with what.
    pub fn session_defaults(&self) -> Option<SessionDefaults> {
        let ToolSource::Server { upstream, definition } = &self.tool.source else { return None };
        let tool = upstream.commands()?.get(&*definition.key)?;
        let overrides = self.audience.overrides.as_deref();
        Some(SessionDefaults::of(&tool.value, upstream.workspace(), overrides))
    }

    /// The hash of the definition, exactly as the server sent it, and of the server's entry.
    pub(crate) fn digest(&self) -> Digest {
        *self.tool.digest.get_or_init(|| match &self.tool.source {
            ToolSource::Server { upstream, definition } => identity(upstream, definition),
            ToolSource::Own(_) => Digest([0; 32]),
        })
    }

    pub(crate) fn check(&self, arguments: Option<&RawValue>) -> Result<(), String> {
        self.argument_check().check(arguments)
    }

    /// What a caller's arguments mean, where that is not what they say: without each `null` that
    /// stands for leaving something out, and with what its entry fills in. What callers are not shown
    /// is refused in a sentence.
    pub(crate) fn meant_arguments(
        &self,
        arguments: Option<&RawValue>,
    ) -> Result<Option<Box<RawValue>>, String> {
        let Some(shaping) = self.shaping() else {
            return Ok(arguments.and_then(|raw| self.argument_check().without_nulls(raw)));
        };
        shaping::refuse_hidden(shaping, arguments)?;
        if let Some(flaw) = self.flaw() {
            return Err(format!("the configuration of this tool is wrong: {flaw}"));
        }
        let plain = arguments.and_then(|raw| self.argument_check().without_nulls(raw));
        let filled = shaping::filled_in(shaping, plain.as_deref().or(arguments));
        Ok(filled.or(plain))
    }

    /// What is wrong with how its entry has it shown, if anything is.
    fn flaw(&self) -> Option<&str> {
        let look = || shaping::flaw(self.definition()?, self.shaping()?);
        self.tool.flaw.get_or_init(look).as_deref()
    }

    /// The same, with whose tool it is.
    pub(crate) fn told_flaw(&self) -> Option<String> {
        // Nearly no tool is shaped.
        self.shaping()?;
        let (server, tool) = (self.server()?, visible(&self.definition()?.key));
        Some(format!("{server}: {tool}: {}", self.flaw()?))
    }

    fn argument_check(&self) -> &ArgumentCheck {
        let compile = || {
            let shown = self.shown().shaped_schema.as_deref().or(self.schema());
            ArgumentCheck::compile_shown(self.schema(), shown, self.tool.schema_bytes)
        };
        self.tool.check.get_or_init(compile)
    }

    fn schema(&self) -> Option<&RawValue> {
        match &self.tool.source {
            ToolSource::Server { definition, .. } => definition.input_schema.as_deref(),
            ToolSource::Own(tool) => Some(tool.parameters()),
        }
    }

    fn shown(&self) -> &ShownDefinition {
        self.tool.shown.get_or_init(|| {
            let has_schema = is_usable(self.schema(), self.tool.schema_bytes);
            match &self.tool.source {
                ToolSource::Server { upstream, definition } => {
                    let (server, tool) = (upstream.id().as_str(), &*definition.key);
                    let description = match self.tool.is_bare {
                        true => self.own_words().unwrap_or_default().to_owned(),
                        false => with_origin(self.own_words(), server, self.name_at_server()),
                    };
                    let shaped_schema = self
                        .shaping()
                        .zip(self.schema().filter(|_| has_schema))
                        .and_then(|(shaping, schema)| shaping::shown_schema(schema, shaping));
                    let origin = ToolOrigin { provider: server.to_owned(), name: tool.to_owned() };
                    let origin = Some(origin);
                    ShownDefinition { description, has_schema, shaped_schema, origin }
                }
                ToolSource::Own(tool) => {
                    let description = tool.description().into_owned();
                    ShownDefinition { description, has_schema, shaped_schema: None, origin: None }
                }
            }
        })
    }
}
