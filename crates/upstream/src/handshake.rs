//! What two sides agreed on, and the messages that get them there.

use serde_json::value::RawValue;
use toolgate_types::config::{Isolation, Server};
use toolgate_types::{Asker, QuestionKind, TASKS_EXTENSION};
use toolgate_wire::{Era, ObjectSplice, ProtocolRevision, RawObject, SpliceValue, meta, method};

use crate::failure::ConnectError;

/// What a server said of itself.
#[derive(Debug)]
pub struct ServerHandshake {
    pub revision: ProtocolRevision,
    /// `name` and `version`, raw.
    pub server_info: Option<Box<RawValue>>,
    pub capabilities: Option<Box<RawValue>>,
    pub instructions: Option<String>,
}

impl ServerHandshake {
    pub fn era(&self) -> Era {
        self.revision.era()
    }

    /// Whether the server declared this capability.
    pub fn offers(&self, capability: &str) -> bool {
        let capabilities = self.capabilities.as_deref().and_then(|raw| RawObject::parse(raw).ok());
        capabilities.is_some_and(|object| object.get_some(capability).is_some())
    }

    /// The answer to `initialize`.
    pub(crate) fn of_initialize(result: &RawValue) -> Result<Self, ConnectError> {
        let object = object_of(result)?;
        let version = object.text("protocolVersion").ok_or_else(|| {
            ConnectError::Protocol("`initialize` was answered without a protocol version".into())
        })?;
        match version.parse::<ProtocolRevision>() {
            Ok(revision) if revision.era() == Era::Legacy => {
                Ok(Self::of(&object, revision, object.get_some("serverInfo")))
            }
            _ => Err(ConnectError::UnsupportedVersion(printable(&version))),
        }
    }

    /// The answer to `server/discover`.
    pub(crate) fn of_discover(result: &RawValue) -> Result<Self, ConnectError> {
        let object = object_of(result)?;
        // A server that answers everything with an empty object is no modern one.
        let supported = object.get_some("supportedVersions").ok_or_else(|| {
            ConnectError::Protocol("`server/discover` was answered without versions".into())
        })?;
        let supported: Vec<String> = serde_json::from_str(supported.get()).map_err(|_| {
            ConnectError::Protocol("`supportedVersions` is not a list of strings".into())
        })?;
        if !supported.iter().any(|version| version == ProtocolRevision::NEWEST.as_str()) {
            return Err(ConnectError::UnsupportedVersion(printable(&supported.join(", "))));
        }
        let info = object.get_some(meta::META).and_then(|raw| RawObject::parse(raw).ok());
        let info = info.as_ref().and_then(|meta| meta.get_some(meta::SERVER_INFO));
        Ok(Self::of(
            &object,
            ProtocolRevision::NEWEST,
            info.or_else(|| object.get_some("serverInfo")),
        ))
    }

    fn of(object: &RawObject<'_>, revision: ProtocolRevision, info: Option<&RawValue>) -> Self {
        Self {
            revision,
            server_info: info.map(ToOwned::to_owned),
            capabilities: object.get_some("capabilities").map(ToOwned::to_owned),
            instructions: object.text("instructions").map(|text| text.into_owned()),
        }
    }
}

fn object_of(result: &RawValue) -> Result<RawObject<'_>, ConnectError> {
    RawObject::parse(result).map_err(|error| ConnectError::Protocol(error.to_string()))
}

/// What a server calls a version, short and without anything hidden.
fn printable(version: &str) -> String {
    toolgate_types::visible(&version.chars().take(60).collect::<String>())
}

/// What we say of ourselves, in either era.
#[derive(Debug, Clone)]
pub(crate) struct Introduction {
    /// In the handshake, and with everything that is nobody's operation.
    capabilities: Box<RawValue>,
    /// With an operation behind which there is nobody but our own asker.
    answerable: Box<RawValue>,
    client_info: Box<RawValue>,
}

