//! What a caller asks for.

use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolgate_types::{
    Caller, CommandPiece, LogLevel, QuietSender, RetryAnswers, ServerId, SessionOverrides,
    TraceParent,
};
use toolgate_upstream::{Attendant, ServerRemark};

use crate::{Audience, AudienceAddress, ToolEntry};

/// Which tool.
#[derive(Debug, Clone)]
pub enum CallTarget {
    /// By any form of its public name, as this audience sees it.
    Named {
        /// Who calls.
        audience: Audience,
        /// The name as it was listed.
        name: Arc<str>,
    },
    /// By its server and the server's own name for it.
    Exact {
        /// Who calls.
        audience: Audience,
        /// The id of the server.
        server: ServerId,
        /// What the server calls it.
        tool: String,
    },
    /// As it was listed.
    Listed(Arc<ToolEntry>),
}

impl CallTarget {
    /// A tool by its listed name, for a model.
    pub fn named(name: impl Into<Arc<str>>) -> Self {
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

    /// For who keeps it.
    pub(crate) fn shared_name(&self) -> Arc<str> {
        match self {
            Self::Named { name, .. } => Arc::clone(name),
            Self::Exact { .. } | Self::Listed(_) => self.name().into(),
        }
    }
}

/// One call. What is not set has the configured or the usual value.
#[derive(Debug, Clone)]
pub struct Call {
    /// Which tool.
    pub target: CallTarget,
    /// An object, as the bytes the caller sent.
    pub arguments: Option<Arc<RawValue>>,
    /// How it is called, and for whom.
    pub options: CallOptions,
}

/// How something is done for a caller.
#[derive(Debug, Clone, Default)]
pub struct CallOptions {
    /// `_meta` of the caller, passed on.
    pub meta: Option<Box<RawValue>>,
    /// Members of the request's `params` that nobody here knows, as an object. They are passed on unless
    /// a person had to be asked, who was not shown them.
    pub unknown: Option<Box<RawValue>>,
    /// Who calls; without one it is this program, for the local user.
    pub caller: Option<Arc<Caller>>,
    /// The part of what is configured that the caller sees. For the call of a tool, its target says
    /// that.
    pub address: AudienceAddress,
    /// The answers to what the server asked the last time.
    pub retry: Option<RetryAnswers>,
    /// The caller waits no longer than this.
    pub deadline: Option<Duration>,
    /// The server may take no longer than this, however long a person was asked before.
    pub within: Option<Duration>,
    /// Ends the call when it is cancelled, as dropping it does.
    pub cancel: Option<CancellationToken>,
    /// Where what the server says of it meanwhile goes, in its order: an end of a [`crate::quiet_queue`].
    pub remarks: Option<QuietSender<ServerRemark>>,
    /// Where what a command tool prints goes while it runs, where its entry allows that. What is not
    /// taken from there slows the command down, and nothing of it is lost.
    pub output: Option<mpsc::Sender<CommandPiece>>,
    /// Who is asked what servers ask meanwhile; by default the host's own asker.
    pub attendant: Option<Attendant>,
    /// How much the server is asked to say of what it does.
    pub log_level: Option<LogLevel>,
    /// Who reads the result.
    pub reader: ResultReader,
}

impl CallOptions {
    /// What the caller's session changes about command tools.
    pub(crate) fn overrides(&self) -> Option<&SessionOverrides> {
        self.caller.as_ref()?.overrides.as_deref()
    }

    /// The caller's trace, if `_meta` names one.
    pub(crate) fn trace(&self) -> Option<TraceParent> {
        TraceParent::of_meta(self.meta.as_deref()?)
    }
}

/// Who reads a result: what they can take, and how much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultReader {
    /// Whether images, sound and other binary data come as they are. Otherwise a reference with
    /// type, size and hash takes their place.
    pub takes_media: bool,
    /// The most text of a result that is passed on whole. Where the tool has a limit of its own,
    /// the smaller of the two holds; where neither has one, that of the configuration.
    pub result_bytes: Option<u64>,
    /// Whether a result that is too long to hold may come as [`OperationOutcome::DoneAtLength`], where
    /// that much text passes. Otherwise its beginning comes, and a reference.
    ///
    /// [`OperationOutcome::DoneAtLength`]: toolgate_types::OperationOutcome::DoneAtLength
    pub takes_length: bool,
}

impl Default for ResultReader {
    fn default() -> Self {
        Self { takes_media: true, result_bytes: None, takes_length: false }
    }
}

impl Call {
    /// A call without arguments.
    pub fn new(target: CallTarget) -> Self {
        Self { target, arguments: None, options: CallOptions::default() }
    }

    /// With these arguments, an object.
    pub fn arguments(self, arguments: impl Into<Arc<RawValue>>) -> Self {
        Self { arguments: Some(arguments.into()), ..self }
    }

    /// Called in this way.
    pub fn options(self, options: CallOptions) -> Self {
        Self { options, ..self }
    }
}
