//! What stands in place of the rest of a string where a message is too long to hold.

/// The mark of one message: ASCII that needs no escape, and that nobody else can know.
#[derive(Debug, Clone)]
pub struct CutMark(String);

/// A string that was cut, as its mark tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CutString {
    /// How many were cut before it.
    pub number: usize,
    /// What it has uncut, in bytes as it is written.
    pub length: u64,
}

impl CutMark {
    /// Of this secret, which is ASCII letters and digits.
    pub fn new(secret: &str) -> Self {
        Self(format!("[cut {secret} "))
    }

    /// What stands where this string was cut.
    pub fn of(&self, CutString { number, length }: CutString) -> String {
        format!("{}{number} of {length};", self.0)
    }

    /// Whether a text has any.
    pub fn is_in(&self, text: &str) -> bool {
        text.contains(&self.0)
    }

    /// What stands before the first mark in a text, what it tells, and what stands after it.
    pub fn split<'a>(&self, text: &'a str) -> Option<(&'a str, CutString, &'a str)> {
        let (before, mark) = text.split_once(&self.0)?;
        let (told, after) = mark.split_once(';')?;
        let (number, length) = told.split_once(" of ")?;
        let cut = CutString { number: number.parse().ok()?, length: length.parse().ok()? };
        Some((before, cut, after))
    }
}
