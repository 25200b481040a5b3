//! The arguments of a call from the command line, a file or standard input.

use std::io::Read as _;

use toolgate_control::CommandFailure;
use toolgate_daemon::CallArguments;
use toolgate_types::visible;

use crate::failure::CliFailure;
use crate::surroundings::Surroundings;

/// What was typed as pairs and as `--args`.
pub(crate) fn read_arguments(
    pairs: &[String],
    object: Option<&str>,
    surroundings: &Surroundings,
) -> Result<CallArguments, CliFailure> {
    Ok(CallArguments::of(pairs, object, |given| text_of(given, surroundings))?)
}

/// An object that stands on the command line, in a file or on standard input.
fn text_of(given: &str, surroundings: &Surroundings) -> Result<String, CommandFailure> {
    let unread = |what: &str, error: std::io::Error| {
        CommandFailure::usage(format!("--args: cannot read {}: {error}", visible(what)))
    };
    match (given, given.strip_prefix('@')) {
        ("-", _) => {
            let mut text = String::new();
            let read = std::io::stdin().lock().read_to_string(&mut text);
            read.map_err(|error| unread("standard input", error))?;
            Ok(text)
        }
        (_, Some(path)) => std::fs::read_to_string(surroundings.cwd.join(path))
            .map_err(|error| unread(path, error)),
        (inline, None) => Ok(inline.to_owned()),
    }
}
