//! What a server says of a task, read once: which one it is, its state, and what only that state has.
//!
//! Members of another state than the one it names are left out: whoever reads them would take them for
//! looked at.

use serde_json::value::RawValue;
use toolgate_types::{OperationResult, TaskReport, TaskState, visible};
use toolgate_wire::outcome::IS_ERROR;
use toolgate_wire::{ObjectSplice, RawObject};

use super::question::question;
use crate::failure::RequestError;

/// The longest id that a task may have: it becomes a part of another.
const LONGEST_ID: usize = 1024;

/// A report that was asked for.
pub(super) fn of(object: &RawObject<'_>) -> Result<TaskReport, RequestError> {
    let (id, status) = (id(object)?, status(object)?);
    let own = |key: &str| match object.get_some(key) {
        Some(raw) => Ok(raw),
        None => Err(broken(&format!("that is `{status}` without `{key}`"))),
    };
    let state = match &*status {
        "working" => TaskState::Working,
        "cancelled" => TaskState::Cancelled,
        "input_required" => {
            let requests = own(TaskReport::REQUESTS)?;
            let unfit = |_| broken("whose questions are no object");
            let read = RawObject::parse(requests).map_err(unfit)?;
            let questions = read.members().map(question).collect::<Result<_, _>>()?;
            TaskState::InputRequired { questions, requests: requests.to_owned() }
        }
        "completed" => {
            let result = own(TaskReport::RESULT)?;
            let unfit = |_| broken("whose result is no object");
            let read = RawObject::parse(result).map_err(unfit)?;
            let is_error = read.get(IS_ERROR).is_some_and(|raw| raw.get() == "true");
            TaskState::Completed(OperationResult { is_error, result: result.to_owned() })
        }
        "failed" => {
            let error = own(TaskReport::ERROR)?;
            RawObject::parse(error).map_err(|_| broken("whose error is no object"))?;
            TaskState::Failed(error.to_owned())
        }
        other => {
            let other = visible(&other.chars().take(60).collect::<String>());
            return Err(broken(&format!("of the unknown status `{other}`")));
        }
    };
    Ok(TaskReport { id, state, frame: frame(object)? })
}

/// The first report, in the place of a call's result: what came of the call is to be asked for.
pub(super) fn of_begun(object: &RawObject<'_>) -> Result<TaskReport, RequestError> {
    status(object)?;
    Ok(TaskReport { id: id(object)?, state: TaskState::Working, frame: frame(object)? })
}

fn id(object: &RawObject<'_>) -> Result<String, RequestError> {
    let id = object.text(TaskReport::ID).ok_or_else(|| broken("without a `taskId`"))?;
    match id.len() <= LONGEST_ID {
        true => Ok(id.into_owned()),
        false => Err(broken("whose `taskId` is too long")),
    }
}

fn status(object: &RawObject<'_>) -> Result<String, RequestError> {
    let status = object.text("status").ok_or_else(|| broken("without a `status`"))?;
    Ok(status.into_owned())
}

/// A reader that ignores case would find there what was left out.
fn frame(object: &RawObject<'_>) -> Result<Box<RawValue>, RequestError> {
    let [requests, result, error] = TaskReport::OF_STATES;
    if object.case_variant_of(&[TaskReport::ID, "status", requests, result, error]).is_some() {
        return Err(broken("with a member that differs only in case from one of the protocol"));
    }
    let mut frame = ObjectSplice::of(object);
    for key in TaskReport::OF_STATES {
        frame.remove(key);
    }
    frame.to_raw().map_err(|error| broken(&format!("that cannot be read: {error}")))
}

fn broken(why: &str) -> RequestError {
    RequestError::Protocol(format!("it told of a task {why}"))
}
