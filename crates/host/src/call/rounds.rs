//! The call itself: within its time, and in as many rounds as the server asks questions.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::time::Instant;
use toolgate_audit::CallRecord;
use toolgate_guard::Permitted;
use toolgate_types::{
    Asker, Definition, InputQuestion, InputRequired, Operation, OperationOutcome, QuestionAnswer,
    QuestionKind, RetryAnswers, ServerQuestion,
};
use toolgate_upstream::{
    CommandTally, ConnectionLease, OperationOptions, PreparedCommand, RequestError, SpilledAnswer,
    Upstream, UpstreamError, may_mirror_parameters,
};

use super::CallOptions;
use super::call_trouble::CallTrouble;
use super::speak_for_server::under_its_name;
use crate::Host;

/// A server that asks more often than this is not getting anywhere.
pub(super) const MOST_ROUNDS: usize = 10;

/// Signs of life stretch a call to at most so many times its time-out.
pub(super) const CEILING: u32 = 12;

/// A command that may run, and who counts what it does.
pub(super) type ReadyCommand = (Arc<PreparedCommand>, Arc<CommandTally>);

/// What came of an operation.
pub(crate) struct PerformedOperation {
    pub(crate) outcome: OperationOutcome,
    /// Where its result is, if that was too long to hold. The outcome is then what is held of it.
    pub(crate) spilled: Option<Box<SpilledAnswer>>,
}

impl Host {
    pub(super) async fn perform(
        &self,
        (upstream, held): (&Upstream, ConnectionLease),
        (definition, command): (&Definition, Option<ReadyCommand>),
        permitted: &Permitted<Operation>,
        options: CallOptions,
        record: &mut CallRecord,
    ) -> Result<PerformedOperation, CallTrouble> {
        let timeout = timeout_of(upstream, definition);
        if let Some(command) = command {
            // Boxed: few calls are of a command, and none should carry the size of one.
            let running =
                self.run_command((upstream, held), definition, command, permitted, options);
            return Box::pin(running).await;
        }
        let schema = definition.mirroring_schema(may_mirror_parameters);
        self.rounds(upstream, held, permitted, options, (timeout, schema), record).await
    }

    /// With the connection that is held for it.
    pub(crate) async fn rounds(
        &self,
        upstream: &Upstream,
        held: ConnectionLease,
        permitted: &Permitted<Operation>,
        options: CallOptions,
        (timeout, input_schema): (Duration, Option<&RawValue>),
        record: &mut CallRecord,
    ) -> Result<PerformedOperation, CallTrouble> {
        let trouble = |error| match error {
            UpstreamError::Request(RequestError::Withheld(refusal)) => refusal.into(),
            error => CallTrouble::Upstream { server: upstream.id().clone(), error },
        };
        // However often it asks, and whatever signs of life it gives.
        let (began, ceiling) = (Instant::now(), timeout.saturating_mul(CEILING));
        let mut left = ceiling;
        let principal = self.principal(&options);
        let mut retry = options.retry;
        for _ in 0..MOST_ROUNDS {
            let spilled = OnceLock::new();
            let manner = OperationOptions {
                retry: retry.as_ref(),
                meta: options.meta.as_deref(),
                unknown: options.unknown.as_deref(),
                principal: Some(principal.as_str()),
                input_schema,
                timeout: timeout.min(left),
                ceiling: left,
                log_level: options.log_level,
                remarks: options.remarks.clone(),
                attendant: options.attendant.clone(),
                spilled: Some(&spilled),
                command: None,
            };
            let outcome = upstream.perform(&held, permitted, manner).await.map_err(trouble)?;
            let spilled = spilled.into_inner().map(Box::new);
            let OperationOutcome::InputRequired(required) = outcome else {
                return Ok(PerformedOperation { outcome, spilled });
            };
            // Of a question nothing may be missing.
            if spilled.is_some() {
                return Err(CallTrouble::Unreadable);
            }
            refuse_forbidden(upstream, &required.questions)?;
            let attendant = options.attendant.as_ref();
            let asker = attendant.map_or(&self.inner.world.asker, |attendant| &attendant.asker);
            match Box::pin(answers(asker, upstream, &required)).await {
                Some(responses) => {
                    record.next_round(as_bytes(&required.result)).await?;
                    left = ceiling.saturating_sub(began.elapsed());
                    retry = Some(RetryAnswers { responses, state: required.state, approval: None });
                }
                // Only the caller can answer, by calling again.
                None => {
                    let required = under_its_name(upstream.id(), required);
                    let outcome = OperationOutcome::InputRequired(required);
                    return Ok(PerformedOperation { outcome, spilled: None });
                }
            }
        }
        Err(CallTrouble::TooManyRounds(upstream.id().clone()))
    }
}

/// A caller's model answers only servers that may ask it.
pub(super) fn refuse_forbidden(
    upstream: &Upstream,
    questions: &[InputQuestion],
) -> Result<(), CallTrouble> {
    let samples = |question: &InputQuestion| question.kind == Some(QuestionKind::Sample);
    if questions.iter().any(samples) && !upstream.entry().value.sampling {
        return Err(CallTrouble::MayNotSample(upstream.id().clone()));
    }
    Ok(())
}

/// The answers to all questions, or none if one of them is for the caller.
async fn answers(
    asker: &Arc<dyn Asker>,
    upstream: &Upstream,
    required: &InputRequired,
) -> Option<Vec<(String, Box<RawValue>)>> {
    let mut answers = Vec::with_capacity(required.questions.len());
    for InputQuestion { key, kind, params } in &required.questions {
        let kind = (*kind)?;
        let question =
            ServerQuestion { server: upstream.id().clone(), kind, params: params.clone() };
        let answer = match asker.ask(question).await {
            QuestionAnswer::Answered(answer) => answer,
            QuestionAnswer::NoChannel if kind == QuestionKind::Elicit => cancelled()?,
            QuestionAnswer::NoChannel | QuestionAnswer::Refused(_) | QuestionAnswer::Defer(_) => {
                return None;
            }
        };
        answers.push((key.clone(), answer));
    }
    Some(answers)
}

fn as_bytes(raw: &RawValue) -> u64 {
    u64::try_from(raw.get().len()).unwrap_or(u64::MAX)
}

/// The tool's own time-out, or its server's.
pub(super) fn timeout_of(upstream: &Upstream, definition: &Definition) -> Duration {
    let server = &upstream.entry().value;
    let own = server.tool_settings.get(&*definition.key).and_then(|tool| tool.timeout);
    own.unwrap_or(server.timeouts.tool).duration()
}

/// What a person who is not there says.
fn cancelled() -> Option<Box<RawValue>> {
    RawValue::from_string(r#"{"action":"cancel"}"#.to_owned()).ok()
}
