//! What is said where no verb could begin or go on: arguments that make no sense, and a mistake of
//! ours. Both may repeat what somebody else wrote.

use std::backtrace::{Backtrace, BacktraceStatus};

use super::printable::{Colour, Printable};
use super::{Outlet, is_colour_wanted, say};

/// Says what is wrong with the arguments, or gives the help that was asked for; with which code the
/// program ends.
pub(crate) fn wrong_arguments(error: &clap::Error) -> u8 {
    if !error.use_stderr() {
        // Help and version are our own words; a reader that went away does not need them.
        let _ = error.print();
    } else {
        let text = error.render().to_string();
        let (word, rest) = match text.trim_end().strip_prefix("error") {
            Some(rest) => ("error", rest),
            None => ("", text.trim_end()),
        };
        let colour = is_colour_wanted().then_some(Colour::Red);
        say(&Printable::coloured(word, colour).and(&Printable::lines(rest)));
    }
    u8::try_from(error.exit_code()).unwrap_or(2)
}

/// A panic's words may be a server's.
pub(crate) fn say_when_panicking() {
    std::panic::set_hook(Box::new(|panic| {
        let thread = std::thread::current();
        let thread = thread.name().unwrap_or("without a name");
        let trace = Backtrace::capture();
        let trace = match trace.status() {
            BacktraceStatus::Captured => format!("\n{trace}"),
            _ => String::new(),
        };
        let text = format!("thread {thread}: {panic}{trace}");
        let _ = Outlet::Remarks.put(&Printable::lines(&text).ended());
    }));
}
