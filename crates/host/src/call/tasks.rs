//! Tasks: a call that goes on after its answer. Its caller asks for it by an id that was sealed here;
//! what comes of it takes the way of a call's result, under a record of the same chain.
//!
//! Nothing is remembered between the two: the id says which server, which tool and whose it is.

mod screen_report;

use std::path::Path;
use std::pin::Pin;

use serde_json::value::RawValue;
use toolgate_audit::{CallRecord, CallStep};
use toolgate_guard::{BegunTask, OwnedTask, TaskOwner};
use toolgate_types::{
    CallEnding, CallError, Caller, Code, Digest, OperationOutcome, OperationResult, Principal,
    ServerId, TaskReport, TaskRequest, TaskState,
};
use toolgate_upstream::{RequestError, Upstream};

use super::call_trouble::CallTrouble;
use super::rounds::PerformedOperation;
use super::screen::ScreenFor;
use super::{CallOptions, bounded, close};
use crate::entry::ToolSource;
use crate::{Audience, Host, ToolEntry};

/// What is said of an id that is nobody's, another's or not of this place: nobody learns which.
const NO_SUCH_TASK: &str = "there is no such task";

/// A request about a task under way.
type TaskWork<'a> =
    Pin<Box<dyn Future<Output = Result<(ServerId, OperationOutcome), CallTrouble>> + Send + 'a>>;

/// What came of a request about a task.
#[derive(Debug)]
pub struct TaskAnswer {
    /// Whose task it is.
    pub server: ServerId,
    /// How it is doing, or that its server took what it was told.
    pub outcome: OperationOutcome,
}

impl Host {
    /// Asks for a task by the id that its call was answered with, answers what it asks, or has it end.
    pub async fn task(
        &self,
        id: &str,
        request: TaskRequest,
        options: CallOptions,
    ) -> Result<TaskAnswer, CallError> {
        let mut record = self.inner.journal.open(request.word(), "", options.caller.clone());
        record.within(options.trace());
        let (cancel, deadline) = (options.cancel.clone(), options.deadline);
        let is_poll = matches!(request, TaskRequest::Get) && !self.records_always();
        // Without its type: what it is made of is deep, and each who waits for it would have to know.
        let mut work: TaskWork<'_> = Box::pin(async {
            let task = self.owned_task(id, &options).await?;
            let server = task.server.clone();
            let outcome = self.ask_for((id, task), request, options, &mut record).await?;
            Ok((server, outcome))
        });
        let ended = bounded(&cancel, deadline, Pin::new(&mut work)).await;
        drop(work);
        let (server, ended) = match ended {
            Ok((server, outcome)) => (Some(server), Ok(outcome)),
            Err(trouble) => (None, Err(trouble)),
        };
        // That nothing happened yet is asked every few seconds, and not worth a line each time.
        let is_working = matches!(
            &ended,
            Ok(OperationOutcome::Task(TaskReport { state: TaskState::Working, .. }))
        );
        if is_poll && is_working {
            record.withdraw();
        }
        let outcome = close(record, ended).await?;
        let server = server.unwrap_or_else(ServerId::local);
        Ok(TaskAnswer { server, outcome })
    }

    async fn ask_for(
        &self,
        (public, task): (&str, OwnedTask),
        request: TaskRequest,
        options: CallOptions,
        record: &mut CallRecord,
    ) -> Result<OperationOutcome, CallTrouble> {
        record.is_for(&task.server, &*task.tool);
        record.is_round_of(&task.call, 1);
        let audience = Audience::at(options.address.clone());
        let user = self.user(&options);
        let found = self.exactly(&audience, &task.server, &task.tool, user).await;
        let (entry, held) = found.map_err(unseen)?;
        let (ToolSource::Server { upstream, definition }, Some(held)) = (entry.source(), held)
        else {
            return Err(no_such_task());
        };
        // It speaks the older era by now, and knows nothing of this.
        if held.asks_meanwhile() {
            return Err(no_such_task());
        }
        record.of_tool(definition);
        record.under(self.terms(&entry, upstream, definition));
        let decision =
            self.decide_task(&entry, (upstream, definition), &options).map_err(unseen)?;
        self.log_decision(record, &options, upstream.id(), &decision);
        record.decided(decision.word(), decision.rule());
        record.took(CallStep::Decide);
        let safely = match &request {
            TaskRequest::Get => self.records_always(),
            TaskRequest::Update(_) | TaskRequest::Cancel => {
                self.records_first(upstream.trust(), definition)
            }
        };
        let is_get = matches!(request, TaskRequest::Get);
        let permitted = self.inner.guard.permit_task(decision, &task, request)?;
        if safely || !is_get {
            record.begin(safely).await?;
        }
        let reader = ScreenFor::new(self, &options, record.correlation(), &entry.audience);
        let timeout = upstream.entry().value.timeouts.request.duration();
        // A task reports by its status alone.
        let options = CallOptions { remarks: None, log_level: None, retry: None, ..options };
        let performed =
            self.rounds(upstream, held, &permitted, options, (timeout, None), record).await?;
        record.took(CallStep::Perform);
        let PerformedOperation { outcome, spilled } = performed;
        let report = match outcome {
            OperationOutcome::Task(report) => report,
            // It took what it was told. Whatever else it says there is not for anybody.
            OperationOutcome::Done(_) if !is_get => {
                let result = RawValue::from_string("{}".to_owned()).unwrap_or_default();
                return Ok(OperationOutcome::Done(OperationResult { is_error: false, result }));
            }
            _ => return Err(CallTrouble::Unreadable),
        };
        if report.id != task.id() {
            let error = RequestError::Protocol("it told of another task than was asked".to_owned());
            return Err(CallTrouble::Upstream { server: task.server, error: error.into() });
        }
        let report = TaskReport { id: public.to_owned(), ..report };
        let screened = self.screen_report(report, spilled, (upstream, &entry), &reader).await?;
        record.took(CallStep::Screen);
        if let Some(warning) = screened.warning {
            record.warn(warning);
        }
        Ok(OperationOutcome::Task(screened.report))
    }
}

