//! Carries out what the guard permitted: an operation becomes a request, its result an outcome.
//!
//! Whether it may be done, and whether the arguments fit the tool, was settled by others.

mod outcome;
mod params;
mod question;
mod task_report;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::mpsc;
use toolgate_guard::Permitted;
use toolgate_types::{
    CommandPiece, LogLevel, Operation, OperationOutcome, QuietSender, RetryAnswers, TaskRequest,
    step_aside,
};
use toolgate_wire::header::ParamHeaders;
use toolgate_wire::{Era, method};

use crate::attendant::Attendant;
use crate::command::{CommandTally, OutputCheck, PreparedCommand};
use crate::connection::{SentRequest, UpstreamConnection};
use crate::failure::RequestError;
use crate::patience::RequestPatience;
use crate::reply::ServerReply;
use crate::server_remark::ServerRemark;
use crate::spilled_answer::SpilledAnswer;

pub use params::{forwarded_meta, is_meta_for_gate_alone};

/// How an operation is carried out.
pub struct OperationOptions<'a> {
    /// The answers to what the server asked the last time.
    pub retry: Option<&'a RetryAnswers>,
    /// The caller's own `_meta`, passed on but for what we say there ourselves.
    pub meta: Option<&'a RawValue>,
    /// Members of `params` that nobody knows here, as an object.
    pub unknown: Option<&'a RawValue>,
    /// Who calls; only a server within this process is told.
    pub principal: Option<&'a str>,
    /// Of the called tool, where it may want parameters mirrored into headers.
    pub input_schema: Option<&'a RawValue>,
    /// Without a sign of life for this long, it is given up.
    pub timeout: Duration,
    /// Signs of life do not stretch it beyond this.
    pub ceiling: Duration,
    /// How much a modern server may say meanwhile; an older one is told once, for everything.
    pub log_level: Option<LogLevel>,
    /// Where what the server says meanwhile goes.
    pub remarks: Option<QuietSender<ServerRemark>>,
    /// Who is asked what the server asks meanwhile.
    pub attendant: Option<Attendant>,
    /// Takes an answer that is too long to hold; what the operation has come to is then what is held of
    /// it. Without this, such an answer is an error.
    pub spilled: Option<&'a OnceLock<SpilledAnswer>>,
    /// Of a command tool, what is run.
    pub command: Option<CommandOptions<'a>>,
}

impl OperationOptions<'_> {
    /// Nothing special, and not longer than this.
    pub fn within(timeout: Duration) -> Self {
        Self {
            retry: None,
            meta: None,
            unknown: None,
            principal: None,
            input_schema: None,
            timeout,
            ceiling: timeout,
            log_level: None,
            remarks: None,
            attendant: None,
            spilled: None,
            command: None,
        }
    }
}

/// How a command is run.
pub struct CommandOptions<'a> {
    /// Exactly this, which was decided about.
    pub prepared: Arc<PreparedCommand>,
    /// Who reads what it prints while it runs, where its entry allows that. What is not taken slows it.
    pub output: Option<mpsc::Sender<CommandPiece>>,
    /// Whether what it printed fits the schema that its entry has for it.
    pub fits: Option<OutputCheck<'a>>,
    /// Counts what it does, also for who does not wait for its end.
    pub tally: Arc<CommandTally>,
}

impl std::fmt::Debug for CommandOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CommandOptions").field("prepared", &self.prepared).finish_non_exhaustive()
    }
}

/// Payloads may hold secrets, and what is debugged ends in logs.
impl std::fmt::Debug for OperationOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OperationOptions")
            .field("timeout", &self.timeout)
            .field("ceiling", &self.ceiling)
            .finish_non_exhaustive()
    }
}

