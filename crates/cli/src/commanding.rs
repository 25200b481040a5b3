//! A command's word with the daemon, over `control.sock`: one question, one answer, and for what takes
//! longer a conversation.

mod approving;
mod conversing;
mod ending;

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_config::Variables;
use toolgate_wire::ErrorCode;

use crate::errand::words::Standpoint;
use crate::failure::{Exit, Failure};
use crate::lineage::{self, Checked, Wish};
use crate::rundir::RunFolder;
use crate::standing::{Listed, Listing, Scope};
pub(crate) use conversing::Company;
pub(crate) use ending::{look_again, stop};

/// A daemon that does not answer within this is not well.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long it is waited for where there is another who can be asked.
const SOON: Duration = Duration::from_secs(2);

/// The way to a daemon that runs.
#[derive(Debug)]
pub(crate) struct Commander {
    stream: UnixStream,
}

/// Which daemon it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Info {
    pub(crate) version: String,
    pub(crate) pid: u32,
    /// In milliseconds since 1970.
    pub(crate) since: u64,
    /// Whether a person started it.
    pub(crate) stays: bool,
    pub(crate) endpoint: Option<String>,
    pub(crate) windows: usize,
}

/// It was done.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Nothing {}

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<Refusal>,
}

#[derive(Deserialize)]
struct Refusal {
    message: String,
}

/// What the daemon answered.
pub(crate) enum Reply {
    Result(Box<RawValue>),
    /// It is another version, which does not know what was asked.
    NotUnderstood(String),
    Failed(String),
}

impl Reply {
    fn of_error(code: ErrorCode, message: String) -> Self {
        match code {
            ErrorCode::METHOD_NOT_FOUND | ErrorCode::INVALID_PARAMS => Self::NotUnderstood(message),
            _ => Self::Failed(message),
        }
    }
}

impl Commander {
    /// `None` where no daemon runs.
    pub(crate) fn find(variables: &Variables) -> Result<Option<Self>, Failure> {
        let Some(folder) = RunFolder::find(variables)? else { return Ok(None) };
        let Ok(stream) = UnixStream::connect(folder.control_socket()) else { return Ok(None) };
        crate::attaching::check_peer(&stream)?;
        let patient = stream.set_read_timeout(Some(PATIENCE));
        patient.map_err(|error| Failure::new(format!("the daemon's socket: {error}")))?;
        Ok(Some(Self { stream }))
    }

    /// The daemon, or the words for that there is none.
    pub(crate) fn reach(variables: &Variables) -> Result<Self, Failure> {
        let none = || {
            Failure::new("no daemon runs")
                .hint("`toolgate stdio` in a client's configuration starts one; so does `toolgate serve`")
                .exits(Exit::Unreachable)
        };
        Self::find(variables)?.ok_or_else(none)
    }

    pub(crate) fn info(&self) -> Result<Info, Failure> {
        self.ask("daemon.info", &())
    }

    /// How the servers of all folders are doing; or, of a folder that nobody works in, what is
    /// configured there.
    pub(crate) fn list(&self, configured: Option<Standpoint>) -> Result<Listed, Failure> {
        let scope = if configured.is_some() { Scope::Configured } else { Scope::Loaded };
        self.ask("mcp.list", &Listing { scope, workspace: None, standpoint: configured })
    }

    /// Has it read its configuration again, and waits for that.
    pub(crate) fn reload(&self) -> Result<(), Failure> {
        self.ask::<Nothing>("config.reload", &()).map(drop)
    }

    /// Asks it to end if nobody uses it.
    pub(crate) fn retire(&self) -> Result<(), Failure> {
        self.ask::<Nothing>("daemon.retire", &()).map(drop)
    }

    /// Whether an agent that is attached may have started this process.
    pub(crate) fn is_an_agents(&self, wish: &Wish) -> Result<bool, Failure> {
        let soon = self.stream.set_read_timeout(Some(SOON));
        soon.map_err(|error| Failure::new(format!("the daemon's socket: {error}")))?;
        self.ask::<Checked>(lineage::CHECK, wish).map(|checked| checked.is_an_agents)
    }

    pub(crate) fn stop(&self) -> Result<(), Failure> {
        self.ask::<Nothing>("daemon.stop", &()).map(drop)
    }

    fn ask<T: for<'a> Deserialize<'a>>(
        &self,
        method: &str,
        params: &impl Serialize,
    ) -> Result<T, Failure> {
        #[derive(Serialize)]
        struct Request<'a, P> {
            jsonrpc: &'static str,
            id: u32,
            method: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            params: Option<P>,
        }
        let lost = |why: String| {
            Failure::new(format!("the daemon does not answer: {why}")).exits(Exit::Unreachable)
        };
        let params = serde_json::value::to_raw_value(params).map_err(Failure::new)?;
        let params = Some(params).filter(|params| params.get() != "null");
        let request = Request { jsonrpc: "2.0", id: 1, method, params };
        let mut line = serde_json::to_vec(&request).map_err(Failure::new)?;
        line.push(b'\n');
        let mut answer = String::new();
        let asked = (&self.stream)
            .write_all(&line)
            .and_then(|()| BufReader::new(&self.stream).read_line(&mut answer));
        asked.map_err(|error| lost(error.to_string()))?;
        let answer: Answer<'_> =
            serde_json::from_str(&answer).map_err(|error| lost(error.to_string()))?;
        match (answer.result, answer.error) {
            (Some(result), None) => {
                serde_json::from_str(result.get()).map_err(|error| lost(error.to_string()))
            }
            (_, error) => {
                Err(Failure::new(error.map_or_else(|| "it failed".to_owned(), |e| e.message)))
            }
        }
    }
}
