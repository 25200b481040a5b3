//! What is told of a task, fit for who reads it: its result is screened as that of a call is, what it asks
//! is asked under its server's name, and what it says of itself stays within the room of a result.

use serde_json::value::RawValue;
use toolgate_types::{OperationOutcome, TaskReport, TaskState};
use toolgate_upstream::{RequestError, SpilledAnswer, Upstream};

use crate::call::call_trouble::CallTrouble;
use crate::call::check_output::check_output;
use crate::call::rounds::{PerformedOperation, refuse_forbidden};
use crate::call::screen::ScreenFor;
use crate::call::speak_for_server::task_asks_under_its_name;
use crate::members::members;
use crate::{Host, ToolEntry};

/// However little room a result has, a task may say this much of itself.
const LEAST_ROOM: usize = 8 * 1024;

/// A report, and what its record is to say besides.
pub(super) struct ScreenedReport {
    pub(super) report: TaskReport,
    pub(super) warning: Option<String>,
}

impl Host {
    pub(super) async fn screen_report(
        &self,
        TaskReport { id, state, frame }: TaskReport,
        spilled: Option<Box<SpilledAnswer>>,
        (upstream, entry): (&Upstream, &ToolEntry),
        reader: &ScreenFor,
    ) -> Result<ScreenedReport, CallTrouble> {
        let trouble = |error: RequestError| CallTrouble::Upstream {
            server: upstream.id().clone(),
            error: error.into(),
        };
        let room = self.frame_room(upstream, entry, reader);
        let is_cut = spilled.as_ref().is_some_and(|spilled| spilled.mark().is_in(frame.get()));
        let is_wordy = |raw: &RawValue| raw.get().len() > room;
        if is_cut || is_wordy(&frame) {
            let why = "it says more of its task than is passed on".to_owned();
            return Err(trouble(RequestError::Protocol(why)));
        }
        let masker = self.inner.journal.masker();
        let masked = |raw: Box<RawValue>| {
            let text = masker.mask_json(raw.get()).into_owned();
            RawValue::from_string(text).unwrap_or_default()
        };
        let frame = match upstream.entry().value.mask_results {
            true => masked(frame),
            false => frame,
        };
        let mut warning = None;
        let state = match state {
            TaskState::Completed(done) => {
                let definition = entry.definition().ok_or(CallTrouble::Unreadable)?;
                let performed =
                    PerformedOperation { outcome: OperationOutcome::Done(done), spilled };
                warning = check_output(&performed, (upstream, entry))?;
                match self.screen(performed, upstream, definition, &reader.within_report()).await? {
                    OperationOutcome::Done(done) => TaskState::Completed(done),
                    _ => return Err(CallTrouble::Unreadable),
                }
            }
            // Of a question or an error nothing may be missing.
            _ if spilled.is_some() => return Err(trouble(RequestError::too_large())),
            TaskState::InputRequired { mut questions, requests } => {
                refuse_forbidden(upstream, &questions)?;
                let named = task_asks_under_its_name(upstream.id(), &mut questions, &requests);
                let requests = named.ok_or(CallTrouble::Unreadable)?;
                TaskState::InputRequired { questions, requests }
            }
            TaskState::Failed(error) if is_wordy(&error) => {
                let why = "its task failed with an error that is too long to pass on".to_owned();
                return Err(trouble(RequestError::Protocol(why)));
            }
            // It may repeat in an error what it was given.
            TaskState::Failed(error) => {
                let error = masked(error);
                let [message] = members(&error, ["message"]).unwrap_or_default();
                let message = message.map_or("no message", RawValue::get);
                warning = Some(format!("the task failed at its server: {message}"));
                TaskState::Failed(error)
            }
            state @ (TaskState::Working | TaskState::Cancelled) => state,
        };
        Ok(ScreenedReport { report: TaskReport { id, state, frame }, warning })
    }

    fn frame_room(&self, upstream: &Upstream, entry: &ToolEntry, reader: &ScreenFor) -> usize {
        let tool = entry.definition().map(|tool| &*tool.key).unwrap_or_default();
        let own = upstream.entry().value.tool_settings.get(tool);
        let own = own.and_then(|tool| tool.result_bytes);
        self.text_limit(own, reader.reader()).max(LEAST_ROOM)
    }
}
