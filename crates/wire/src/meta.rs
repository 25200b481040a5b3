//! `_meta`: the reserved keys, and what a request says in them.
//!
//! Reading takes out the few keys the protocol defines and leaves the object as it is, so that keys
//! of extensions and of other vendors go on unharmed. Changing is [`crate::Splice`]'s.

use std::borrow::Cow;
use std::str::FromStr;

use serde_json::value::RawValue;
use thiserror::Error;

use crate::object::{ObjectError, text_of};
use crate::{MessageId, RawObject, Request};

pub const META: &str = "_meta";
pub const PROGRESS_TOKEN: &str = "progressToken";
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
pub const TRACE_PARENT: &str = "traceparent";
pub const TRACE_STATE: &str = "tracestate";
pub const BAGGAGE: &str = "baggage";

/// The `_meta` of a request or notification. A key that is missing is `None`; one of the wrong
/// type is an error.
#[derive(Debug, Clone, Default)]
pub struct RequestMeta<'a> {
    pub protocol_version: Option<Cow<'a, str>>,
    pub client_capabilities: Option<&'a RawValue>,
    pub client_info: Option<&'a RawValue>,
    pub log_level: Option<LogLevel>,
    pub progress_token: Option<MessageId<'a>>,
    pub subscription_id: Option<MessageId<'a>>,
    pub traceparent: Option<Cow<'a, str>>,
    pub tracestate: Option<Cow<'a, str>>,
    pub baggage: Option<Cow<'a, str>>,
    /// All of it, keys unknown to us included.
    pub object: Option<RawObject<'a>>,
}

/// What every modern request must say of itself.
#[derive(Debug, Clone)]
pub struct ModernMeta<'a> {
    pub protocol_version: Cow<'a, str>,
    pub client_capabilities: RawObject<'a>,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MetaError {
    #[error("`_meta`: {0}")]
    Object(#[from] ObjectError),
    #[error("`_meta` has a value of the wrong type for `{key}`")]
    WrongType { key: &'static str },
    #[error("`_meta` lacks `{key}`")]
    Missing { key: &'static str },
}

impl<'a> RequestMeta<'a> {
    /// Of a request, which was read already as far as it is an object.
    pub fn of_request(request: &Request<'a>) -> Result<Self, MetaError> {
        match &request.meta {
            Some(object) => Self::of_object(RawObject::clone(object)),
            None => Self::of(request.params.as_ref()),
        }
    }

    /// Reads the `_meta` of these parameters; no `_meta` says nothing.
    pub fn of(params: Option<&RawObject<'a>>) -> Result<Self, MetaError> {
        match params.and_then(|params| params.get_some(META)) {
            Some(raw) => Self::of_object(RawObject::parse(raw)?),
            None => Ok(Self::default()),
        }
    }

    fn of_object(object: RawObject<'a>) -> Result<Self, MetaError> {
        Ok(Self {
            protocol_version: read(&object, PROTOCOL_VERSION, text_of)?,
            client_capabilities: object.get_some(CLIENT_CAPABILITIES),
            client_info: object.get_some(CLIENT_INFO),
            log_level: read(&object, LOG_LEVEL, |raw| text_of(raw)?.parse().ok())?,
            progress_token: read(&object, PROGRESS_TOKEN, MessageId::from_raw)?,
            subscription_id: read(&object, SUBSCRIPTION_ID, MessageId::from_raw)?,
            traceparent: read(&object, TRACE_PARENT, text_of)?,
            tracestate: read(&object, TRACE_STATE, text_of)?,
            baggage: read(&object, BAGGAGE, text_of)?,
            object: Some(object),
        })
    }

    /// What a modern request must carry; its absence is answered with
    /// [`crate::ErrorCode::INVALID_PARAMS`].
    pub fn modern(&self) -> Result<ModernMeta<'a>, MetaError> {
        let protocol_version =
            self.protocol_version.clone().ok_or(MetaError::Missing { key: PROTOCOL_VERSION })?;
        let raw =
            self.client_capabilities.ok_or(MetaError::Missing { key: CLIENT_CAPABILITIES })?;
        let client_capabilities =
            RawObject::parse(raw).map_err(|_| MetaError::WrongType { key: CLIENT_CAPABILITIES })?;
        Ok(ModernMeta { protocol_version, client_capabilities })
    }
}

fn read<'a, T>(
    object: &RawObject<'a>,
    key: &'static str,
    read: impl FnOnce(&'a RawValue) -> Option<T>,
) -> Result<Option<T>, MetaError> {
    match object.get_some(key) {
        None => Ok(None),
        Some(raw) => read(raw).map(Some).ok_or(MetaError::WrongType { key }),
    }
}

/// How much a request wants to be told, the least severe first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogLevel {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a log level")]
pub struct UnknownLevel;

impl LogLevel {
    const ALL: [(Self, &str); 8] = [
        (Self::Debug, "debug"),
        (Self::Info, "info"),
        (Self::Notice, "notice"),
        (Self::Warning, "warning"),
        (Self::Error, "error"),
        (Self::Critical, "critical"),
        (Self::Alert, "alert"),
        (Self::Emergency, "emergency"),
    ];

    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(level, _)| *level == self).map_or("", |(_, name)| name)
    }
}

impl FromStr for LogLevel {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Self, UnknownLevel> {
        let known = Self::ALL.iter().find(|(_, name)| *name == text);
        known.map(|(level, _)| *level).ok_or(UnknownLevel)
    }
}

#[cfg(test)]
mod tests;