impl UpstreamConnection {
    /// Carries out what the guard permitted. Dropping the future cancels it.
    ///
    /// ```
    /// # use {toolgate_guard::Permitted, toolgate_types::Operation, toolgate_upstream::*};
    /// async fn permitted(to: &UpstreamConnection, what: &Permitted<Operation>, options: OperationOptions<'_>) {
    ///     to.perform(what, options).await.ok();
    /// }
    /// ```
    ///
    /// Nothing else is carried out for a caller:
    ///
    /// ```compile_fail
    /// # use {toolgate_guard::Permitted, toolgate_types::Operation, toolgate_upstream::*};
    /// async fn bypassing(to: &UpstreamConnection, what: &Operation, options: OperationOptions<'_>) {
    ///     to.perform(what, options).await.ok();
    /// }
    /// ```
    pub async fn perform(
        &self,
        permitted: &Permitted<Operation>,
        manner: OperationOptions<'_>,
    ) -> Result<OperationOutcome, RequestError> {
        let operation = permitted.get();
        let era = self.handshake().era();
        let annotated = self.annotated(operation, manner.input_schema)?;
        let sent = SentRequest {
            method: method_of(operation, era)?,
            params: &params::of(operation, &manner, era)?,
            patience: RequestPatience::Limited { timeout: manner.timeout, ceiling: manner.ceiling },
            annotated: &annotated,
            called: match operation {
                Operation::CallTool { name, .. } => Some(name),
                _ => None,
            },
            attendant: manner.attendant.clone(),
            pending: permitted.pending().cloned(),
        };
        let takes_tasks = manner.attendant.as_ref().is_some_and(Attendant::takes_tasks);
        let result = match (self.reply(sent, manner.remarks).await?, manner.spilled) {
            (ServerReply::Spilled { raw, spilled }, Some(taker)) => {
                let _ = taker.set(spilled);
                match raw {
                    Some(raw) => raw,
                    // Which one it is, and how it is doing, is not held.
                    None if matches!(operation, Operation::Task { .. }) => {
                        return Err(RequestError::too_large());
                    }
                    None => RawValue::from_string("{}".to_owned()).unwrap_or_default(),
                }
            }
            (reply, _) => reply.into_result()?,
        };
        step_aside(result.get().len()).await;
        outcome::of(operation, result, era, takes_tasks)
    }

    /// The parameters that the called tool wants in headers, where there are headers.
    fn annotated(
        &self,
        operation: &Operation,
        schema: Option<&RawValue>,
    ) -> Result<ParamHeaders, RequestError> {
        match (operation, schema) {
            (Operation::CallTool { .. }, Some(schema)) if self.is_modern_with_headers() => {
                ParamHeaders::from_schema(schema)
                    .map_err(|error| RequestError::Protocol(error.to_string()))
            }
            _ => Ok(ParamHeaders::NONE),
        }
    }
}

fn method_of(operation: &Operation, era: Era) -> Result<&'static str, RequestError> {
    Ok(match (operation, era) {
        (Operation::CallTool { .. }, _) => method::TOOLS_CALL,
        (Operation::ReadResource { .. }, _) => method::RESOURCES_READ,
        (Operation::GetPrompt { .. }, _) => method::PROMPTS_GET,
        (Operation::Complete { .. }, _) => method::COMPLETION_COMPLETE,
        (Operation::Task { request, .. }, Era::Modern) => match request {
            TaskRequest::Get => method::TASKS_GET,
            TaskRequest::Update(_) => method::TASKS_UPDATE,
            TaskRequest::Cancel => method::TASKS_CANCEL,
        },
        (Operation::Task { .. }, Era::Legacy) => {
            let why = "tasks of servers of the older era are not carried".to_owned();
            return Err(RequestError::Unsendable(why));
        }
        (Operation::Subscribe { .. }, Era::Legacy) => method::RESOURCES_SUBSCRIBE,
        (Operation::Unsubscribe { .. }, Era::Legacy) => method::RESOURCES_UNSUBSCRIBE,
        (Operation::Subscribe { .. } | Operation::Unsubscribe { .. }, Era::Modern) => {
            let why = "modern servers are listened to, and know no subscribing".to_owned();
            return Err(RequestError::Unsendable(why));
        }
    })
}
