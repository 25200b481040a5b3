//! `toolgate man`: the manual page, with a section for every verb.

use clap::CommandFactory as _;
use toolgate_terminal::CommandOutput;

use crate::args::CommandLineArgs;
use crate::failure::{CliFailure, CommandResult, Exit};

pub(crate) fn run(output: &mut CommandOutput) -> CommandResult {
    let mut command = CommandLineArgs::command();
    command.build();
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page).map_err(CliFailure::new)?;
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        let title = format!("toolgate-{}", verb.get_name());
        let verb = clap_mangen::Man::new(verb.clone()).title(title);
        verb.render_synopsis_section(&mut page).map_err(CliFailure::new)?;
        verb.render_description_section(&mut page).map_err(CliFailure::new)?;
        verb.render_options_section(&mut page).map_err(CliFailure::new)?;
    }
    output.raw(&String::from_utf8(page).map_err(CliFailure::new)?);
    Ok(Exit::Ok)
}
