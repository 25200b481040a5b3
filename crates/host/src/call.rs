//! One call from begin to end. This file is the page; each step has its own.

mod approval_form;
mod approval_text;
mod ask_person;
pub(crate) mod call_trouble;
mod check_output;
mod complete_argument;
mod decide;
mod log_decision;
mod open_form;
mod operate;
mod parking;
mod prepare;
mod ran_command;
mod records;
mod resolve_target;
mod returned_answers;
mod rounds;
mod screen;
mod speak_for_server;
mod tasks;
mod what;

use std::borrow::Cow;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;
use toolgate_audit::{CallRecord, CallStep};
use toolgate_mask::Masker;
use toolgate_types::{
    CallEnding, CallError, LongResult, OperationOutcome, OperationResult, ServerAnswer,
};

use crate::Host;
use ask_person::AskOutcome;
use call_trouble::CallTrouble;
use check_output::check_output;
use open_form::RevocableApproval;
use parking::{ReadyOperation, ResultScreen, refuse_answers};
use prepare::{PersonWord, PreparedCall, ReadyCall};
use ran_command::RanCommand;
use rounds::timeout_of;
use screen::ScreenFor;

pub(crate) use parking::ParkedCalls;
pub use records::UnmadeCall;
pub use tasks::TaskAnswer;
pub use what::{Call, CallOptions, CallTarget, ResultReader};

/// The most that a caller or a record is given of each line of an error.
const LONGEST_LINE: usize = 600;

impl Host {
    /// Calls a tool. A tool that says it failed is an outcome; an error means that it did not run,
    /// or that nobody knows what came of it. Dropping the future cancels the call.
    pub async fn call(&self, call: Call) -> Result<OperationOutcome, CallError> {
        // 1 A record, which reads "aborted" if this future is dropped.
        let caller = call.options.caller.clone();
        let mut record = self.inner.journal.open("call", call.target.shared_name(), caller);
        record.within(call.options.trace());
        record.with_arguments(call.arguments.clone());
        let (cancel, deadline) = (call.options.cancel.clone(), call.options.deadline);
        let ran = RanCommand::default();
        let ended = {
            let running = pin!(self.run(call, &mut record, &ran));
            bounded(&cancel, deadline, running).await
        };
        let ended = ran.noted(ended, &mut record).await;
        // 8 Its end, whatever it is.
        close(record, ended).await
    }

    async fn run(
        &self,
        mut call: Call,
        record: &mut CallRecord,
        ran: &RanCommand,
    ) -> Result<OperationOutcome, CallTrouble> {
        // Boxed, here and below: rare, and no call should carry the size of all of them.
        let (returned, came_with) = match call.options.returns() {
            true => {
                let came_with = call.options.retry.clone();
                (Some(Box::pin(self.returned(&mut call.options)).await?), came_with)
            }
            false => (None, None),
        };
        // 2 What the caller cannot see does not exist. 3 The model can correct what does not fit.
        // 4 Allow, ask or deny. 5 The proof without which nothing goes to a server.
        let word = match &returned {
            Some(returned) if returned.note.is_asked() => PersonWord::Awaited,
            _ => PersonWord::Unasked,
        };
        // A yes that somebody may still take back.
        let mut revocable = None;
        let goes_on = returned.as_ref().is_some_and(|returned| returned.note.is_approved());
        let prepared = self.prepare(&mut call, word, record).await?;
        let returned = match returned {
            // It is under way, and waits for what its caller came back with.
            Some(returned) if returned.note.is_parked() && !prepared.is_own() => {
                return Box::pin(self.rejoin(prepared, &returned.note, call, record)).await;
            }
            returned => returned,
        };
        let ready = match prepared {
            PreparedCall::Ready(ready) => {
                self.unasked_after_all(returned)?;
                ready
            }
            PreparedCall::Unasked(question) => {
                let asking = Box::pin(self.ask(question, returned, &call, record));
                match asking.await? {
                    // That took its time: everything is looked at again.
                    AskOutcome::Approved(consent, form) => {
                        call.send_as_shown(&consent, goes_on);
                        let pending = consent.pending().cloned();
                        let preparing = Box::pin(self.prepare_with(consent, &mut call, record));
                        match pending {
                            Some(pending) => {
                                let yes = RevocableApproval::new(
                                    &self.inner.approvals,
                                    &pending,
                                    form,
                                    self.asking().fastest_answer,
                                );
                                let yes = revocable.insert(Box::new(yes));
                                Box::pin(yes.unless_declined(preparing)).await?
                            }
                            None => preparing.await?,
                        }
                    }
                    AskOutcome::Deferred(required) => {
                        return Ok(OperationOutcome::ApprovalRequired(required));
                    }
                }
            }
            PreparedCall::Own(entry) => {
                if entry.passes_on() {
                    record.withdraw();
                }
                return Box::pin(self.run_own(&entry, call, came_with)).await;
            }
        };
        let ReadyCall { upstream, entry, definition, listed, held, permitted, approved, command } =
            ready;
        refuse_answers(&held, call.options.retry.as_ref())?;
        record.begin(self.records_first(upstream.trust(), &definition)).await?;
        // 6 The call itself, in as many rounds as the server asks questions.
        let reader = ScreenFor::new(self, &call.options, record.correlation(), &entry.audience);
        let principal = self.principal(&call.options);
        let caller = call.options.caller.clone();
        // A command minds its own time, so that what it printed by then is not lost.
        let within = call.options.within.filter(|_| command.is_none());
        if command.is_none() && self.may_park(&held, &call.options) {
            let timeout = timeout_of(&upstream, &definition);
            let served = (Arc::clone(&upstream), Arc::clone(&definition));
            let (definition, result) = (Some(definition), ResultScreen::Tool(entry, listed));
            let approved = approved.map(|approved| approved.subject);
            let ready =
                ReadyOperation { upstream, held, permitted, definition, timeout, result, reader };
            let parkable = self.perform_or_park(ready, call.options, approved, record);
            let mut performing = Box::pin(parkable);
            let performing = performing.as_mut();
            let outcome = match &mut revocable {
                Some(yes) => Box::pin(yes.unless_declined(timed(within, performing))).await?,
                None => timed(within, performing).await?,
            };
            self.inner.past_success.note(&outcome, &principal, (&served.0, &served.1));
            return Ok(outcome);
        }
        let performed = {
            let done_by = (&*upstream, held);
            let command = command.map(|prepared| (prepared, ran.tally()));
            let performing = pin!(self.perform(
                done_by,
                (&definition, command),
                &permitted,
                call.options,
                record
            ));
            match &mut revocable {
                Some(yes) => Box::pin(yes.unless_declined(timed(within, performing))).await?,
                None => timed(within, performing).await?,
            }
        };
        record.took(CallStep::Perform);
        if let Some(warning) = check_output(&performed, (&upstream, &entry))? {
            record.warn(warning);
        }
        // 7 What is too long, or no text for who reads only that, becomes a reference.
        let outcome = self.screen(performed, &upstream, &listed, &reader).await?;
        record.took(CallStep::Screen);
        self.inner.past_success.note(&outcome, &principal, (&upstream, &definition));
        match outcome {
            // Approved once, it is not asked for again when it goes on.
            OperationOutcome::InputRequired(required) => {
                Box::pin(self.to_go_on(required, approved, &principal)).await
            }
            OperationOutcome::Task(report) => {
                let (of, whose) = ((&*upstream, &*entry), (caller.as_deref(), &reader));
                Box::pin(self.begun_task(report, of, whose, record)).await
            }
            outcome => Ok(outcome),
        }
    }
}

