//! Something that a server does for the person at the command line: connected, carried out in view
//! of the person, and its failure in the words of every surface. What could not even be begun is
//! written down here; everything else the host writes down itself.

mod explaining;
mod unmade;
mod viewing;

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_control::Verbatim;
use toolgate_host::{Call, Options, Petition, Target};
use toolgate_types::{
    CallError, Caller, CorrelationId, Done, InputRequired, ListKind, Outcome, Principal, ServerId,
};

use crate::args::Carrying;
use crate::arguments::Arguments;
use crate::errand::{self, Errand, Place};
use crate::failure::Failure;
use crate::hosting::{Hosted, Readied, Wish, server_id};
use crate::output::Output;
use crate::surroundings::Surroundings;
pub(crate) use explaining::NotDone;

/// What the person calls with, as records name it.
const CLIENT: &str = concat!("toolgate ", env!("CARGO_PKG_VERSION"));

/// What is to be done, and by which server.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CarryOut {
    server: String,
    job: Job,
    /// How long the person waits at most.
    deadline_ms: Option<u64>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Job {
    /// It waits for a person's approval, or not.
    Call {
        tool: String,
        arguments: Arguments,
        waits: bool,
    },
    Read {
        uri: String,
    },
    Prompt {
        name: String,
        arguments: Option<Verbatim>,
    },
}

/// What came of it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Carried {
    /// The tool says that it failed.
    pub(crate) is_error: bool,
    /// As it came.
    pub(crate) result: Verbatim,
    /// Under which it was recorded.
    pub(crate) correlation: String,
}

/// Connects to a server and has it do something.
pub(crate) fn carry_out(
    server: &str,
    job: Job,
    how: &Carrying,
    surroundings: &Surroundings,
    output: &mut Output,
) -> Result<Carried, Failure> {
    let deadline_ms = how.timeout_ms;
    let errand = CarryOut { server: server.to_owned(), job, deadline_ms };
    let readied = Readied::of(&errand.wish(), surroundings, output)
        .inspect_err(|failure| unmade::record_refused(&errand, failure, surroundings))?;
    let place = Place::new(how.standalone);
    let carried = errand::run_readied(&errand, place, readied, surroundings, output)?;
    carried.map_err(|not_done| {
        let correlation = unmade::record(&errand, &not_done, surroundings);
        not_done.explain(&errand, correlation.as_deref(), output)
    })
}

impl CarryOut {
    /// In the words of records.
    fn word(&self) -> &'static str {
        match self.job {
            Job::Call { .. } => "call",
            Job::Read { .. } => "read",
            Job::Prompt { .. } => "prompt",
        }
    }

    /// What the server is to do it with or to.
    fn target(&self) -> &str {
        match &self.job {
            Job::Call { tool: name, .. } | Job::Prompt { name, .. } | Job::Read { uri: name } => {
                name
            }
        }
    }

    /// As far as they are known without a schema.
    fn arguments(&self) -> Option<Box<RawValue>> {
        match &self.job {
            Job::Call { arguments, .. } => arguments.object(None).ok(),
            Job::Prompt { arguments, .. } => arguments.as_ref().map(|given| given.0.clone()),
            Job::Read { .. } => None,
        }
    }

    /// The tool that does it, if it is one that does.
    fn tool(&self) -> Option<&str> {
        match &self.job {
            Job::Call { tool, .. } => Some(tool),
            Job::Read { .. } | Job::Prompt { .. } => None,
        }
    }
}

impl Errand for CarryOut {
    const METHOD: &'static str = "host.carry_out";
    type Product = Carried;
    type Trouble = NotDone;

    fn verb(&self) -> &'static str {
        match self.job {
            Job::Call { .. } => "call",
            Job::Read { .. } => "resources read",
            Job::Prompt { .. } => "prompts get",
        }
    }

    fn wish(&self) -> Wish<'_> {
        let waits = !matches!(self.job, Job::Call { waits: false, .. });
        Wish { only: Some(&self.server), role: None, cached: false, answers: true, waits }
    }

    async fn run(&self, hosted: &Hosted) -> Result<Carried, NotDone> {
        let id = server_id(&self.server)?;
        hosted.connect().await?;
        if let Some(missing) = hosted.missing(|status| status.connection.is_some()).pop() {
            return Err(NotDone::Unconnected(missing));
        }
        hosted.progress.doing(&format!("waiting for {}", self.server));
        let caller = Arc::new(Caller {
            client: Some(CLIENT.to_owned()),
            requester: hosted.requester.clone(),
            ..Caller::new(Principal::local_user(), &hosted.folder)
        });
        let options = Options {
            caller: Some(Arc::clone(&caller)),
            deadline: self.deadline_ms.map(Duration::from_millis),
            cancel: hosted.interrupted.clone(),
            attendant: hosted.attendant.clone(),
            ..Options::default()
        };
        let work = |options| self.job.done(hosted, &id, options);
        let how = (options, self.wish().waits);
        let outcome = viewing::in_view(hosted, &caller, how, work).await?;
        let correlation = hosted.progress.correlation();
        let correlation = correlation.unwrap_or_else(|| CorrelationId::next().to_string());
        match outcome {
            Some(Outcome::Done(Done { is_error, result })) => {
                Ok(Carried { is_error, result: Verbatim(result), correlation })
            }
            Some(Outcome::InputRequired(required)) if is_for_approval(&required) => {
                let reference = viewing::reference_of(hosted, &caller);
                Err(NotDone::Unapproved { reference, correlation })
            }
            None => Err(NotDone::Unapproved { reference: None, correlation }),
            Some(Outcome::InputRequired(_)) => Err(NotDone::Asked { correlation }),
        }
    }
}

impl Job {
    async fn done(
        &self,
        hosted: &Hosted,
        server: &ServerId,
        options: Options,
    ) -> Result<Outcome, NotDone> {
        let host = &hosted.host;
        let outcome: Result<Outcome, CallError> = match self {
            Self::Call { tool, arguments, waits: _ } => {
                let arguments = typed(arguments, hosted, server, tool).await?;
                let target = Target::exact(server.clone(), tool.clone());
                host.call(Call::new(target).arguments(arguments).options(options)).await
            }
            Self::Read { uri } => host.read_resource(server, uri, options).await,
            Self::Prompt { name, arguments } => {
                let arguments = arguments.as_ref().map(|arguments| arguments.0.clone());
                host.get_prompt(server, name, arguments, options).await
            }
        };
        Ok(outcome?)
    }
}

/// The arguments, each of the type that the tool's schema says.
async fn typed(
    given: &Arguments,
    hosted: &Hosted,
    server: &ServerId,
    tool: &str,
) -> Result<Box<RawValue>, Failure> {
    if !given.want_a_schema() {
        return given.object(None);
    }
    let found = hosted.host.found(&hosted.audience.address, ListKind::Tools, Some(server));
    let found = hosted.unless_interrupted(found).await?;
    let mut found = found.into_iter().map(|found| found.definition);
    let definition = found.find(|definition| definition.key == tool);
    given.object(definition.as_ref().and_then(|definition| definition.input_schema.as_deref()))
}

/// Whether it is we who ask, and not the server.
fn is_for_approval(required: &InputRequired) -> bool {
    required.questions.iter().any(|question| question.key == Petition::KEY)
}
