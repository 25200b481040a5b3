//! `toolgate completions <shell>`.

use clap::CommandFactory as _;
use clap_complete::Shell;
use toolgate_terminal::CommandOutput;

use crate::args::CommandLineArgs;
use crate::failure::{CliFailure, CommandResult, Exit};

pub(crate) fn run(shell: Shell, output: &mut CommandOutput) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut CommandLineArgs::command(), "toolgate", &mut script);
    output.raw(&String::from_utf8(script).map_err(CliFailure::new)?);
    Ok(Exit::Ok)
}
