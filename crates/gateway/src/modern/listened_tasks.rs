//! Tasks on a stream of news: each is asked for in the rhythm that its server names, and what changed is
//! told, as whoever asks would be told it. Servers themselves are not listened to for this: what they
//! would say takes no other way than what they answer.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::sleep;
use toolgate_host::{Attendant, CallOptions, Host, TaskAnswer};
use toolgate_types::{
    CallError, Caller, Code, OperationOutcome, TaskReport, TaskRequest, TaskState,
};
use toolgate_wire::{MessageIdBuf, RawObject};

use super::modern_request::ClientClaims;
use crate::app_pages::report_with_pages;
use crate::client_abilities::ElicitationSupport;
use crate::client_questions::AskByRetry;
use crate::place::CallerPlace;
use crate::respond;

/// How often a task is asked for whose server does not say, and the limits of what one may say.
const USUALLY: Duration = Duration::from_secs(5);
const SOONEST: Duration = Duration::from_millis(500);
const LATEST: Duration = Duration::from_secs(60);

/// The tasks of one stream. Dropped, nobody asks for them any more.
pub(super) struct ListenedTasks {
    found: Vec<ListenedTask>,
    asking: JoinSet<()>,
}

/// One of them, and how it was doing when the stream was opened.
#[derive(Clone)]
struct ListenedTask {
    id: String,
    place: Arc<CallerPlace>,
    options: CallOptions,
    askable: ElicitationSupport,
    report: TaskReport,
}

impl ListenedTasks {
    /// Those that are this caller's.
    pub(super) async fn of(
        ids: &[String],
        says: &ClientClaims,
        place: &Arc<CallerPlace>,
        caller: &Arc<Caller>,
    ) -> Self {
        let askable = says.askable;
        let (whither, whose) = (Arc::clone(place), Arc::clone(caller));
        let options = CallOptions {
            caller: Some(Arc::clone(caller)),
            address: place.address(),
            reader: place.reader,
            attendant: Some(Attendant {
                asker: Arc::new(AskByRetry { askable, place: whither, caller: whose }),
                capabilities: says.capabilities.clone(),
                party: None,
                takes_logs: false,
            }),
            ..CallOptions::default()
        };
        let mut found: Vec<ListenedTask> = Vec::new();
        for id in ids {
            let is_known = found.iter().any(|one| one.id == *id);
            if !is_known && let Ok(Some(report)) = asked_for(id, place, &options).await {
                let (place, options) = (Arc::clone(place), options.clone());
                found.push(ListenedTask { id: id.clone(), place, options, askable, report });
            }
        }
        Self { found, asking: JoinSet::new() }
    }

    pub(super) fn ids(&self) -> Vec<&str> {
        self.found.iter().map(|one| one.id.as_str()).collect()
    }

    /// From now on what changes is told, beginning with how each is doing now.
    pub(super) fn begin(
        &mut self,
        stream: &MessageIdBuf,
        tell: impl Fn(Vec<u8>) + Clone + Send + Sync + 'static,
    ) {
        for task in self.found.drain(..) {
            self.asking.spawn(task.follow(stream.clone(), tell.clone()));
        }
    }
}

impl ListenedTask {
    async fn follow(mut self, stream: MessageIdBuf, tell: impl Fn(Vec<u8>) + Send + Sync) {
        let mut told = None;
        loop {
            let whole = self.report.whole().filter(|_| self.may_be_told());
            if let Some(whole) = whole
                && told.as_deref() != Some(whole.get())
            {
                if let Some(message) = respond::task_changed(&whole, stream.as_id()) {
                    tell(message);
                }
                told = Some(whole.get().to_owned());
            }
            if is_over(&self.report.state) {
                return;
            }
            sleep(rhythm(&self.report)).await;
            match asked_for(&self.id, &self.place, &self.options).await {
                Ok(Some(report)) => self.report = report,
                Err(error) if error.code == Code::NotFound => return,
                // Its server may be back by the next time.
                Ok(None) | Err(_) => {}
            }
        }
    }

    /// Nobody is asked what they did not say they can be asked.
    fn may_be_told(&self) -> bool {
        match &self.report.state {
            TaskState::InputRequired { questions, .. } => self.askable.lacking(questions).is_none(),
            _ => true,
        }
    }
}

async fn asked_for(
    id: &str,
    place: &CallerPlace,
    options: &CallOptions,
) -> Result<Option<TaskReport>, Box<CallError>> {
    let host: &Host = &place.served.host;
    let answer = host.task(id, TaskRequest::Get, options.clone()).await.map_err(Box::new)?;
    let TaskAnswer { server, outcome } = answer;
    Ok(match outcome {
        OperationOutcome::Task(report) => Some(report_with_pages(report, &server, place)),
        _ => None,
    })
}

fn is_over(state: &TaskState) -> bool {
    match state {
        TaskState::Working | TaskState::InputRequired { .. } => false,
        TaskState::Completed(_) | TaskState::Failed(_) | TaskState::Cancelled => true,
    }
}

fn rhythm(report: &TaskReport) -> Duration {
    let read = RawObject::parse(&report.frame).ok();
    let named = read.as_ref().and_then(|read| read.get("pollIntervalMs"));
    let named = named.and_then(|raw| raw.get().parse().ok()).map(Duration::from_millis);
    named.unwrap_or(USUALLY).clamp(SOONEST, LATEST)
}
