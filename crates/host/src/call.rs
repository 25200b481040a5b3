//! One call from begin to end. This file is the page; each step has its own.

mod approval_form;
mod asking;
mod completing;
mod deciding;
pub(crate) mod failing;
mod operating;
mod petitioning;
mod preparing;
mod recording;
mod resolving;
mod returning;
mod rounds;
mod screen;
mod speaking;
mod what;

use std::borrow::Cow;
use std::pin::{Pin, pin};
use std::time::Duration;

use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;
use toolgate_audit::{Record, Step};
use toolgate_mask::Masker;
use toolgate_types::{CallError, Done, Ending, Outcome, ServerAnswer};

use crate::Host;
use asking::Asked;
use failing::Trouble;
use preparing::{Prepared, Ready, Word};
use screen::ScreenFor;

pub use recording::Unmade;
pub use what::{Call, Options, Reader, Target};

/// The most that a caller or a record is given of each line of an error.
const LONGEST_LINE: usize = 600;

impl Host {
    /// Calls a tool. A tool that says it failed is an outcome; an error means that it did not run,
    /// or that nobody knows what came of it. Dropping the future cancels the call.
    pub async fn call(&self, call: Call) -> Result<Outcome, CallError> {
        // 1 A record, which reads "aborted" if this future is dropped.
        let caller = call.options.caller.clone();
        let mut record = self.inner.journal.open("call", call.target.name(), caller);
        record.within(call.options.trace());
        record.with_arguments(call.arguments.as_deref());
        let (cancel, deadline) = (call.options.cancel.clone(), call.options.deadline);
        let ended = {
            let running = pin!(self.run(call, &mut record));
            bounded(&cancel, deadline, running).await
        };
        // 8 Its end, whatever it is.
        close(record, ended).await
    }

    async fn run(&self, mut call: Call, record: &mut Record) -> Result<Outcome, Trouble> {
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
            Some(returned) if !returned.note.is_approved() => Word::Awaited,
            _ => Word::Unasked,
        };
        let goes_on = returned.as_ref().is_some_and(|returned| returned.note.is_approved());
        let ready = match self.prepare(&call, word, record).await? {
            Prepared::Ready(ready) => {
                self.unasked_after_all(returned)?;
                ready
            }
            Prepared::Unasked(question) => {
                let asking = Box::pin(self.ask(question, returned, &call, record));
                match asking.await? {
                    // That took its time: everything is looked at again.
                    Asked::Approved(consent) => {
                        call.send_as_shown(&consent, goes_on);
                        Box::pin(self.prepare_with(consent, &call, record)).await?
                    }
                    Asked::Deferred(required) => return Ok(Outcome::InputRequired(required)),
                }
            }
            Prepared::Own(entry) => {
                return Box::pin(self.run_own(&entry, call, came_with)).await;
            }
        };
        let Ready { upstream, definition, held, permitted, approved } = ready;
        record.begin(self.records_first(upstream.trust(), &definition)).await?;
        // 6 The call itself, in as many rounds as the server asks questions.
        let reader = ScreenFor::new(self, &call.options, record.correlation());
        let principal = self.principal(&call.options);
        let within = call.options.within;
        let outcome = {
            let done_by = (&*upstream, held);
            let performing =
                pin!(self.perform(done_by, &definition, &permitted, call.options, record));
            timed(within, performing).await?
        };
        record.took(Step::Perform);
        // 7 What is too long, or no text for who reads only that, becomes a reference.
        let outcome = self.screen(outcome, &upstream, &definition.key, &reader).await;
        record.took(Step::Screen);
        match outcome {
            // Approved once, it is not asked for again when it goes on.
            Outcome::InputRequired(required) => {
                Box::pin(self.to_go_on(required, approved, &principal)).await
            }
            outcome => Ok(outcome),
        }
    }
}

/// No longer than the caller waits: for a server that starts, for an answer, for a person. The work is
/// only referred to: handed over, it would be copied, and its state is large.
async fn bounded<T>(
    cancel: &CancellationToken,
    deadline: Option<Duration>,
    work: Pin<&mut impl Future<Output = Result<T, Trouble>>>,
) -> Result<T, Trouble> {
    let timed = timed(deadline, work);
    cancel.run_until_cancelled(timed).await.unwrap_or(Err(Trouble::Cancelled))
}

async fn timed<T>(
    within: Option<Duration>,
    work: Pin<&mut impl Future<Output = Result<T, Trouble>>>,
) -> Result<T, Trouble> {
    match within {
        Some(within) => {
            let timed = tokio::time::timeout(within, work).await;
            timed.unwrap_or(Err(Trouble::Deadline(within)))
        }
        None => work.await,
    }
}

/// Ends a record as the call ended.
pub(crate) async fn close(
    record: Record,
    ended: Result<Outcome, Trouble>,
) -> Result<Outcome, CallError> {
    let outcome = match ended {
        Ok(outcome) => outcome,
        Err(trouble) => return Err(recording::fail(record, trouble).await),
    };
    let (ending, result) = match &outcome {
        Outcome::Done(done @ Done { is_error: false, .. }) => (Ending::Done, &done.result),
        Outcome::Done(done) => (Ending::ToolError, &done.result),
        Outcome::InputRequired(required) => (Ending::InputRequired, &required.result),
    };
    let bytes = u64::try_from(result.get().len()).unwrap_or(u64::MAX);
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
    CallError { message, detail, answer, ..error }
}
