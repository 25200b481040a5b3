//! What is said where no command has begun or can go on; it may repeat what somebody else wrote.

use std::backtrace::{Backtrace, BacktraceStatus};

use crate::output_stream::OutputStream;
use crate::panic_words::panic_words;
use crate::printable_text::{Colour, PrintableText};

pub(crate) fn is_colour_wanted() -> bool {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    wanted && OutputStream::Remarks.is_terminal()
}

/// Nobody is left to hear that standard error cannot be written.
pub(crate) fn say(text: &PrintableText) {
    let _ = OutputStream::Remarks.put(&text.clone().ended());
}

/// Says what is wrong before there is a verb that could; `error` at its beginning gets its colour.
pub fn say_wrong_usage(text: &str) {
    let (word, rest) = match text.trim_end().strip_prefix("error") {
        Some(rest) => ("error", rest),
        None => ("", text.trim_end()),
    };
    let colour = is_colour_wanted().then_some(Colour::Red);
    say(&PrintableText::coloured(word, colour).and(&PrintableText::lines(rest)));
}

/// Says where this program failed, and nothing of what it was working on.
pub fn say_when_panicking() {
    std::panic::set_hook(Box::new(|panic| {
        let thread = std::thread::current();
        let thread = thread.name().unwrap_or("without a name");
        let trace = Backtrace::capture();
        let trace = match trace.status() {
            BacktraceStatus::Captured => format!("\n{trace}"),
            _ => String::new(),
        };
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let words = panic_words(panic.payload());
        let text = format!("thread {thread}: panicked at {place}:\n{words}{trace}");
        let _ = OutputStream::Remarks.put(&PrintableText::lines(&text).ended());
    }));
}
