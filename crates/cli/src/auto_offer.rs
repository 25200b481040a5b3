//! The one question that offers `approval = "auto"`, and what it means.

use toolgate_terminal::{CommandOutput, can_ask, confirm};

/// What `auto` means, in one question; `whose` is "its tools" or the like.
fn question(whose: &str) -> String {
    format!(
        "let {whose} that only read run without asking you? The server says which those are; what \
         changes something, and tools that it adds later, still ask"
    )
}

/// Whether a person wants that. Only somebody at a terminal is asked, and no program's output holds it.
pub(crate) fn accepts_auto(whose: &str, output: &mut CommandOutput) -> bool {
    if output.json || output.is_quiet() || !can_ask() {
        return false;
    }
    output.flush();
    confirm(&question(whose))
}
