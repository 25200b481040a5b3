//! Lines, indentation and splices of a text. It knows no syntax.

use std::ops::Range;

/// New text for a range of the old one.
pub(super) type TextSplice = (Range<usize>, String);

/// Applies splices that do not overlap; those at one place stay in their order.
pub(super) fn apply(text: &mut String, mut splices: Vec<TextSplice>) {
    splices.sort_by_key(|(range, _)| range.start);
    for (range, replacement) in splices.into_iter().rev() {
        text.replace_range(range, &replacement);
    }
}

/// The line ending that most lines have.
pub(super) fn newline_of(text: &str) -> &'static str {
    let windows = text.matches("\r\n").count();
    if windows * 2 > text.matches('\n').count() { "\r\n" } else { "\n" }
}

pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Where the line of `at` ends, before its line ending.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    let line = text[at..].split('\n').next().unwrap_or_default();
    at + line.strip_suffix('\r').unwrap_or(line).len()
}

/// Where the line after the line of `at` starts.
pub(super) fn next_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1)
}

/// The line that starts at `start`, without its ending.
pub(super) fn line(text: &str, start: usize) -> &str {
    &text[start..line_end(text, start)]
}

/// The blanks that the line of `at` starts with.
pub(super) fn indent(text: &str, at: usize) -> &str {
    let line = line(text, line_start(text, at));
    &line[..line.len() - line.trim_start().len()]
}

/// Whether only blanks stand before `at` on its line.
pub(super) fn starts_line(text: &str, at: usize) -> bool {
    text[line_start(text, at)..at].trim().is_empty()
}

/// Whole lines to delete, with the blank lines around them that would be left doubled,
/// or left alone at the top or the bottom of what holds the lines.
pub(super) fn with_blanks(
    text: &str,
    lines: Range<usize>,
    top: bool,
    bottom: bool,
) -> Range<usize> {
    let mut above = lines.start;
    while above > 0 && line(text, line_start(text, above - 1)).trim().is_empty() {
        above = line_start(text, above - 1);
    }
    let mut below = lines.end;
    while below < text.len() && line(text, below).trim().is_empty() {
        below = next_line(text, below);
    }
    if above < lines.start && (below > lines.end || bottom) {
        without_last_newline(text, above..lines.end)
    } else if top && below > lines.end {
        lines.start..below
    } else {
        without_last_newline(text, lines)
    }
}

/// A text without a last newline still has none when its last line goes.
fn without_last_newline(text: &str, lines: Range<usize>) -> Range<usize> {
    if lines.end < text.len() || text.ends_with('\n') || lines.start == 0 {
        return lines;
    }
    let before = text[..lines.start].strip_suffix('\n').unwrap_or(&text[..lines.start]);
    before.strip_suffix('\r').unwrap_or(before).len()..lines.end
}
