//! How a call ended, in the words of logs and traces, and how grave that is.

use toolgate_types::{CallEnding, Code, Fault};
use tracing::Level;

pub(super) fn ending_words(ending: CallEnding) -> (Level, &'static str, Option<&'static str>) {
    match ending {
        CallEnding::Done => (Level::DEBUG, "done", None),
        CallEnding::ToolError => (Level::INFO, "tool_error", None),
        CallEnding::InputRequired => (Level::INFO, "input_required", None),
        CallEnding::Task => (Level::INFO, "task", None),
        CallEnding::Aborted => (Level::WARN, "aborted", None),
        CallEnding::Failed(code) => {
            let is_ours = code.fault() == Fault::Toolgate;
            let level = if is_ours { Level::ERROR } else { Level::WARN };
            (level, "failed", Some(Code::as_str(code)))
        }
    }
}
