//! What stands between two values of a text: blanks, commas, comments.
//!
//! It is asked only about places where no value is, so it needs no more syntax than that.

use std::ops::Range;

use super::lines;

/// How a comment starts in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommentStyle {
    /// `//` and `/* */`.
    Slashes,
    /// `#`.
    Hash,
}

/// What stands between two values.
pub(super) struct ValueGap {
    pub(super) comma: Option<usize>,
    pub(super) comments: Vec<Range<usize>>,
    pub(super) end: usize,
}

/// Everything from `from` on that is no part of a value.
pub(super) fn gap(text: &str, syntax: CommentStyle, from: usize) -> ValueGap {
    let mut gap = ValueGap { comma: None, comments: Vec::new(), end: from };
    while let Some(next) = text[gap.end..].chars().next() {
        if let Some(end) = comment_end(text, syntax, gap.end) {
            gap.comments.push(gap.end..end);
            gap.end = end;
            continue;
        }
        if next == ',' {
            gap.comma.get_or_insert(gap.end);
        } else if !next.is_whitespace() {
            break;
        }
        gap.end += next.len_utf8();
    }
    gap
}

/// The end of the comment that starts at `at`, if one does.
pub(super) fn comment_end(text: &str, syntax: CommentStyle, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let to_line_end = match syntax {
        CommentStyle::Slashes if rest.starts_with("/*") => {
            return Some(rest[2..].find("*/").map_or(text.len(), |end| at + 2 + end + 2));
        }
        CommentStyle::Slashes => rest.starts_with("//"),
        CommentStyle::Hash => rest.starts_with('#'),
    };
    to_line_end.then(|| lines::line_end(text, at))
}

/// Where the spaces and tabs that start at `at` end.
pub(super) fn after_blanks(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start_matches([' ', '\t']).len()
}
