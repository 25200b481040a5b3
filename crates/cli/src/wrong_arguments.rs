//! Arguments that make no sense, and the help that was asked for.

use clap::error::ErrorKind;
use toolgate_terminal::{CommandOutput, OutputChoice, say_wrong_usage};

use crate::failure::CliFailure;

/// Says what is wrong with the arguments, or gives the help that was asked for; with which code the
/// program ends.
pub(crate) fn wrong_arguments(error: &clap::Error) -> u8 {
    if error.use_stderr() {
        let text = error.render().to_string();
        let choice = OutputChoice { json: is_json_wanted(), ..OutputChoice::default() };
        let mut output = CommandOutput::new(choice);
        match error.kind() {
            // Which there are is a page of its own.
            ErrorKind::MissingSubcommand => {
                let failure = CliFailure::usage("a command is missing");
                failure.hint("see `toolgate --help`").tell(&mut output);
            }
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                say_wrong_usage(&text);
                CliFailure::usage("a command is missing").document(&mut output);
            }
            _ => {
                say_wrong_usage(&text);
                failure(&text).document(&mut output);
            }
        }
        output.finish();
    } else {
        // Help and version are our own words; a reader that went away does not need them.
        let _ = error.print();
    }
    u8::try_from(error.exit_code()).unwrap_or(2)
}

/// What was typed could not be read, so this is looked for in its words.
fn is_json_wanted() -> bool {
    std::env::args_os().skip(1).take_while(|word| word != "--").any(|word| word == "--json")
}

/// From the page that a person gets: its first paragraph, and the tip in it.
fn failure(page: &str) -> CliFailure {
    let mut paragraphs = page.split("\n\n");
    let first = paragraphs.next().unwrap_or_default();
    let failure = CliFailure::usage(first.strip_prefix("error: ").unwrap_or(first).trim_end());
    let mut tips = paragraphs.filter_map(|one| one.trim().strip_prefix("tip: "));
    match tips.next() {
        Some(tip) => failure.hint(tip),
        None => failure,
    }
}
