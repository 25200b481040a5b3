//! `toolgate serve`: the gateway, in the foreground, until a signal ends it.

use crate::args::Serve;
use crate::failure::Done;
use crate::output::Output;
use crate::serving::serve;
use crate::surroundings::Surroundings;

pub(crate) fn run(arguments: &Serve, surroundings: &Surroundings, output: &mut Output) -> Done {
    serve(arguments, surroundings, output)
}
