//! Something that a server does for the person at the command line: connected, and carried out in
//! view of the person.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_control::Verbatim;
use toolgate_host::CallOptions;
use toolgate_types::{Caller, CorrelationId, OperationOutcome, OperationResult, Principal};

use super::{CarryFailure, CarryJob, Errand, ErrandHost, HostWish, call_view, server_id};

/// What the person calls with, as records name it.
pub const CLIENT_NAME: &str = concat!("toolgate ", env!("CARGO_PKG_VERSION"));

/// What is to be done, and by which server.
#[derive(Debug, Serialize, Deserialize)]
pub struct CarryOut {
    pub server: String,
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

    /// The tool that does it, if it is one that does.
    pub fn tool(&self) -> Option<&str> {
        match &self.job {
            CarryJob::Call { tool, .. } => Some(tool),
            CarryJob::Read { .. } | CarryJob::Prompt { .. } => None,
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
        HostWish { only: Some(&self.server), role: None, cached: false, answers: true, waits }
    }

    async fn run(&self, hosted: &ErrandHost) -> Result<CarriedCall, CarryFailure> {
        let id = server_id(&self.server)?;
        hosted.connect().await?;
        if let Some(missing) = hosted.missing(|status| status.connection.is_some()).pop() {
            return Err(CarryFailure::Unconnected(missing));
        }
        hosted.progress.doing(&format!("waiting for {}", self.server));
        let caller = Arc::new(Caller {
            client: Some(CLIENT_NAME.to_owned()),
            requester: hosted.requester.clone(),
            ..Caller::new(Principal::local_user(), &hosted.folder)
        });
        let options = CallOptions {
            caller: Some(Arc::clone(&caller)),
            deadline: self.deadline_ms.map(Duration::from_millis),
            cancel: hosted.interrupted.clone(),
            attendant: hosted.attendant.clone(),
            ..CallOptions::default()
        };
        let work = |options| self.job.done(hosted, &id, options);
        let how = (options, self.wish().waits);
        let outcome = call_view::in_view(hosted, &caller, how, work).await?;
        let correlation = hosted.progress.correlation();
        let correlation = correlation.unwrap_or_else(|| CorrelationId::next().to_string());
        match outcome {
            Some(OperationOutcome::Done(OperationResult { is_error, result })) => {
                Ok(CarriedCall { is_error, result: Verbatim(result), correlation })
            }
            Some(OperationOutcome::ApprovalRequired(_)) => {
                let reference = call_view::reference_of(hosted, &caller);
                Err(CarryFailure::Unapproved { reference, correlation })
            }
            None => Err(CarryFailure::Unapproved { reference: None, correlation }),
            Some(OperationOutcome::InputRequired(_)) => Err(CarryFailure::Asked { correlation }),
        }
    }
}
