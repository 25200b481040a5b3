//! Text that a terminal only shows: the one kind of text that is written to one.
//!
//! Whoever has a text of somebody else's says whether it is one line, several, or JSON; what a
//! terminal would act on or not show is written out. Our own colours are the only escapes.

use toolgate_types::{visible, visible_json};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PrintableText(String);

/// The colours of our own words.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Colour {
    Red,
    Yellow,
}

impl PrintableText {
    /// One line, whatever is in it, without its end.
    pub fn line(text: &str) -> Self {
        Self(visible(text))
    }

    /// Text with its own line ends and tabs.
    pub fn lines(text: &str) -> Self {
        let line = |line: &str| {
            let line = line.strip_suffix('\r').unwrap_or(line);
            line.split('\t').map(visible).collect::<Vec<_>>().join("\t")
        };
        Self(text.split('\n').map(line).collect::<Vec<_>>().join("\n"))
    }

    /// The same JSON with nothing hidden in it.
    pub fn json(json: &str) -> Self {
        Self(visible_json(json))
    }

    /// A word of ours in a colour.
    pub(crate) fn coloured(word: &'static str, colour: Option<Colour>) -> Self {
        let code = match colour {
            Some(Colour::Red) => "31",
            Some(Colour::Yellow) => "33",
            None => return Self(word.to_owned()),
        };
        Self(format!("\u{1b}[{code}m{word}\u{1b}[0m"))
    }

    /// The cursor to the upper left, and everything away.
    pub(crate) fn wipe() -> Self {
        Self("\u{1b}[H\u{1b}[2J".to_owned())
    }

    pub fn and(mut self, other: &Self) -> Self {
        self.0.push_str(&other.0);
        self
    }

    pub fn ended(mut self) -> Self {
        self.0.push('\n');
        self
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line_and_lines_keep_their_ends_and_tabs() {
        let text = "a\tb\u{1b}]52;c;eA==\u{7}\r\nc\u{202e}\u{9b}m";
        assert_eq!(
            PrintableText::line(text).as_str(),
            "a\\tb\\u{1b}]52;c;eA==\\u{7}\\r\\nc\\u{202e}\\u{9b}m"
        );
        assert_eq!(
            PrintableText::lines(text).as_str(),
            "a\tb\\u{1b}]52;c;eA==\\u{7}\nc\\u{202e}\\u{9b}m"
        );
    }

    #[test]
    fn json_stays_the_same_json() {
        let json = "{\n  \"a\u{202e}\u{9b}\": \"tag\u{e0041} größe 日本\"\n}";
        let shown = PrintableText::json(json);
        assert!(!shown.as_str().contains(['\u{202e}', '\u{9b}', '\u{e0041}']), "{shown:?}");
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(shown.as_str()), value(json));
        assert!(shown.as_str().contains("größe 日本"));
    }
}
