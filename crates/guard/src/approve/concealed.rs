//! The marks that stand in a prompt for what is not shown, and their count. Nobody else can write one:
//! where a mark's own signs occur in what is shown, they are spelled out.

use toolgate_types::{is_hidden, visible};

const OPENS: char = '⟨';
const CLOSES: char = '⟩';

/// How many values a prompt covers, and how many characters those have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ConcealedCount {
    pub(super) values: usize,
    pub(super) characters: usize,
}

impl ConcealedCount {
    /// A secret of the person's own.
    pub(super) fn own(&mut self, name: &str, characters: usize) -> String {
        self.add(&format!("your secret {}", spelled(name)), characters)
    }

    /// A parameter that a trusted schema marks as secret.
    pub(super) fn parameter(&mut self, name: &str, characters: usize) -> String {
        self.add(&format!("secret parameter {}", spelled(name)), characters)
    }

    fn add(&mut self, what: &str, characters: usize) -> String {
        self.values += 1;
        self.characters += characters;
        mark(&format!("{what}, {characters} characters"))
    }
}

/// A sign of ours in the middle of what somebody else wrote.
pub(super) fn mark(words: &str) -> String {
    format!("{OPENS}{words}{CLOSES}")
}

/// Whether a character must be spelled out wherever somebody else wrote it.
pub(super) fn must_be_spelled(c: char) -> bool {
    is_hidden(c) || c == OPENS || c == CLOSES
}

/// Spelled out by its number.
pub(super) fn by_number(c: char) -> String {
    format!("\\u{{{:x}}}", u32::from(c))
}

/// [`visible`], and nothing in it reads like a mark.
pub(super) fn visible_mark(text: &str) -> String {
    let text = visible(text);
    if !text.contains([OPENS, CLOSES]) {
        return text;
    }
    text.replace(OPENS, &by_number(OPENS)).replace(CLOSES, &by_number(CLOSES))
}

/// A name inside a mark.
pub(super) fn spelled(name: &str) -> String {
    visible_mark(name)
}
