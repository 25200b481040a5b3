//! `toolgate __daemon`: the daemon, which a shim starts when nothing answers. It says on its standard
//! output that it is ready, or why it will not be, and nothing else.

use toolgate_control::DAEMON_READY;
use toolgate_daemon::run_daemon;
use toolgate_terminal::{CommandOutput, OutputStream, PrintableText};

use crate::console::CommandConsole;
use crate::failure::CommandResult;
use crate::surroundings::Surroundings;

/// Runs until nobody uses it.
pub(crate) fn run(surroundings: &Surroundings, output: &mut CommandOutput) -> CommandResult {
    let ended = run_daemon(&surroundings.run_settings(), &mut CommandConsole(output), || {
        tell(DAEMON_READY);
    });
    if let Err(failure) = &ended {
        tell(&failure.message);
    }
    Ok(ended?)
}

/// One line for whoever started us. It may not listen any more.
fn tell(words: &str) {
    let words = words.replace('\n', " ");
    let _ = OutputStream::Data.put(&PrintableText::line(&words).ended());
}