impl Introduction {
    /// Declares the same whoever starts the server: what it lists may depend on it, and that list is
    /// shown to others too. A question that nobody can answer is cancelled when it is asked.
    pub(crate) fn new(
        server: &Server,
        asker: &dyn Asker,
        callers: Option<&RawValue>,
    ) -> Result<Self, serde_json::Error> {
        let may_ask = |kind: QuestionKind| match kind {
            QuestionKind::Elicit => true,
            QuestionKind::Sample => server.sampling,
            // One that workspaces share is told nobody's folders.
            QuestionKind::Roots => server.isolation != Isolation::Machine,
        };
        let capabilities = with_callers_own(capabilities(may_ask)?, callers)?;
        let answerable = self::capabilities(|kind| may_ask(kind) && asker.answers(kind))?;
        let mut info = ObjectSplice::new();
        info.set("name", SpliceValue::text("toolgate"))
            .set("version", SpliceValue::text(env!("CARGO_PKG_VERSION")));
        Ok(Self { capabilities, answerable, client_info: info.to_raw()? })
    }

    pub(crate) fn initialize(&self) -> ObjectSplice<'_> {
        let mut params = ObjectSplice::new();
        params
            .set("protocolVersion", SpliceValue::text(ProtocolRevision::NEWEST_LEGACY.as_str()))
            .set("capabilities", SpliceValue::Raw(&self.capabilities))
            .set("clientInfo", SpliceValue::Raw(&self.client_info));
        params
    }

    /// Puts what every modern request carries into its `_meta`; a caller may be able to do more or
    /// less than we say in general.
    pub(crate) fn sign<'a>(
        &'a self,
        meta: &mut ObjectSplice<'a>,
        method: &str,
        own: Option<&'a RawValue>,
    ) {
        let capabilities = match own {
            Some(own) => SpliceValue::Raw(own),
            None if is_operation(method) => SpliceValue::Raw(&self.answerable),
            None => SpliceValue::Raw(&self.capabilities),
        };
        meta.set(meta::PROTOCOL_VERSION, SpliceValue::text(ProtocolRevision::NEWEST.as_str()))
            .set(meta::CLIENT_CAPABILITIES, capabilities)
            .set(meta::CLIENT_INFO, SpliceValue::Raw(&self.client_info));
    }
}

/// Whether somebody may be asked in the middle of it.
fn is_operation(method: &str) -> bool {
    let all = [
        method::TOOLS_CALL,
        method::RESOURCES_READ,
        method::PROMPTS_GET,
        method::COMPLETION_COMPLETE,
        method::TASKS_GET,
        method::TASKS_UPDATE,
        method::TASKS_CANCEL,
    ];
    all.contains(&method)
}

/// The same with what the one caller behind it brings along.
fn with_callers_own(
    declared: Box<RawValue>,
    callers: Option<&RawValue>,
) -> Result<Box<RawValue>, serde_json::Error> {
    let parsed = (RawObject::parse(&declared), callers.map(RawObject::parse));
    let (Ok(own), Some(Ok(callers))) = parsed else { return Ok(declared) };
    let mut all = ObjectSplice::of(&own);
    if let Some(raw) = callers.get_some("experimental") {
        all.set("experimental", SpliceValue::Raw(raw));
    }
    let extensions = callers.get_some("extensions").and_then(|raw| RawObject::parse(raw).ok());
    if let Some(extensions) = &extensions {
        // A result of the older era does not say that it is a task.
        let mut told = ObjectSplice::of(extensions);
        told.remove(TASKS_EXTENSION);
        all.set("extensions", SpliceValue::Object(Box::new(told)));
    }
    all.to_raw()
}

/// What can be asked, as it is declared.
fn capabilities(
    includes: impl Fn(QuestionKind) -> bool,
) -> Result<Box<RawValue>, serde_json::Error> {
    let mut all = ObjectSplice::new();
    let empty = || SpliceValue::Object(Box::default());
    if includes(QuestionKind::Elicit) {
        let mut modes = ObjectSplice::new();
        modes.set("form", empty()).set("url", empty());
        all.set("elicitation", SpliceValue::Object(Box::new(modes)));
    }
    if includes(QuestionKind::Sample) {
        all.set("sampling", empty());
    }
    if includes(QuestionKind::Roots) {
        all.set("roots", empty());
    }
    all.to_raw()
}
