//! The record of one call, from its begin to whatever its end is.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use toolgate_mask::Masker;
use toolgate_types::{
    CallEnding, CallError, CallRef, Caller, CorrelationId, Definition, HostEvent, ServerId,
    TraceParent,
};

use crate::draft::{CallTerms, CommandRecord, RecordDraft};
use crate::journal::{CallJournal, Unrecorded, now};
use crate::steps::{CallStep, TimedSteps};

/// An open record. Its end is written exactly once, also when the call is simply dropped.
pub struct CallRecord {
    journal: CallJournal,
    /// Gone once it is finished or withdrawn.
    draft: Option<Box<RecordDraft>>,
    began: Instant,
    is_announced: bool,
    /// Whether each round is written down before it runs.
    is_safe: bool,
}

impl CallJournal {
    /// Opens a record for what a caller asked; who will do it is not known yet.
    pub fn open(
        &self,
        word: &'static str,
        target: impl Into<Arc<str>>,
        caller: Option<Arc<Caller>>,
    ) -> CallRecord {
        let began = Instant::now();
        let correlation = CorrelationId::next();
        let target = target.into();
        let call = CallRef { correlation, server: None, word, target, trace: None }.into();
        let draft = RecordDraft {
            at: now(),
            call,
            caller,
            round: 0,
            chain: None,
            terms: CallTerms::default(),
            decision: None,
            arguments: None,
            definition: None,
            bytes_out: 0,
            command: None,
            warning: None,
            steps: TimedSteps::begin(began),
            error: None,
            detail: None,
            told: OnceLock::new(),
        };
        let (journal, draft) = (self.clone(), Some(Box::new(draft)));
        CallRecord { journal, draft, began, is_announced: false, is_safe: false }
    }
}

impl CallRecord {
    pub fn correlation(&self) -> CorrelationId {
        match &self.draft {
            Some(draft) => draft.call.correlation.clone(),
            // It is finished or withdrawn: nothing is written that could be found by it.
            None => CorrelationId::next(),
        }
    }

    pub(crate) fn draft(&self) -> Option<&RecordDraft> {
        self.draft.as_deref()
    }

    pub(crate) fn journal(&self) -> &CallJournal {
        &self.journal
    }

    /// Masks what must not be read.
    pub fn masker(&self) -> Masker {
        self.journal.masker().clone()
    }

    /// The call is for this server and for what it calls by this name.
    pub fn is_for(&mut self, server: &ServerId, target: impl Into<Arc<str>>) {
        if let Some(draft) = &mut self.draft {
            let call = Arc::make_mut(&mut draft.call);
            call.server = Some(server.clone());
            call.target = target.into();
            draft.told = OnceLock::new();
        }
    }

    /// The caller counts it to a trace of its own.
    pub fn within(&mut self, trace: Option<TraceParent>) {
        if let Some(draft) = &mut self.draft {
            Arc::make_mut(&mut draft.call).trace = trace;
        }
    }

    pub fn with_arguments(&mut self, arguments: Option<Arc<RawValue>>) {
        if let Some(draft) = &mut self.draft {
            draft.arguments = arguments;
            draft.told = OnceLock::new();
        }
    }

    pub fn under(&mut self, terms: CallTerms) {
        if let Some(draft) = &mut self.draft {
            draft.terms = terms;
            draft.told = OnceLock::new();
        }
    }

    /// The call is of this tool.
    pub fn of_tool(&mut self, definition: &Arc<Definition>) {
        if let Some(draft) = &mut self.draft {
            draft.definition = Some(Arc::clone(definition));
            draft.told = OnceLock::new();
        }
    }

    /// What was decided, and by which rule.
    pub fn decided(&mut self, word: &'static str, rule: Cow<'static, str>) {
        if let Some(draft) = &mut self.draft {
            draft.decision = Some((word, rule));
        }
    }

    /// It is one round of a call whose first had this reference.
    pub fn is_round_of(&mut self, chain: &CorrelationId, round: u32) {
        if let Some(draft) = &mut self.draft {
            (draft.chain, draft.round) = (Some(chain.clone()), round);
        }
    }

    /// The call only passes on another, which has a record of its own: nothing is written or told of
    /// this one.
    pub fn withdraw(&mut self) {
        self.draft = None;
    }

    /// It ran a command, which ended so.
    pub fn ran(&mut self, command: CommandRecord) {
        if let Some(draft) = &mut self.draft {
            draft.command = Some(command);
        }
    }

    /// What came of it counts, and is odd.
    pub fn warn(&mut self, warning: String) {
        if let Some(draft) = &mut self.draft {
            draft.warning = Some(warning);
        }
    }

    /// A step of the call is over.
    pub fn took(&mut self, step: CallStep) {
        if let Some(draft) = &mut self.draft {
            draft.steps.took(step, Instant::now());
        }
    }

    /// It goes to the server now. With `safely`, only once that is written down.
    pub async fn begin(&mut self, safely: bool) -> Result<(), Unrecorded> {
        let Some(draft) = &mut self.draft else { return Ok(()) };
        match safely {
            true => self.journal.keep_now(None, draft).await?,
            false => self.journal.admit()?,
        }
        self.is_safe = safely;
        self.announce();
        self.took(CallStep::Record);
        Ok(())
    }

    /// The server asked for something, and now gets it: one round has ended, the next begins.
    pub async fn next_round(&mut self, bytes_out: u64) -> Result<(), Unrecorded> {
        let Some(draft) = &mut self.draft else { return Ok(()) };
        let mut ended = draft.clone();
        ended.bytes_out = bytes_out;
        ended.steps.took(CallStep::Perform, Instant::now());
        draft.round = draft.round.saturating_add(1);
        let took = micros(self.began.elapsed());
        if self.is_safe {
            return self.journal.keep_now(Some((&ended, took)), draft).await;
        }
        self.journal.keep_end(ended, CallEnding::InputRequired, took).await;
        Ok(())
    }

    pub async fn finish(mut self, ending: CallEnding, bytes_out: u64, error: Option<&CallError>) {
        let micros = self.tell(ending);
        let Some(mut draft) = self.draft.take() else { return };
        draft.bytes_out = bytes_out;
        draft.error = error.map(|error| error.message.clone());
        draft.detail = error.and_then(|error| error.detail.clone());
        self.journal.keep_end(draft, ending, micros).await;
    }

    fn announce(&mut self) {
        if let Some(draft) = self.draft.as_ref().filter(|_| !self.is_announced) {
            let call = Arc::clone(&draft.call);
            self.is_announced = true;
            self.journal.listener().happened(HostEvent::CallBegan { call });
        }
    }

    /// What never began is still told: a refused call is the more interesting one.
    fn tell(&mut self, ending: CallEnding) -> u64 {
        self.announce();
        let duration = self.began.elapsed();
        if let Some(draft) = &self.draft {
            let call = Arc::clone(&draft.call);
            self.journal.listener().happened(HostEvent::CallEnded { call, duration, ending });
        }
        micros(duration)
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

impl Drop for CallRecord {
    fn drop(&mut self) {
        if self.draft.is_some() {
            let micros = self.tell(CallEnding::Aborted);
            if let Some(draft) = self.draft.take() {
                self.journal.keep_eventually(draft, CallEnding::Aborted, micros);
            }
        }
    }
}

impl std::fmt::Debug for CallRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let call = self.draft.as_ref().map(|draft| &draft.call);
        f.debug_struct("CallRecord").field("call", &call).finish_non_exhaustive()
    }
}
