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
