//! `toolgate serve`: the gateway, in the foreground, until a signal ends it.

mod welcome;

use toolgate_daemon::{ServeRequest, serve};

use crate::args::{Scope, Serve};
use crate::command_host::report_problems;
use crate::failure::Done;
use crate::output::Output;
use crate::surroundings::Surroundings;

pub(crate) fn run(arguments: &Serve, surroundings: &Surroundings, output: &mut Output) -> Done {
    let loaded = surroundings.load(Scope::Effective);
    report_problems(&loaded, output)?;
    let Serve { listen, auth, naming } = *arguments;
    let request = ServeRequest { loaded: &loaded, listen, auth, naming };
    let served = serve(&request, &surroundings.run_settings(), output, |started, output| {
        welcome::greet(started, surroundings, output);
    });
    Ok(served?)
}