/// No longer than the caller waits: for a server that starts, for an answer, for a person. The work is
/// only referred to: handed over, it would be copied, and its state is large.
async fn bounded<T>(
    cancel: &Option<CancellationToken>,
    deadline: Option<Duration>,
    work: Pin<&mut impl Future<Output = Result<T, CallTrouble>>>,
) -> Result<T, CallTrouble> {
    let timed = timed(deadline, work);
    match cancel {
        Some(cancel) => {
            cancel.run_until_cancelled(timed).await.unwrap_or(Err(CallTrouble::Cancelled))
        }
        None => timed.await,
    }
}

async fn timed<T>(
    within: Option<Duration>,
    work: Pin<&mut impl Future<Output = Result<T, CallTrouble>>>,
) -> Result<T, CallTrouble> {
    match within {
        Some(within) => {
            let timed = tokio::time::timeout(within, work).await;
            timed.unwrap_or(Err(CallTrouble::Deadline(within)))
        }
        None => work.await,
    }
}

/// Ends a record as the call ended.
pub(crate) async fn close(
    record: CallRecord,
    ended: Result<OperationOutcome, CallTrouble>,
) -> Result<OperationOutcome, CallError> {
    let outcome = match ended {
        Ok(outcome) => outcome,
        Err(trouble) => return Err(records::fail(record, trouble).await),
    };
    let (ending, length) = match &outcome {
        OperationOutcome::Done(OperationResult { is_error, result }) => {
            (if *is_error { CallEnding::ToolError } else { CallEnding::Done }, result.get().len())
        }
        OperationOutcome::DoneAtLength(LongResult { is_error, bytes, .. }) => {
            let ending = if *is_error { CallEnding::ToolError } else { CallEnding::Done };
            (ending, usize::try_from(*bytes).unwrap_or(usize::MAX))
        }
        OperationOutcome::InputRequired(required) => {
            (CallEnding::InputRequired, required.result.get().len())
        }
        OperationOutcome::ApprovalRequired(required) => {
            (CallEnding::InputRequired, required.question.text.len())
        }
        OperationOutcome::Task(report) => tasks::ending(report),
    };
    let bytes = u64::try_from(length).unwrap_or(u64::MAX);
    record.finish(ending, bytes, None).await;
    Ok(outcome)
}

/// A server may repeat in an error what it was given. Its words may be long; they are cut here, since
/// of a secret that is cut before half would stay.
fn masked(error: CallError, masker: &Masker) -> CallError {
    let message = masker.mask_and_cut(&error.message, LONGEST_LINE);
    let detail = error.detail.map(|detail| masker.mask_and_cut(&detail, LONGEST_LINE));
    let answer = error.answer.map(|answer| {
        let ServerAnswer { code, message, data } = *answer;
        let message = masker.mask_text(&message).into_owned();
        let data = data.and_then(|data| match masker.mask_json(data.get()) {
            Cow::Borrowed(_) => Some(data),
            // Masked JSON is JSON; if it ever were not, nothing is safer than something.
            Cow::Owned(masked) => RawValue::from_string(masked).ok(),
        });
        Box::new(ServerAnswer { code, message, data })
    });
    let partial = error.partial.map(|printed| masker.mask_text(&printed).into());
    CallError { message, detail, answer, partial, ..error }
}
