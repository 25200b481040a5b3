//! A call that waits for approval, at the terminal: the whole of what is known of it, and one word.

use std::io::Result;

use toolgate_types::{ApprovalChoice, ApprovalQuestion};

use crate::conversation::AskerTerminal;

const QUESTION: &str = "allow this?";

/// Asks until a word is said that is offered; without one, nothing is approved.
pub fn ask_approval(
    question: &ApprovalQuestion,
    at: &mut AskerTerminal,
) -> Result<Option<ApprovalChoice>> {
    let words: Vec<_> = question.choices.iter().map(|choice| choice.as_str()).collect();
    let title = question.text.lines().next().unwrap_or_default();
    match at.leaf(&question.text, &format!("\n{title}"), QUESTION)? {
        true => Ok(at.choose(QUESTION, &words)?.and_then(ApprovalChoice::parse)),
        false => Ok(None),
    }
}
