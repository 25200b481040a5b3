//! How a call ended, in the words of logs and traces, and how grave that is.

use toolgate_types::{Code, Ending, Fault};
use tracing::Level;

pub(super) fn ending_words(ending: Ending) -> (Level, &'static str, Option<&'static str>) {
    match ending {
        Ending::Done => (Level::DEBUG, "done", None),
        Ending::ToolError => (Level::INFO, "tool_error", None),
        Ending::InputRequired => (Level::INFO, "input_required", None),
        Ending::Aborted => (Level::WARN, "aborted", None),
        Ending::Failed(code) => {
            let is_ours = code.fault() == Fault::Toolgate;
            let level = if is_ours { Level::ERROR } else { Level::WARN };
            (level, "failed", Some(Code::as_str(code)))
        }
    }
}
