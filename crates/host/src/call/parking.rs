//! A call that waits for its caller. A server of the older era asks on its connection, in the middle
//! of a call; a modern caller is told what is wanted and comes back with the answer. Between the two
//! the call is parked: it goes on at the server, and its caller holds a sealed note.
//!
//! One chain for each call: whoever brings the same answers again is told the same again, other
//! answers are refused, and what another run of this program parked is never begun a second time.

mod chain_round;
mod drive;
mod open_round;
mod parked_call;
mod parked_calls;
mod parking_asker;

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use toolgate_audit::CallRecord;
use toolgate_guard::{ApprovalSubject, Permitted, Refusal, ResumeToken};
use toolgate_types::{
    Asker, Definition, Digest, LongResult, Operation, OperationOutcome, OperationResult,
    QuestionKind, RetryAnswers, quiet_queue,
};
use toolgate_upstream::{
    Attendant, ConnectionLease, ConnectionUser, OperationOptions, RequestError, ServerRemark,
    Upstream, UpstreamError, may_mirror_parameters,
};

use super::call_trouble::CallTrouble;
use super::check_output::check_output;
use super::decide::session;
use super::prepare::PreparedCall;
use super::rounds::{CEILING, PerformedOperation};
use super::screen::ScreenFor;
use super::{Call, CallOptions};
use crate::{Host, ToolEntry};
use drive::drive;
use parked_call::{ChainStep, ParkedCall};
use parking_asker::{AskedQuestion, ParkingAsker};

pub(crate) use parked_calls::ParkedCalls;

/// How many words of a server may lie unread.
const UNREAD: usize = 64;

/// What is carried out, with nothing borrowed: it may outlive the request that began it.
pub(super) struct ReadyOperation {
    pub(super) upstream: Arc<Upstream>,
    pub(super) held: ConnectionLease,
    pub(super) permitted: Permitted<Operation>,
    /// Of the called tool, as its server has it.
    pub(super) definition: Option<Arc<Definition>>,
    pub(super) timeout: Duration,
    pub(super) result: ResultScreen,
    pub(super) reader: ScreenFor,
}

/// What the result is.
pub(super) enum ResultScreen {
    /// A tool's, and the definition by which its caller knows it.
    Tool(Arc<ToolEntry>, Arc<Definition>),
    /// The contents of a resource, or else a prompt.
    Read(Option<Arc<str>>),
}

/// The call at its server, until its end.
type ServerWork = Pin<Box<dyn Future<Output = Result<FinishedWork, CallTrouble>> + Send>>;

/// What came of it.
#[derive(Debug, Clone)]
struct FinishedWork {
    result: FinishedResult,
    /// What its record is to say besides.
    warning: Option<String>,
}

#[derive(Debug, Clone)]
enum FinishedResult {
    Held(OperationResult),
    AtLength(LongResult),
}

impl FinishedWork {
    fn told(self, record: &mut CallRecord) -> OperationOutcome {
        if let Some(warning) = self.warning {
            record.warn(warning);
        }
        match self.result {
            FinishedResult::Held(result) => OperationOutcome::Done(result),
            FinishedResult::AtLength(long) => OperationOutcome::DoneAtLength(long),
        }
    }
}

impl ReadyOperation {
    /// What a caller must bring again to go on with it.
    fn subject(&self, options: &CallOptions) -> Result<Digest, CallTrouble> {
        subject_of(self.upstream.id().as_str(), self.permitted.get(), options)
    }
}

/// The name of an operation with all its arguments, as this caller makes it: a note does not go from one
/// window to another.
fn subject_of(
    server: &str,
    operation: &Operation,
    options: &CallOptions,
) -> Result<Digest, CallTrouble> {
    let (word, target) = (operation.word(), operation.target().unwrap_or_default());
    let arguments = match operation {
        Operation::CallTool { arguments, .. } | Operation::GetPrompt { arguments, .. } => {
            arguments.clone()
        }
        _ => None,
    };
    let subject = ApprovalSubject {
        server,
        definition: Digest([0; 32]),
        caller: options.caller.as_deref(),
        address: vec![word, target],
        policy: None,
        command: None,
    };
    let whole = Operation::CallTool { name: target.into(), arguments };
    subject.digest(&whole).map_err(|why| CallTrouble::Arguments(why.to_string()))
}

