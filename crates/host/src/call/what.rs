//! What a caller asks for.

use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolgate_types::{Caller, LogLevel, Retry, ServerId};
use toolgate_upstream::Progress;

use crate::{Audience, ToolEntry};

/// Which tool.
#[derive(Debug, Clone)]
pub enum Target {
    /// By any form of its public name, as this audience sees it.
    Named { audience: Audience, name: String },
    /// By its server and the server's own name for it.
    Exact { audience: Audience, server: ServerId, tool: String },
    /// As it was listed.
    Listed(Arc<ToolEntry>),
}

impl Target {
    pub fn named(name: impl Into<String>) -> Self {
        Self::Named { audience: Audience::MODEL, name: name.into() }
    }

    /// For whoever sees each server as its trust says.
    pub fn exact(server: ServerId, tool: impl Into<String>) -> Self {
        Self::Exact { audience: Audience::MODEL, server, tool: tool.into() }
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Named { name, .. } => name,
            Self::Exact { tool, .. } => tool,
            Self::Listed(entry) => entry.name(),
        }
    }
}

/// One call. What is not set has the configured or the usual value.
#[derive(Debug, Clone)]
pub struct Call {
    pub target: Target,
    /// An object, as the bytes the caller sent.
    pub arguments: Option<Box<RawValue>>,
    pub options: Options,
}

/// How something is done for a caller.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// `_meta` of the caller, passed on.
    pub meta: Option<Box<RawValue>>,
    pub caller: Option<Caller>,
    /// The answers to what the server asked the last time.
    pub retry: Option<Retry>,
    /// The caller waits no longer than this.
    pub deadline: Option<Duration>,
    pub cancel: CancellationToken,
    pub progress: Option<mpsc::Sender<Progress>>,
    pub log_level: Option<LogLevel>,
}

impl Call {
    pub fn new(target: Target) -> Self {
        Self { target, arguments: None, options: Options::default() }
    }

    pub fn arguments(self, arguments: Box<RawValue>) -> Self {
        Self { arguments: Some(arguments), ..self }
    }

    pub fn options(self, options: Options) -> Self {
        Self { options, ..self }
    }
}
