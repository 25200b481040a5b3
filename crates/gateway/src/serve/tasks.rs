//! Tasks, as a modern client asks for them: how one is doing, answers to what it asks, and its end.

use std::pin::pin;

use toolgate_host::TaskAnswer;
use toolgate_types::{OperationOutcome, TaskReport, TaskRequest, TaskState};
use toolgate_wire::ErrorCode;

use super::RequestContext;
use crate::app_pages::report_with_pages;
use crate::client_abilities::TASKS_LACKING;
use crate::respond::{self, FailureSubject};
use crate::work::RequestReply;

impl RequestContext {
    pub(super) async fn task(mut self, id: &str, request: TaskRequest) -> RequestReply {
        if !self.takes_tasks {
            return respond::missing(&self.id, TASKS_LACKING);
        }
        let (options, said) = self.options();
        let host = self.place.served.host.clone();
        let answer = self.attend(pin!(host.task(id, request, options)), said).await;
        let outcome = answer.map(|TaskAnswer { server, outcome }| match outcome {
            OperationOutcome::Task(report) => {
                OperationOutcome::Task(report_with_pages(report, &server, &self.place))
            }
            outcome => outcome,
        });
        self.respond(outcome, FailureSubject::Other, None)
    }

    /// How a task is doing, for a client that can answer what it asks.
    pub(super) fn report(&self, report: &TaskReport) -> RequestReply {
        let lacking = match &report.state {
            TaskState::InputRequired { questions, .. } => self.askable.lacking(questions),
            _ => None,
        };
        if let Some(lacking) = lacking {
            return respond::missing(&self.id, lacking);
        }
        match report.whole() {
            Some(result) => respond::complete(&self.id, &result, self.era, None).into(),
            None => {
                let why = "what the server says of its task cannot be read";
                respond::refusal(&self.id, ErrorCode::INTERNAL_ERROR, why).into()
            }
        }
    }
}
