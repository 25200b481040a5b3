//! Asks the person at the terminal. No terminal, no answer: nothing is ever assumed to be yes.
//!
//! A question stands beside what it is about: what does not fit on the terminal is shown page by
//! page, and the person leafs.

use std::io::{BufRead as _, IsTerminal as _};

use crate::output_stream::OutputStream;
use crate::printable_text::PrintableText;
use crate::terminal_size::TerminalSize;

/// Whether a person can answer on standard input, and sees what they are asked.
pub fn can_ask() -> bool {
    std::io::stdin().is_terminal() && OutputStream::Remarks.is_terminal()
}

/// A yes-or-no question; anything but a clear yes is a no.
pub fn confirm(question: &str) -> bool {
    let answer = ask(&format!("{} [y/N] ", PrintableText::line(question).as_str()));
    answer.is_some_and(|answer| matches!(answer.to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// The same about something that is shown first, whole. `again` is shown once more right above the
/// question. Whoever does not look through it to the end says no.
pub fn confirm_about(text: &str, again: &str, question: &str) -> bool {
    let pages = TerminalSize::of_remarks(question).cut(text, again);
    let count = pages.len();
    for (index, page) in pages.iter().enumerate() {
        if OutputStream::Remarks.put(&PrintableText::lines(page)).is_err() {
            return false;
        }
        let number = index + 1;
        if number < count {
            let more = format!("-- page {number} of {count}: Enter for the next, q for no -- ");
            match ask(&more) {
                Some(answer) if !answer.to_ascii_lowercase().starts_with('q') => {}
                _ => return false,
            }
        }
    }
    confirm(question)
}

/// What the person types; `None` at the end of input.
fn ask(question: &str) -> Option<String> {
    OutputStream::Remarks.put(&PrintableText::lines(question)).ok()?;
    let mut answer = String::new();
    match std::io::stdin().lock().read_line(&mut answer) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(answer.trim().to_owned()),
    }
}
