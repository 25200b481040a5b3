//! Carries out what the guard permitted: an operation becomes a request, its result an outcome.
//!
//! Whether it may be done, and whether the arguments fit the tool, was settled by others.

mod outcome;
mod params;

use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::mpsc;
use toolgate_guard::Permitted;
use toolgate_types::{LogLevel, Operation, Outcome, Retry};
use toolgate_wire::header::ParamHeaders;
use toolgate_wire::{Era, method};

use crate::attendant::Attendant;
use crate::connection::{Connection, Sent};
use crate::failure::RequestError;
use crate::patience::Patience;
use crate::router::Progress;

pub use params::forwarded_meta;

/// How an operation is carried out.
pub struct Manner<'a> {
    /// The answers to what the server asked the last time.
    pub retry: Option<&'a Retry>,
    /// The caller's own `_meta`, passed on but for what we say there ourselves.
    pub meta: Option<&'a RawValue>,
    /// Of the called tool; it may want parameters mirrored into headers.
    pub input_schema: Option<&'a RawValue>,
    /// Without a sign of life for this long, it is given up.
    pub timeout: Duration,
    /// Signs of life do not stretch it beyond this.
    pub ceiling: Duration,
    /// How much a modern server may say meanwhile; an older one is told once, for everything.
    pub log_level: Option<LogLevel>,
    pub progress: Option<mpsc::Sender<Progress>>,
    /// Who is asked and told what the server asks and says meanwhile.
    pub attendant: Option<Attendant>,
}

/// Payloads may hold secrets, and what is debugged ends in logs.
impl std::fmt::Debug for Manner<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Manner")
            .field("timeout", &self.timeout)
            .field("ceiling", &self.ceiling)
            .finish_non_exhaustive()
    }
}

impl Connection {
    /// Carries out what the guard permitted. Dropping the future cancels it.
    ///
    /// ```
    /// # use {toolgate_guard::Permitted, toolgate_types::Operation, toolgate_upstream::*};
    /// async fn permitted(to: &Connection, what: &Permitted<Operation>, manner: Manner<'_>) {
    ///     to.perform(what, manner).await.ok();
    /// }
    /// ```
    ///
    /// Nothing else is carried out for a caller:
    ///
    /// ```compile_fail
    /// # use {toolgate_guard::Permitted, toolgate_types::Operation, toolgate_upstream::*};
    /// async fn bypassing(to: &Connection, what: &Operation, manner: Manner<'_>) {
    ///     to.perform(what, manner).await.ok();
    /// }
    /// ```
    pub async fn perform(
        &self,
        permitted: &Permitted<Operation>,
        manner: Manner<'_>,
    ) -> Result<Outcome, RequestError> {
        let operation = permitted.get();
        let era = self.handshake().era();
        let annotated = self.annotated(operation, manner.input_schema)?;
        let sent = Sent {
            method: method_of(operation, era)?,
            params: params::of(operation, &manner, era)?,
            patience: Patience::Limited { timeout: manner.timeout, ceiling: manner.ceiling },
            annotated: &annotated,
            attendant: manner.attendant.clone(),
        };
        let result = self.reply(sent, manner.progress).await?.into_result()?;
        outcome::of(operation, result, era)
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
        (Operation::Subscribe { .. }, Era::Legacy) => method::RESOURCES_SUBSCRIBE,
        (Operation::Unsubscribe { .. }, Era::Legacy) => method::RESOURCES_UNSUBSCRIBE,
        (Operation::Subscribe { .. } | Operation::Unsubscribe { .. }, Era::Modern) => {
            let why = "modern servers are listened to, and know no subscribing".to_owned();
            return Err(RequestError::Unsendable(why));
        }
    })
}
