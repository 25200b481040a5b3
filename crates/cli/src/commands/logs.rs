//! `toolgate logs`: what was logged by the daemon and by every other run, the newest last.
//!
//! Which lines there are, and that no secret is in them, was settled when they were written.

use std::time::Duration;

use toolgate_daemon::LogFileReader;
use toolgate_terminal::{CommandOutput, log_line_text};

use crate::args::LogsArgs;
use crate::command_runtime::{cancelled_at_interrupt, command_runtime};
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::Surroundings;

/// How often a file is looked at for more.
const EVERY: Duration = Duration::from_millis(200);

pub(crate) fn run(
    arguments: &LogsArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let LogsArgs { follow, lines } = *arguments;
    let folder = surroundings.log_folder()?;
    let mut files = LogFileReader::open(&folder)
        .map_err(|error| CliFailure::new(format!("cannot read {}: {error}", folder.display())))?;
    let all = files.more();
    for line in &all[all.len().saturating_sub(lines)..] {
        print(line, output);
    }
    if !follow {
        if all.is_empty() {
            output.note("nothing was logged yet");
        }
        return Ok(Exit::Ok);
    }
    let runtime = command_runtime()?;
    runtime.block_on(async {
        let interrupted = cancelled_at_interrupt();
        while output.is_read() {
            if interrupted.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_none() {
                break;
            }
            files.more().iter().for_each(|line| print(line, output));
        }
    });
    Ok(Exit::Ok)
}

fn print(line: &str, output: &mut CommandOutput) {
    match output.json {
        true => output.json_text(line),
        false => output.line(log_line_text(line)),
    }
}
