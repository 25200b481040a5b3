//! Something that a server does for the person at the command line: connected, carried out in view
//! of the person, and its failure in the words of every surface.

use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use toolgate_host::Options;
use toolgate_types::{
    CallError, Caller, Code, CorrelationId, Done, Outcome, Principal, ServerId, visible,
};

use crate::args::Carrying;
use crate::failure::{Exit, Failure};
use crate::hosting::{Hosted, Wish, server_id, with_host};
use crate::listing::Missing;
use crate::output::Output;
use crate::surroundings::Surroundings;

/// Reports that wait to be shown; a server that sends more is heard a little later.
const REPORTS: usize = 64;

/// Who does it, and with which tool if it is one that does.
#[derive(Clone, Copy)]
pub(crate) struct Doer<'a> {
    pub(crate) server: &'a str,
    pub(crate) tool: Option<&'a str>,
}

/// What came of it.
pub(crate) struct Carried {
    /// The tool says that it failed.
    pub(crate) is_error: bool,
    /// As it came.
    pub(crate) result: Box<RawValue>,
    /// Under which it was recorded.
    pub(crate) correlation: CorrelationId,
}

/// Why nothing came of it.
pub(crate) enum NotDone {
    /// Nothing was asked of the server.
    Before(Failure),
    /// There is no connection.
    Unconnected(Missing),
    Failed(Box<CallError>),
    /// The server has a question that nobody here can answer.
    Asked(CorrelationId),
}

impl From<Failure> for NotDone {
    fn from(failure: Failure) -> Self {
        Self::Before(failure)
    }
}

impl From<CallError> for NotDone {
    fn from(error: CallError) -> Self {
        Self::Failed(Box::new(error))
    }
}

/// Connects to a server and has it do something.
pub(crate) fn carry_out(
    doer: Doer<'_>,
    how: &Carrying,
    surroundings: &Surroundings,
    output: &mut Output,
    work: impl AsyncFnOnce(&Hosted, &ServerId, Options) -> Result<Outcome, NotDone>,
) -> Result<Carried, Failure> {
    let server = doer.server;
    let wish = Wish { only: Some(server), role: None, cached: false, answers: true };
    let carried = with_host(wish, surroundings, output, async |hosted| {
        let id = server_id(server)?;
        hosted.connect().await?;
        if let Some(missing) = hosted.missing(|status| status.connection.is_some()).pop() {
            return Err(NotDone::Unconnected(missing));
        }
        hosted.progress.doing(&format!("waiting for {server}"));
        let options = Options {
            caller: Some(Caller {
                client: Some(concat!("toolgate ", env!("CARGO_PKG_VERSION")).to_owned()),
                ..Caller::new(Principal::local_user(), &surroundings.cwd)
            }),
            deadline: how.deadline(),
            cancel: hosted.interrupted.clone(),
            ..Options::default()
        };
        let work = async |options| work(hosted, &id, options).await;
        let outcome = in_view(hosted, options, work).await?;
        let correlation = hosted.progress.correlation().unwrap_or_else(CorrelationId::next);
        match outcome {
            Outcome::Done(Done { is_error, result }) => {
                Ok(Carried { is_error, result, correlation })
            }
            Outcome::InputRequired(_) => Err(NotDone::Asked(correlation)),
        }
    })?;
    carried.map_err(|not_done| not_done.explain(doer, output))
}

/// Waits for the outcome and shows the server's reports meanwhile.
async fn in_view(
    hosted: &Hosted,
    options: Options,
    work: impl AsyncFnOnce(Options) -> Result<Outcome, NotDone>,
) -> Result<Outcome, NotDone> {
    let (sender, mut reports) = mpsc::channel(REPORTS);
    let progress = hosted.progress.is_watched().then_some(sender);
    let options = Options { progress, ..options };
    let mut work = std::pin::pin!(work(options));
    let outcome = loop {
        tokio::select! {
            Some(report) = reports.recv() => hosted.progress.report(&report),
            outcome = &mut work => break outcome,
        }
    };
    // What came together with the answer.
    while let Ok(report) = reports.try_recv() {
        hosted.progress.report(&report);
    }
    outcome
}

/// An error as programs read it.
#[derive(Serialize)]
struct Told<'a> {
    code: &'a str,
    message: &'a str,
    /// None where nothing was asked of the server.
    #[serde(rename = "correlationId")]
    correlation: Option<&'a str>,
}

#[derive(Serialize)]
struct ErrorDocument<'a> {
    error: Told<'a>,
}

impl NotDone {
    fn explain(self, doer: Doer<'_>, output: &mut Output) -> Failure {
        let mut tell = |code: Code, message: &str, correlation: Option<&CorrelationId>| {
            if output.json {
                let correlation = correlation.map(CorrelationId::as_str);
                output.document_of(&ErrorDocument {
                    error: Told { code: code.as_str(), message, correlation },
                });
            }
        };
        match self {
            Self::Before(failure) => failure,
            Self::Unconnected(missing) => {
                tell(missing.code(), &missing.sentence(), None);
                missing.failure()
            }
            Self::Asked(correlation) => {
                let code = Code::PermissionDenied;
                let message = "the server asks for something that nobody here can answer";
                tell(code, message, Some(&correlation));
                let failure = Failure::new(format!("{message} ({code}, ref {correlation})"));
                failure.exits(Exit::Denied)
            }
            Self::Failed(error) => {
                tell(error.code, &error.message, Some(&error.correlation));
                if let Some(detail) = &error.detail {
                    output.detail(visible(detail));
                }
                let failure = Failure::new(&error).exits(exit_of(error.code));
                match hint(&error, doer) {
                    Some(hint) => failure.hint(hint),
                    None => failure,
                }
            }
        }
    }
}

fn exit_of(code: Code) -> Exit {
    match code {
        Code::PermissionDenied => Exit::Denied,
        Code::Unauthenticated => Exit::LoginNeeded,
        Code::Unavailable | Code::DeadlineExceeded => Exit::Unreachable,
        Code::Cancelled => Exit::Interrupted,
        Code::Internal | Code::InvalidArgument | Code::NotFound | Code::ResourceExhausted => {
            Exit::Error
        }
    }
}

fn hint(error: &CallError, Doer { server, tool }: Doer<'_>) -> Option<String> {
    match (error.code, tool) {
        // In the guard's word; a server that refuses is no matter of approval.
        (Code::PermissionDenied, Some(tool))
            if error.answer.is_none() && error.message.ends_with("(no_channel)") =>
        {
            let (key, tool) = (bare_or_quoted(tool), visible(tool));
            Some(format!(
                "set approval = \"approve\" on the server, or for one tool under \
                 [servers.{server}.tools.{key}]; for the reason: toolgate explain {server} {tool}"
            ))
        }
        (Code::Unauthenticated, _) => Some("it needs a login or a token".to_owned()),
        (Code::Unavailable, _) => Some(format!("see `toolgate test {server}`")),
        _ => None,
    }
}

/// A key as TOML wants it.
fn bare_or_quoted(key: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    match !key.is_empty() && key.chars().all(is_bare) {
        true => key.to_owned(),
        false => format!("{:?}", visible(key)),
    }
}
