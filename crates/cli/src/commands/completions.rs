//! `toolgate completions <shell>`.

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::args::Arguments;
use crate::failure::{Done, Exit, Failure};
use crate::output::Output;

pub(crate) fn run(shell: Shell, output: &mut Output) -> Done {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "toolgate", &mut script);
    output.raw(&String::from_utf8(script).map_err(Failure::new)?);
    Ok(Exit::Ok)
}
