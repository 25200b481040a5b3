//! A command's word with the daemon, over `control.sock`: one question, one answer, and for what takes
//! longer a conversation.

mod approvals;
mod conversation;
mod stop;

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_types::Variables;
use toolgate_wire::ErrorCode;

use crate::attach::check_peer;
use crate::{
    CHECK_LINEAGE, CommandExit, CommandFailure, LineageAnswer, LineageRequest, RunFolder,
    SWITCH_WINDOWS, ServerRunRequest, ServerRuns, Standpoint, StatusReport, StatusRequest,
    StatusScope, WindowSwitchAnswer, WindowSwitchRequest,
};
pub use conversation::ConversationPartner;
pub use stop::{reload_daemon, stop_daemon};

/// What a command says that wants no answer any more to anything it asked so far.
pub const CANCEL_REQUEST: &str = "cancel";

/// What a command is told about a question, by its `id`, whose answer nobody wants any more.
pub const QUESTION_TAKEN_BACK: &str = "taken_back";

/// A daemon that does not answer within this is not well.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a server may take to be there again; its own time to start is a part of that.
const START: Duration = Duration::from_secs(120);

/// How long it is waited for where there is another who can be asked.
const SOON: Duration = Duration::from_secs(2);

/// The way to a daemon that runs.
#[derive(Debug)]
pub struct ControlClient {
    stream: UnixStream,
}

/// Which daemon it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DaemonInfo {
    pub version: String,
    pub pid: u32,
    /// In milliseconds since 1970.
    pub since: u64,
    /// Whether a person started it.
    pub stays: bool,
    /// Where it listens for others than shims; the first of these.
    pub endpoint: Option<String>,
    /// All of them, the first that was opened first.
    #[serde(default)]
    pub endpoints: Vec<String>,
    pub windows: usize,
}

/// It was done.
#[derive(Debug, Serialize, Deserialize)]
pub struct NoResult {}

#[derive(Deserialize)]
struct RawAnswer<'a> {
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<RefusedAnswer>,
}

#[derive(Deserialize)]
struct RefusedAnswer {
    message: String,
}

/// What the daemon answered.
#[derive(Debug)]
pub enum ControlReply {
    Result(Box<RawValue>),
    /// It is another version, which does not know what was asked.
    NotUnderstood(String),
    Failed(String),
}

impl ControlReply {
    fn of_error(code: ErrorCode, message: String) -> Self {
        match code {
            ErrorCode::METHOD_NOT_FOUND | ErrorCode::INVALID_PARAMS => Self::NotUnderstood(message),
            _ => Self::Failed(message),
        }
    }
}

impl ControlClient {
    /// `None` where no daemon runs.
    pub fn find(variables: &Variables) -> Result<Option<Self>, CommandFailure> {
        let Some(folder) = RunFolder::find(variables)? else { return Ok(None) };
        let Ok(stream) = UnixStream::connect(folder.control_socket()) else { return Ok(None) };
        check_peer(&stream)?;
        let patient = stream.set_read_timeout(Some(PATIENCE));
        patient.map_err(|error| CommandFailure::new(format!("the daemon's socket: {error}")))?;
        Ok(Some(Self { stream }))
    }

    /// The daemon, or the words for that there is none.
    pub fn reach(variables: &Variables) -> Result<Self, CommandFailure> {
        let none = || {
            CommandFailure::new("no daemon runs")
                .hint("`toolgate stdio` in a client's configuration starts one; so does `toolgate serve`")
                .exits(CommandExit::Unreachable)
        };
        Self::find(variables)?.ok_or_else(none)
    }

    pub fn info(&self) -> Result<DaemonInfo, CommandFailure> {
        self.ask("daemon.info", &())
    }

    /// How the servers of all folders are doing; or, of a folder that nobody works in, what is
    /// configured there.
    pub fn list(&self, configured: Option<Standpoint>) -> Result<StatusReport, CommandFailure> {
        let scope =
            if configured.is_some() { StatusScope::Configured } else { StatusScope::Loaded };
        self.ask("mcp.list", &StatusRequest { scope, workspace: None, standpoint: configured })
    }

    /// Has it read its configuration again, and waits for that.
    pub fn reload(&self) -> Result<(), CommandFailure> {
        self.ask::<NoResult>("config.reload", &()).map(drop)
    }

    /// Has it ask servers for their tools that nobody asked yet, and does not wait for that.
    pub fn warm(&self) -> Result<(), CommandFailure> {
        self.ask::<NoResult>("config.warm", &()).map(drop)
    }

    /// Has windows do without a server, or have it again.
    pub fn switch_windows(
        &self,
        wish: &WindowSwitchRequest,
    ) -> Result<WindowSwitchAnswer, CommandFailure> {
        self.ask(SWITCH_WINDOWS, wish)
    }

    /// Asks it to end if nobody uses it.
    pub fn retire(&self) -> Result<(), CommandFailure> {
        self.ask::<NoResult>("daemon.retire", &()).map(drop)
    }

    /// Whether an agent that is attached may have started this process.
    pub fn is_an_agents(&self, wish: &LineageRequest) -> Result<bool, CommandFailure> {
        let soon = self.stream.set_read_timeout(Some(SOON));
        soon.map_err(|error| CommandFailure::new(format!("the daemon's socket: {error}")))?;
        self.ask::<LineageAnswer>(CHECK_LINEAGE, wish).map(|checked| checked.is_an_agents)
    }

    /// Ends one server, or starts it anew, and waits for that.
    pub fn run_server(&self, method: &str, server: &str) -> Result<ServerRuns, CommandFailure> {
        let patient = self.stream.set_read_timeout(Some(START));
        patient.map_err(|error| CommandFailure::new(format!("the daemon's socket: {error}")))?;
        self.ask(method, &ServerRunRequest { server: server.to_owned() })
    }

    pub fn stop(&self) -> Result<(), CommandFailure> {
        self.ask::<NoResult>("daemon.stop", &()).map(drop)
    }

    fn ask<T: for<'a> Deserialize<'a>>(
        &self,
        method: &str,
        params: &impl Serialize,
    ) -> Result<T, CommandFailure> {
        #[derive(Serialize)]
        struct Request<'a, P> {
            jsonrpc: &'static str,
            id: u32,
            method: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            params: Option<P>,
        }
        let lost = |why: String| {
            CommandFailure::new(format!("the daemon does not answer: {why}"))
                .exits(CommandExit::Unreachable)
        };
        let params = serde_json::value::to_raw_value(params).map_err(CommandFailure::new)?;
        let params = Some(params).filter(|params| params.get() != "null");
        let request = Request { jsonrpc: "2.0", id: 1, method, params };
        let mut line = serde_json::to_vec(&request).map_err(CommandFailure::new)?;
        line.push(b'\n');
        let mut answer = String::new();
        let asked = (&self.stream)
            .write_all(&line)
            .and_then(|()| BufReader::new(&self.stream).read_line(&mut answer));
        asked.map_err(|error| lost(error.to_string()))?;
        let answer: RawAnswer<'_> =
            serde_json::from_str(&answer).map_err(|error| lost(error.to_string()))?;
        match (answer.result, answer.error) {
            (Some(result), None) => {
                serde_json::from_str(result.get()).map_err(|error| lost(error.to_string()))
            }
            (_, error) => Err(CommandFailure::new(
                error.map_or_else(|| "it failed".to_owned(), |e| e.message),
            )),
        }
    }
}
