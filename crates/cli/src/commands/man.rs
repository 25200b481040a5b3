//! `toolgate man`: the manual page, with a section for every verb.

use clap::CommandFactory as _;

use crate::args::Arguments;
use crate::failure::{Done, Exit, Failure};
use crate::output::Output;

pub(crate) fn run(output: &mut Output) -> Done {
    let mut command = Arguments::command();
    command.build();
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page).map_err(Failure::new)?;
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        let title = format!("toolgate-{}", verb.get_name());
        let verb = clap_mangen::Man::new(verb.clone()).title(title);
        verb.render_synopsis_section(&mut page).map_err(Failure::new)?;
        verb.render_description_section(&mut page).map_err(Failure::new)?;
        verb.render_options_section(&mut page).map_err(Failure::new)?;
    }
    output.raw(&String::from_utf8(page).map_err(Failure::new)?);
    Ok(Exit::Ok)
}