impl Host {
    /// Whether an operation may have to be parked: its server asks on its connection, and its caller
    /// is asked by being sent away.
    pub(super) fn may_park(&self, held: &ConnectionLease, options: &CallOptions) -> bool {
        held.asks_meanwhile() && self.asker(options).defers()
    }

    /// Who a connection is held for. One that is asked while an operation runs, and answers at once, is
    /// better served by a server that asks then.
    pub(super) fn user<'a>(&self, options: &'a CallOptions) -> ConnectionUser<'a> {
        let asker = self.asker(options);
        let answers = asker.answers(QuestionKind::Elicit) || asker.answers(QuestionKind::Sample);
        let attendant = options.attendant.as_ref();
        let capabilities = attendant.and_then(|attendant| attendant.capabilities.as_ref());
        let is_asked_meanwhile = answers && !asker.defers();
        ConnectionUser { session: session(options), capabilities, is_asked_meanwhile }
    }

    fn asker<'a>(&'a self, options: &'a CallOptions) -> &'a Arc<dyn Asker> {
        let attendant = options.attendant.as_ref();
        attendant.map_or(&self.inner.world.asker, |attendant| &attendant.asker)
    }

    /// Carries it out to its end, or until its server asks something that only a caller who comes back
    /// can answer.
    pub(super) async fn perform_or_park(
        &self,
        ready: ReadyOperation,
        options: CallOptions,
        approved: Option<Digest>,
        record: &mut CallRecord,
    ) -> Result<OperationOutcome, CallTrouble> {
        let (server, subject) = (ready.upstream.id().clone(), ready.subject(&options)?);
        let whose = (self.principal(&options), session(&options).cloned());
        let listener = options.remarks.clone();
        let (remarks, mut said) = quiet_queue(UNREAD);
        let (asker, mut questions) = ParkingAsker::over(self.asker(&options));
        let attendant = match options.attendant {
            Some(attendant) => Attendant { asker, ..attendant },
            None => Attendant { asker, capabilities: None, party: None, takes_logs: false },
        };
        let options = CallOptions { attendant: Some(attendant), remarks: Some(remarks), ..options };
        let mut work: ServerWork = Box::pin(self.clone().carry_out(ready, options));
        let tell = |remark: ServerRemark| {
            if let Some(listener) = &listener {
                let _ = listener.try_send(remark);
            }
        };
        let first: AskedQuestion = loop {
            tokio::select! {
                biased;
                Some(remark) = said.recv() => tell(remark),
                ended = &mut work => {
                    while let Some(remark) = said.try_recv() {
                        tell(remark);
                    }
                    return ended.map(|done| done.told(record));
                }
                Some(question) = questions.recv() => break question,
            }
        };
        let chain = record.correlation();
        let parked = ParkedCall::new(server, whose, subject, approved, chain);
        let (parked, admitted) = self.inner.parked.admit(parked)?;
        record.is_round_of(&parked.chain, 0);
        let asked = self.open_round(&parked, first, &mut questions).await?;
        admitted.stays();
        tokio::spawn(drive(self.clone(), parked, work, questions, said));
        Ok(OperationOutcome::InputRequired(asked))
    }

    /// The call and what becomes of its result.
    async fn carry_out(
        self,
        ready: ReadyOperation,
        options: CallOptions,
    ) -> Result<FinishedWork, CallTrouble> {
        let ReadyOperation { upstream, held, permitted, definition, timeout, result, reader } =
            ready;
        let trouble = |error| match error {
            UpstreamError::Request(RequestError::Withheld(refusal)) => refusal.into(),
            error => CallTrouble::Upstream { server: upstream.id().clone(), error },
        };
        let (spilled, principal) = (std::sync::OnceLock::new(), self.principal(&options));
        let manner = OperationOptions {
            retry: None,
            meta: options.meta.as_deref(),
            unknown: options.unknown.as_deref(),
            principal: Some(principal.as_str()),
            input_schema: definition
                .as_ref()
                .and_then(|tool| tool.mirroring_schema(may_mirror_parameters)),
            timeout,
            ceiling: timeout.saturating_mul(CEILING),
            log_level: options.log_level,
            remarks: options.remarks,
            attendant: options.attendant,
            spilled: Some(&spilled),
            command: None,
        };
        let outcome = upstream.perform(&held, &permitted, manner).await.map_err(trouble)?;
        let spilled = spilled.into_inner().map(Box::new);
        let performed = PerformedOperation { outcome, spilled };
        let (screened, warning) = match &result {
            ResultScreen::Tool(entry, listed) => {
                let warning = check_output(&performed, (&upstream, entry))?;
                (self.screen(performed, &upstream, listed, &reader).await?, warning)
            }
            ResultScreen::Read(resource) => {
                (self.screen_read(performed, &upstream, resource.as_deref(), &reader).await?, None)
            }
        };
        let result = match screened {
            OperationOutcome::Done(result) => FinishedResult::Held(result),
            OperationOutcome::DoneAtLength(long) => FinishedResult::AtLength(long),
            // A server of the older era has no such result.
            OperationOutcome::InputRequired(_)
            | OperationOutcome::ApprovalRequired(_)
            | OperationOutcome::Task(_) => return Err(CallTrouble::Unreadable),
        };
        Ok(FinishedWork { result, warning })
    }

    /// A caller is back with what a parked call waits for. The call itself was decided about anew.
    pub(super) async fn go_on(
        &self,
        note: &ResumeToken,
        (server, operation): (&str, &Operation),
        options: CallOptions,
        (record, safely): (&mut CallRecord, bool),
    ) -> Result<OperationOutcome, CallTrouble> {
        let approvals = &self.inner.approvals;
        let round = approvals.parked_round(note).ok_or(CallTrouble::OutcomeUnknown)?;
        let parked = self.inner.parked.get(note.reference()).ok_or(CallTrouble::OutcomeUnknown)?;
        if !parked.is_of(subject_of(server, operation, &options)?) {
            return Err(Refusal::Changed.into());
        }
        record.is_round_of(&parked.chain, u32::try_from(round + 1).unwrap_or(u32::MAX));
        record.begin(safely).await?;
        let waiting = parked.wait(options.remarks);
        parked.answer(round, options.retry.unwrap_or_default())?;
        match waiting.after(round).await {
            ChainStep::Asked(asked) => Ok(OperationOutcome::InputRequired(asked)),
            ChainStep::Ended(Ok(done)) => Ok(done.told(record)),
            ChainStep::Ended(Err(error)) => Err(CallTrouble::Inner(error)),
        }
    }

    /// The same for the call of a tool, which may still be made. What a person approved when it began
    /// is not asked again; what would have to be asked by now is another call.
    pub(super) async fn rejoin(
        &self,
        prepared: PreparedCall,
        note: &ResumeToken,
        call: Call,
        record: &mut CallRecord,
    ) -> Result<OperationOutcome, CallTrouble> {
        let (upstream, tool) = match prepared {
            PreparedCall::Ready(ready) => (ready.upstream, ready.listed),
            PreparedCall::Unasked(question) => {
                let parked = self.inner.parked.get(note.reference());
                let parked = parked.ok_or(CallTrouble::OutcomeUnknown)?;
                if parked.approved != Some(question.subject) {
                    return Err(Refusal::Changed.into());
                }
                (question.upstream, question.live)
            }
            PreparedCall::Own(_) => return Err(CallTrouble::Unreadable),
        };
        let name = tool.key.clone();
        let operation = Operation::CallTool { name, arguments: call.arguments };
        let safely = self.records_first(upstream.trust(), &tool);
        let what = (upstream.id().as_str(), &operation);
        self.go_on(note, what, call.options, (record, safely)).await
    }
}

/// A server that asks on its connection never asked by its results: nothing answers that.
pub(super) fn refuse_answers(
    held: &ConnectionLease,
    retry: Option<&RetryAnswers>,
) -> Result<(), CallTrouble> {
    match retry {
        Some(_) if held.asks_meanwhile() => {
            Err(CallTrouble::State("what came back answers nothing that was asked".to_owned()))
        }
        _ => Ok(()),
    }
}
