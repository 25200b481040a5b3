//! `toolgate logs`: what was logged by the daemon and by every other run, the newest last.
//!
//! Which lines there are, and that no secret is in them, was settled when they were written.

mod files;
mod line;

use std::time::Duration;

use crate::args::Logs;
use crate::command_host::cancelled_at_interrupt;
use crate::failure::{Done, Exit, Failure};
use crate::output::Output;
use crate::surroundings::Surroundings;
use files::Files;

/// How often a file is looked at for more.
const EVERY: Duration = Duration::from_millis(200);

pub(crate) fn run(arguments: &Logs, surroundings: &Surroundings, output: &mut Output) -> Done {
    let Logs { follow, lines } = *arguments;
    let folder = surroundings.log_folder()?;
    let mut files = Files::open(&folder)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", folder.display())))?;
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
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(format!("cannot start: {error}")))?;
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

fn print(line: &str, output: &mut Output) {
    match output.json {
        true => output.json_text(line),
        false => output.line(line::text(line)),
    }
}
