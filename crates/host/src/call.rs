//! One call from begin to end. This file is the page; each step has its own.

pub(crate) mod failing;
mod operating;
mod resolving;
mod rounds;
mod what;

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use toolgate_audit::Record;
use toolgate_guard::Subject;
use toolgate_types::{CallError, Done, Ending, Operation, Outcome};

use crate::Host;
use crate::entry::Source;
use failing::Trouble;

pub use what::{Call, Options, Target};

impl Host {
    /// Calls a tool. A tool that says it failed is an outcome; an error means that it did not run,
    /// or that nobody knows what came of it. Dropping the future cancels the call.
    pub async fn call(&self, call: Call) -> Result<Outcome, CallError> {
        // 1 A record, which reads "aborted" if this future is dropped.
        let mut record = Record::open("call", call.target.name(), self.listener());
        let (cancel, deadline) = (call.options.cancel.clone(), call.options.deadline);
        let ended = bounded(&cancel, deadline, self.run(call, &mut record)).await;
        // 8 Its end, whatever it is.
        close(record, ended)
    }

    async fn run(&self, call: Call, record: &mut Record) -> Result<Outcome, Trouble> {
        // 2 What the caller cannot see does not exist.
        let entry = self.resolve(&call).await?;
        let (upstream, definition) = match &entry.source {
            Source::Server { upstream, definition } => (upstream, definition),
            // Boxed: rare, and no call should carry the size of all of them.
            Source::Own(tool) => return Box::pin(self.run_own(tool, &entry, call)).await,
        };
        record.is_for(upstream.id(), &definition.key);
        // 3 The model can correct what does not fit.
        entry.check(call.arguments.as_deref()).map_err(Trouble::Arguments)?;
        let operation =
            Operation::CallTool { name: definition.key.clone(), arguments: call.arguments.clone() };
        // 4 Allow, ask or deny.
        let decision = self.inner.guard.decide(&Subject {
            server: upstream.id(),
            trust: upstream.trust(),
            operation: &operation,
            definition: Some(definition),
        });
        // 5 The proof without which nothing goes to a server.
        let permitted = self.inner.guard.approve(decision, operation).await?;
        record.began();
        // 6 The call itself, in as many rounds as the server asks questions. 7, the size of what
        // comes back, is held by the connection; keeping large results apart belongs here.
        self.perform(upstream, definition, &permitted, call.options).await
    }
}

/// No longer than the caller waits: for a server that starts, for an answer, for a person.
async fn bounded<T>(
    cancel: &CancellationToken,
    deadline: Option<Duration>,
    work: impl Future<Output = Result<T, Trouble>>,
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
pub(crate) fn close(record: Record, ended: Result<Outcome, Trouble>) -> Result<Outcome, CallError> {
    let ending = match &ended {
        Ok(Outcome::Done(Done { is_error: false, .. })) => Ending::Done,
        Ok(Outcome::Done(_)) => Ending::ToolError,
        Ok(Outcome::InputRequired(_)) => Ending::InputRequired,
        Err(trouble) => Ending::Failed(trouble.code()),
    };
    let ended = ended.map_err(|trouble| trouble.into_error(record.correlation().clone()));
    record.finish(ending);
    ended
}
