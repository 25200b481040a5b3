//! Something that a server does for the person at the command line: connected, and carried out in
//! view of the person.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_control::Verbatim;
use toolgate_host::CallOptions;
use toolgate_types::{Caller, CorrelationId, OperationOutcome, OperationResult, Principal};

use super::call_view::CallManner;
use super::carry_target::CarryTarget;
use super::shown_output::ShownOutput;
use super::{CarryFailure, CarryJob, Errand, ErrandHost, HostWish, call_view};

/// What the person calls with, as records name it.
pub(super) const CLIENT_NAME: &str = concat!("toolgate ", env!("CARGO_PKG_VERSION"));

/// What is to be done, and by which server.
#[derive(Debug, Serialize, Deserialize)]
pub struct CarryOut {
    /// Left out for the call of a tool by the name that agents see.
    pub server: Option<String>,
    pub job: CarryJob,
    /// How long the person waits at most.
    pub deadline_ms: Option<u64>,
}

/// What came of it.
#[derive(Debug, Serialize, Deserialize)]
pub struct CarriedCall {
    /// The tool says that it failed.
    pub is_error: bool,
    /// As it came.
    pub result: Verbatim,
    /// Under which it was recorded.
    pub correlation: String,
    /// Who did it; none where it is a tool of the host itself.
    pub server: Option<String>,
    /// With or to what, as the server calls it.
    pub target: String,
    /// How many parts of the result were shown while a command ran; none where nothing was.
    #[serde(default)]
    pub shown_parts: Option<usize>,
}

impl CarryOut {
    /// In the words of records.
    pub fn word(&self) -> &'static str {
        match self.job {
            CarryJob::Call { .. } => "call",
            CarryJob::Read { .. } => "read",
            CarryJob::Prompt { .. } => "prompt",
        }
    }

    /// What the server is to do it with or to.
    pub fn target(&self) -> &str {
        match &self.job {
            CarryJob::Call { tool: name, .. }
            | CarryJob::Prompt { name, .. }
            | CarryJob::Read { uri: name } => name,
        }
    }

    /// As far as they are known without a schema.
    pub fn arguments(&self) -> Option<Box<RawValue>> {
        match &self.job {
            CarryJob::Call { arguments, .. } => arguments.object(None).ok(),
            CarryJob::Prompt { arguments, .. } => arguments.as_ref().map(|given| given.0.clone()),
            CarryJob::Read { .. } => None,
        }
    }
}

impl Errand for CarryOut {
    const METHOD: &'static str = "host.carry_out";
    type Product = CarriedCall;
    type Trouble = CarryFailure;

    fn verb(&self) -> &'static str {
        match self.job {
            CarryJob::Call { .. } => "call",
            CarryJob::Read { .. } => "resources read",
            CarryJob::Prompt { .. } => "prompts get",
        }
    }

    fn wish(&self) -> HostWish<'_> {
        let waits = !matches!(self.job, CarryJob::Call { waits: false, .. });
        let only = self.server.as_deref();
        let (tool, role) = match &self.job {
            CarryJob::Call { tool, role, .. } => (Some(tool.as_str()), role.as_deref()),
            CarryJob::Read { .. } | CarryJob::Prompt { .. } => (None, None),
        };
        HostWish { only, tool, role, answers: true, waits, ..HostWish::default() }
    }

    async fn run(&self, hosted: &ErrandHost) -> Result<CarriedCall, CarryFailure> {
        let target = CarryTarget::of(self.server.as_deref(), self.target(), hosted).await?;
        if let Some(id) = &target.server {
            hosted.connect_to(|one| one == id).await?;
            let mut missing = hosted.missing(|status| status.connection.is_some()).into_iter();
            if let Some(missing) = missing.find(|one| one.id == id.as_str()) {
                return Err(CarryFailure::Unconnected(missing));
            }
        }
        hosted.progress.doing(&format!("waiting for {}", target.shown()));
        let caller = Arc::new(Caller {
            client: Some(CLIENT_NAME.to_owned()),
            requester: hosted.requester.clone(),
            overrides: self.job.overrides()?,
            ..Caller::new(Principal::local_user(), &hosted.folder)
        });
        let options = CallOptions {
            caller: Some(Arc::clone(&caller)),
            deadline: self.deadline_ms.map(Duration::from_millis),
            cancel: Some(hosted.interrupted.clone()),
            attendant: hosted.attendant.clone(),
            ..CallOptions::default()
        };
        let work = |options| self.job.done(hosted, &target, options);
        let shows_output = matches!(self.job, CarryJob::Call { shows_output: true, .. });
        let mut shown = ShownOutput::default();
        let how = CallManner {
            options,
            waits: self.wish().waits,
            output: shows_output.then_some(&mut shown),
        };
        let outcome = match call_view::in_view(hosted, &caller, how, work).await {
            Ok(outcome) => outcome,
            Err(failure) => {
                let failure = shown.without_shown(failure);
                return Err(self.job.told_of(failure, hosted, &target).await);
            }
        };
        let correlation = hosted.progress.correlation();
        let correlation = correlation.unwrap_or_else(|| CorrelationId::next().to_string());
        match outcome {
            Some(OperationOutcome::Done(OperationResult { is_error, result })) => {
                let CarryTarget { server, name, .. } = target;
                let (server, result) = (server.map(|id| id.to_string()), Verbatim(result));
                let shown_parts = shown.parts();
                Ok(CarriedCall { is_error, result, correlation, server, target: name, shown_parts })
            }
            Some(OperationOutcome::ApprovalRequired(_)) => {
                let reference = call_view::reference_of(hosted, &caller);
                Err(CarryFailure::Unapproved { reference, correlation })
            }
            None => Err(CarryFailure::Unapproved { reference: None, correlation }),
            // No command says that it takes tasks, so no server is to make one, nor results at length.
            Some(
                OperationOutcome::InputRequired(_)
                | OperationOutcome::Task(_)
                | OperationOutcome::DoneAtLength(_),
            ) => Err(CarryFailure::Asked { correlation }),
        }
    }
}
