//! One call from begin to end. This file is the page; each step has its own.

mod deciding;
pub(crate) mod failing;
mod operating;
mod recording;
mod resolving;
mod rounds;
mod screen;
mod what;

use std::borrow::Cow;
use std::pin::{Pin, pin};
use std::time::Duration;

use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;
use toolgate_audit::{Record, Step};
use toolgate_types::{CallError, Done, Ending, Masker, Operation, Outcome, ServerAnswer};

use crate::Host;
use crate::entry::Source;
use failing::Trouble;
use screen::ScreenFor;

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

    async fn run(&self, call: Call, record: &mut Record) -> Result<Outcome, Trouble> {
        // 2 What the caller cannot see does not exist.
        let (entry, held) = self.resolve(&call).await?;
        record.took(Step::Resolve);
        let (upstream, definition) = match &entry.source {
            Source::Server { upstream, definition } => (upstream, definition),
            // Boxed: rare, and no call should carry the size of all of them.
            Source::Own(tool) => return Box::pin(self.run_own(tool, &entry, call)).await,
        };
        record.is_for(upstream.id(), &definition.key);
        record.of_tool(definition);
        record.under(self.terms(&entry, upstream, definition));
        // 3 The model can correct what does not fit.
        entry.check(call.arguments.as_deref()).map_err(Trouble::Arguments)?;
        record.took(Step::Check);
        let operation =
            Operation::CallTool { name: definition.key.clone(), arguments: call.arguments.clone() };
        // 4 Allow, ask or deny.
        let decision = self.decide(&entry, upstream, definition, &call)?;
        record.decided(decision.word(), decision.rule());
        record.took(Step::Decide);
        // 5 The proof without which nothing goes to a server.
        let permitted = self.inner.guard.approve(decision, operation).await?;
        record.took(Step::Approve);
        record.begin(self.records_first(upstream.trust(), definition)).await?;
        // 6 The call itself, in as many rounds as the server asks questions.
        let reader = ScreenFor::new(self, &call.options, record.correlation());
        let outcome =
            self.perform(upstream, held, definition, &permitted, call.options, record).await?;
        record.took(Step::Perform);
        // 7 What is too long, or no text for who reads only that, becomes a reference.
        let outcome = self.screen(outcome, upstream, &definition.key, &reader).await;
        record.took(Step::Screen);
        Ok(outcome)
    }
}

/// No longer than the caller waits: for a server that starts, for an answer, for a person. The work is
/// only referred to: handed over, it would be copied, and its state is large.
async fn bounded<T>(
    cancel: &CancellationToken,
    deadline: Option<Duration>,
    work: Pin<&mut impl Future<Output = Result<T, Trouble>>>,
) -> Result<T, Trouble> {
    let timed = async {
        match deadline {
            Some(deadline) => {
                let timed = tokio::time::timeout(deadline, work).await;
                timed.unwrap_or(Err(Trouble::Deadline(deadline)))
            }
            None => work.await,
        }
    };
    cancel.run_until_cancelled(timed).await.unwrap_or(Err(Trouble::Cancelled))
}

/// Ends a record as the call ended.
pub(crate) async fn close(
    record: Record,
    ended: Result<Outcome, Trouble>,
) -> Result<Outcome, CallError> {
    let ending = match &ended {
        Ok(Outcome::Done(Done { is_error: false, .. })) => Ending::Done,
        Ok(Outcome::Done(_)) => Ending::ToolError,
        Ok(Outcome::InputRequired(_)) => Ending::InputRequired,
        Err(trouble) => Ending::Failed(trouble.code()),
    };
    let masker = record.masker();
    let ended = ended.map_err(|trouble| masked(trouble.into_error(record.correlation()), &masker));
    let bytes = match &ended {
        Ok(Outcome::Done(done)) => done.result.get().len(),
        Ok(Outcome::InputRequired(required)) => required.result.get().len(),
        Err(_) => 0,
    };
    let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
    record.finish(ending, bytes, ended.as_ref().err()).await;
    ended
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
