//! Arguments that make no sense, and the help that was asked for.

use toolgate_terminal::say_wrong_usage;

/// Says what is wrong with the arguments, or gives the help that was asked for; with which code the
/// program ends.
pub(crate) fn wrong_arguments(error: &clap::Error) -> u8 {
    if error.use_stderr() {
        say_wrong_usage(&error.render().to_string());
    } else {
        // Help and version are our own words; a reader that went away does not need them.
        let _ = error.print();
    }
    u8::try_from(error.exit_code()).unwrap_or(2)
}
