//! The command `toolgate`: reads the arguments, runs one verb, ends with its exit code.
//!
//! Each verb is one file under `commands/`. Only this crate prints, asks, and looks at the process
//! environment.

mod args;
mod auto_offer;
mod call_arguments;
mod carry;
mod command_host;
mod command_runtime;
mod commands;
mod console;
mod daemon_starter;
mod errand;
mod failure;
mod fetch_packages;
mod gate_verb;
mod list_lines;
mod pinned_tools;
mod progress;
mod server_run;
mod surroundings;
mod terminal_asker;
mod trust_standing;
mod warm;
mod wrong_arguments;

use std::process::ExitCode;

use toolgate_terminal::{CommandOutput, ProtocolOutput};

use crate::args::CommandLineArgs;
use crate::failure::{CliFailure, Exit};
use crate::surroundings::Surroundings;

fn main() -> ExitCode {
    // This program is also the one that watches over what it starts.
    toolgate_sandbox::init();
    // Tokens stand in its memory.
    toolgate_sandbox::leave_no_core_file();
    // And the one that answers queries over what is kept.
    let input = std::io::stdin();
    toolgate_servers::answer_query_if_asked(std::env::args_os(), input, ProtocolOutput::open);
    toolgate_terminal::say_when_panicking();
    toolgate_daemon::read_gates_with(gate_verb::gate_verb);
    let arguments = match CommandLineArgs::of_process() {
        Ok(arguments) => arguments,
        Err(error) => return ExitCode::from(wrong_arguments::wrong_arguments(&error)),
    };
    let mut output = CommandOutput::new(arguments.common.output_choice());
    let done = Surroundings::of_process(&arguments.common)
        .and_then(|surroundings| commands::run(arguments.verb, &surroundings, &mut output));
    let exit = match done {
        Ok(Exit::Ok) => Exit::Ok,
        // What is wrong was said; a program that got no document of it gets one.
        Ok(exit) => {
            CliFailure::new(exit.meaning()).exits(exit).document(&mut output);
            exit
        }
        Err(failure) => {
            failure.tell(&mut output);
            failure.exit
        }
    };
    output.finish();
    ExitCode::from(exit as u8)
}
