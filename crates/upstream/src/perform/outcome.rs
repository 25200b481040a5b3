//! From the result of an operation to its outcome: done, or the server wants answers first, or it goes
//! on as a task.

use serde_json::value::RawValue;
use toolgate_types::{InputRequired, Operation, OperationOutcome, OperationResult, TaskRequest};
use toolgate_wire::outcome::{IS_ERROR, ResultGlance, ResultKind};
use toolgate_wire::{Era, RawObject};

use super::question::question;
use super::task_report;
use crate::failure::RequestError;

/// The kind of a result that stands for one to come.
const TASK: &str = "task";

pub(super) fn of(
    operation: &Operation,
    result: Box<RawValue>,
    era: Era,
    takes_tasks: bool,
) -> Result<OperationOutcome, RequestError> {
    // Nearly every result. One of the older era never says what kind it is.
    let glance = ResultGlance::at(&result);
    let is_over = era == Era::Legacy || glance.is_complete();
    if is_over && !glance.may_be_error() && !is_asked_for_task(operation) {
        return Ok(done(false, result));
    }
    let broken = |why: String| RequestError::Protocol(why);
    let (questions, state) = {
        // What is no object says nothing about itself; some servers answer `null`.
        let Ok(object) = RawObject::parse(&result) else { return Ok(done(false, result)) };
        match kind(&object, era).map_err(|error| broken(error.to_string()))? {
            ResultKind::Complete { .. } if is_asked_for_task(operation) => {
                return Ok(OperationOutcome::Task(task_report::of(&object)?));
            }
            ResultKind::Complete { is_error } => return Ok(done(is_error, result)),
            ResultKind::InputRequired { .. } if !may_ask(operation) => {
                return Err(broken("input is required where none can be given".to_owned()));
            }
            ResultKind::InputRequired { requests, state } => {
                let members = requests.iter().flat_map(RawObject::members);
                let questions = members.map(question).collect::<Result<Vec<_>, _>>()?;
                (questions, state.map(ToOwned::to_owned))
            }
            ResultKind::Other(kind)
                if kind == TASK && matches!(operation, Operation::CallTool { .. }) =>
            {
                if !takes_tasks {
                    return Err(RequestError::UntoldTask);
                }
                return Ok(OperationOutcome::Task(task_report::of_begun(&object)?));
            }
            ResultKind::Other(kind) => {
                let kind = toolgate_types::visible(&kind.chars().take(60).collect::<String>());
                return Err(broken(format!("a result of the unknown kind `{kind}`")));
            }
        }
    };
    Ok(OperationOutcome::InputRequired(InputRequired { questions, state, result }))
}

/// A server of the older era never says what kind a result is: such a member is the tool's own.
fn kind<'a>(
    object: &RawObject<'a>,
    era: Era,
) -> Result<ResultKind<'a>, toolgate_wire::outcome::ResultError> {
    match era {
        Era::Modern => ResultKind::of_object(object),
        Era::Legacy => {
            let is_error = object.get(IS_ERROR).is_some_and(|raw| raw.get() == "true");
            Ok(ResultKind::Complete { is_error })
        }
    }
}

fn done(is_error: bool, result: Box<RawValue>) -> OperationOutcome {
    OperationOutcome::Done(OperationResult { is_error, result })
}

fn may_ask(operation: &Operation) -> bool {
    match operation {
        Operation::CallTool { .. }
        | Operation::ReadResource { .. }
        | Operation::GetPrompt { .. } => true,
        Operation::Complete { .. }
        | Operation::Subscribe { .. }
        | Operation::Unsubscribe { .. }
        | Operation::Task { .. } => false,
    }
}

fn is_asked_for_task(operation: &Operation) -> bool {
    matches!(operation, Operation::Task { request: TaskRequest::Get, .. })
}
