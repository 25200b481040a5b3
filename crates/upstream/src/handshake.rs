//! What two sides agreed on, and the messages that get them there.

use serde_json::value::RawValue;
use toolgate_types::{Asker, QuestionKind};
use toolgate_wire::{Era, RawObject, Revision, Splice, Value, meta};

use crate::failure::ConnectError;

/// What a server said of itself.
#[derive(Debug)]
pub struct Handshake {
    pub revision: Revision,
    /// `name` and `version`, raw.
    pub server_info: Option<Box<RawValue>>,
    pub capabilities: Option<Box<RawValue>>,
    pub instructions: Option<String>,
}

impl Handshake {
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
        match version.parse::<Revision>() {
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
        if !supported.iter().any(|version| version == Revision::NEWEST.as_str()) {
            return Err(ConnectError::UnsupportedVersion(printable(&supported.join(", "))));
        }
        let info = object.get_some(meta::META).and_then(|raw| RawObject::parse(raw).ok());
        let info = info.as_ref().and_then(|meta| meta.get_some(meta::SERVER_INFO));
        Ok(Self::of(&object, Revision::NEWEST, info.or_else(|| object.get_some("serverInfo"))))
    }

    fn of(object: &RawObject<'_>, revision: Revision, info: Option<&RawValue>) -> Self {
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
    capabilities: Box<RawValue>,
    client_info: Box<RawValue>,
}

impl Introduction {
    /// Declares only what somebody is there to answer.
    pub(crate) fn new(asker: &dyn Asker, sampling: bool) -> Result<Self, serde_json::Error> {
        let mut capabilities = Splice::new();
        let empty = || Value::Object(Box::default());
        if asker.answers(QuestionKind::Elicit) {
            let mut modes = Splice::new();
            modes.set("form", empty()).set("url", empty());
            capabilities.set("elicitation", Value::Object(Box::new(modes)));
        }
        if sampling && asker.answers(QuestionKind::Sample) {
            capabilities.set("sampling", empty());
        }
        if asker.answers(QuestionKind::Roots) {
            capabilities.set("roots", empty());
        }
        let mut info = Splice::new();
        info.set("name", Value::text("toolgate"))
            .set("version", Value::text(env!("CARGO_PKG_VERSION")));
        Ok(Self { capabilities: capabilities.to_raw()?, client_info: info.to_raw()? })
    }

    pub(crate) fn initialize(&self) -> Splice<'_> {
        let mut params = Splice::new();
        params
            .set("protocolVersion", Value::text(Revision::NEWEST_LEGACY.as_str()))
            .set("capabilities", Value::Raw(&self.capabilities))
            .set("clientInfo", Value::Raw(&self.client_info));
        params
    }

    /// Puts what every modern request carries into its `_meta`; a caller may be able to do more or
    /// less than we say in general.
    pub(crate) fn sign<'a>(&'a self, meta: &mut Splice<'a>, own: Option<&RawValue>) {
        let capabilities = match own {
            Some(own) => Value::Owned(own.to_owned()),
            None => Value::Raw(&self.capabilities),
        };
        meta.set(meta::PROTOCOL_VERSION, Value::text(Revision::NEWEST.as_str()))
            .set(meta::CLIENT_CAPABILITIES, capabilities)
            .set(meta::CLIENT_INFO, Value::Raw(&self.client_info));
    }
}