impl Host {
    /// The first report of a task, under the id that its caller asks for it by.
    pub(super) async fn begun_task(
        &self,
        report: TaskReport,
        (upstream, entry): (&Upstream, &ToolEntry),
        (caller, reader): (Option<&Caller>, &ScreenFor),
        record: &mut CallRecord,
    ) -> Result<OperationOutcome, CallTrouble> {
        let screened = self.screen_report(report, None, (upstream, entry), reader).await?;
        let report = screened.report;
        let (server, call) = (upstream.id(), &record.correlation());
        let tool = entry.definition().map(|tool| &*tool.key).unwrap_or_default();
        let task = BegunTask { server, tool, call, id: &report.id };
        let principal = self.task_principal(caller);
        let owner = self.task_owner(&principal, caller);
        let id = self.inner.approvals.task_id(task, owner, fingerprint(upstream)).await;
        let id = id.ok_or(CallTrouble::Unreadable)?;
        record.is_round_of(call, 0);
        let report = TaskReport { id, ..report };
        Ok(OperationOutcome::Task(report))
    }

    async fn owned_task(&self, id: &str, options: &CallOptions) -> Result<OwnedTask, CallTrouble> {
        let caller = options.caller.as_deref();
        let principal = self.task_principal(caller);
        let owner = self.task_owner(&principal, caller);
        let entry = |server: &ServerId| {
            let upstream = self.inner.servers.get(server)?;
            upstream.is_usable().then(|| fingerprint(&upstream))
        };
        self.inner.approvals.task_of(id, owner, entry).await.ok_or_else(no_such_task)
    }

    fn task_principal(&self, caller: Option<&Caller>) -> Principal {
        match caller {
            Some(caller) => caller.principal.clone(),
            None => Principal::named(self.inner.world.principal.as_str()),
        }
    }

    fn task_owner<'a>(
        &'a self,
        principal: &'a Principal,
        caller: Option<&'a Caller>,
    ) -> TaskOwner<'a> {
        let workspace: &Path = match caller {
            Some(caller) => &caller.workspace,
            None => &self.inner.world.workspace,
        };
        TaskOwner { principal, workspace }
    }
}

/// What is configured for a server: a task of what was there before is none of what is there now.
fn fingerprint(upstream: &Upstream) -> Digest {
    upstream.entry().fingerprint.entry
}

/// How a record ends of which this was the answer, and how long that was.
pub(super) fn ending(report: &TaskReport) -> (CallEnding, usize) {
    let (ending, length) = match &report.state {
        TaskState::Working => (CallEnding::Task, 0),
        TaskState::InputRequired { requests, .. } => {
            (CallEnding::InputRequired, requests.get().len())
        }
        TaskState::Completed(OperationResult { is_error: false, result }) => {
            (CallEnding::Done, result.get().len())
        }
        TaskState::Completed(OperationResult { is_error: true, result }) => {
            (CallEnding::ToolError, result.get().len())
        }
        TaskState::Failed(error) => (CallEnding::Failed(Code::Internal), error.get().len()),
        TaskState::Cancelled => (CallEnding::Failed(Code::Cancelled), 0),
    };
    (ending, length + report.frame.get().len())
}

fn no_such_task() -> CallTrouble {
    CallTrouble::Unmade(Code::NotFound, NO_SUCH_TASK.to_owned())
}

/// What a caller cannot see any more does not exist.
fn unseen(trouble: CallTrouble) -> CallTrouble {
    match trouble {
        CallTrouble::NotFound(_) => no_such_task(),
        trouble => trouble,
    }
}
