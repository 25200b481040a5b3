//! `toolgate serve`: the gateway, in the foreground, until a signal ends it.

mod welcome;

pub(super) use welcome::greet;

use toolgate_daemon::{ServeRequest, serve};
use toolgate_terminal::CommandOutput;

use crate::args::ServeArgs;
use crate::command_host::report_problems;
use crate::console::CommandConsole;
use crate::errand::standpoint_of;
use crate::failure::{CliFailure, CommandResult};
use crate::surroundings::Surroundings;

pub(crate) fn run(
    arguments: &ServeArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    // The hosts that it serves read it anew.
    let loaded = surroundings.load_written();
    report_problems(&loaded, output)?;
    if let Some(failed) = loaded.own_file_failed() {
        output.warning_lines(&failed.problem.to_string());
        output.warning("no tools are served until your own file can be read");
    }
    for problem in &loaded.not_yet {
        output.warning_lines(&problem.to_string());
    }
    let ServeArgs { listen, auth, naming, ref step_bundles } = *arguments;
    for step in step_bundles {
        step.check(&loaded.config).map_err(CliFailure::new)?;
    }
    let mut settings = surroundings.run_settings();
    settings.options.given_steps.clone_from(step_bundles);
    let standpoint = standpoint_of(&loaded, surroundings)?;
    let config = &loaded.config;
    let serves_suite = config.servers.is_empty() && config.tools.is_empty();
    let request = ServeRequest { loaded: &loaded, standpoint, listen, auth, naming };
    let served = serve(
        request,
        &settings,
        &mut CommandConsole(output),
        |started, CommandConsole(output)| {
            greet(started, serves_suite, surroundings, output);
        },
    );
    Ok(served?)
}
