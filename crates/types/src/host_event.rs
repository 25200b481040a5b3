//! What happens in a host, for whoever shows or keeps it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;

use crate::{
    Code, CorrelationId, ListKind, NetworkDecision, Secret, ServerId, ServerState, Severity,
    TraceParent,
};

/// Something that happened.
#[derive(Debug)]
pub enum HostEvent {
    /// A server's state changed.
    State {
        server: ServerId,
        state: ServerState,
        error: Option<String>,
    },
    /// Every server that starts with the host has started or failed.
    StartupComplete {
        ready: Vec<ServerId>,
        failed: Vec<(ServerId, String)>,
    },
    /// A server's list is no longer what it was.
    ListChanged {
        server: ServerId,
        list: ListKind,
    },
    /// A server's list came, and is not what was known of it.
    ListCame {
        server: ServerId,
        list: ListKind,
    },
    /// A server that is known has tools that it did not have before; they are accepted as they are.
    Pinned {
        server: ServerId,
        tools: Vec<String>,
    },
    /// A tool is no longer defined as it was accepted. Told once for each new definition.
    Drifted {
        server: ServerId,
        tool: String,
        severity: Severity,
    },
    /// A server says something else of how to use it than was accepted. Told once for each new text.
    InstructionsChanged {
        server: ServerId,
    },
    /// What was accepted of a server could not be read or kept. What this process knows of it holds;
    /// where it knows nothing, the server is believed as it is.
    PinsFailed {
        server: ServerId,
        error: String,
    },
    ResourceUpdated {
        server: ServerId,
        uri: String,
    },
    /// Something that a confined server wanted of a network of names. Told once for each host and outcome,
    /// to one of those who have the server.
    Network {
        server: ServerId,
        decision: NetworkDecision,
    },
    /// A server answers only after a login.
    LoginNeeded {
        server: ServerId,
    },
    /// What a person was to do at a page of a server is done; the server's own words, raw.
    ElicitationComplete {
        server: ServerId,
        params: Box<RawValue>,
    },
    /// A log message of a server, raw.
    Log {
        server: ServerId,
        message: Box<RawValue>,
    },
    CallBegan {
        call: Arc<CallRef>,
    },
    CallEnded {
        call: Arc<CallRef>,
        duration: Duration,
        ending: CallEnding,
    },
}

/// Which call.
#[derive(Debug, Clone)]
pub struct CallRef {
    pub correlation: CorrelationId,
    pub server: Option<ServerId>,
    /// What was asked for: `call`, `read`, `prompt`, …
    pub word: &'static str,
    /// The name or URI as the server knows it, or as the caller gave it where nobody does.
    pub target: Arc<str>,
    /// Where it belongs in a trace of the caller.
    pub trace: Option<TraceParent>,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallEnding {
    Done,
    /// The tool says that it failed.
    ToolError,
    /// It goes on when the caller comes back with answers.
    InputRequired,
    /// It goes on as a task.
    Task,
    Failed(Code),
    /// Nobody waited for it any more.
    Aborted,
}

words! {
    /// How much a server is asked to say of what it does, the least severe first.
    LogLevel {
        Debug = "debug",
        Info = "info",
        Notice = "notice",
        Warning = "warning",
        Error = "error",
        Critical = "critical",
        Alert = "alert",
        Emergency = "emergency",
    }
}

impl LogLevel {
    /// From here on a caller hears a server that speaks unasked, where it never said what it wants.
    pub const UNASKED: Self = Self::Info;

    /// The one level of a server that all of these use: low enough for each that said what it wants,
    /// and, where somebody did, for those who never said. Nothing where nobody did.
    pub fn lowest_of(wanted: &[Option<Self>]) -> Option<Self> {
        let said = wanted.iter().any(Option::is_some);
        let is_wanted =
            |level: &Self| wanted.iter().any(|one| one.unwrap_or(Self::UNASKED) == *level);
        Self::ALL.iter().copied().find(is_wanted).filter(|_| said)
    }
}

/// Someone who is told. Called where things happen: it must not wait.
pub trait HostListener: Send + Sync {
    fn happened(&self, event: HostEvent);

    /// A local server wrote a line to its standard error: as it came, neither masked nor visible.
    fn complained(&self, _server: &ServerId, _line: &str) {}

    /// A token that a server is shown from now on: a secret wherever it turns up.
    fn shown_token(&self, _token: &Secret) {}
}

/// A listener who is never there.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoListener;

impl HostListener for NoListener {
    fn happened(&self, _: HostEvent) {}
}
