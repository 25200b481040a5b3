//! Asks the person at the terminal. No terminal, no answer: nothing is ever assumed to be yes.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

/// Whether a person can answer on standard input.
pub(crate) fn can_ask() -> bool {
    std::io::stdin().is_terminal()
}

/// A yes-or-no question; anything but a clear yes is a no.
pub(crate) fn confirm(question: &str) -> bool {
    let mut stderr = std::io::stderr().lock();
    if write!(stderr, "{question} [y/N] ").and_then(|()| stderr.flush()).is_err() {
        return false;
    }
    drop(stderr);
    let mut answer = String::new();
    match std::io::stdin().lock().read_line(&mut answer) {
        Ok(_) => matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"),
        Err(_) => false,
    }
}

/// The same about something that is shown first, whole. `again` is shown once more right above the
/// question.
pub(crate) fn confirm_about(text: &str, again: &str, question: &str) -> bool {
    let lines: Vec<String> = text.lines().chain([again]).map(toolgate_types::visible).collect();
    let shown = std::io::stderr().lock().write_all((lines.join("\n") + "\n").as_bytes());
    shown.is_ok() && confirm(question)
}
