//! Two long texts, cut down to where they differ and made visible.

use toolgate_types::visible;

/// How much of what is the same is shown on either side of a difference.
const CONTEXT: usize = 40;

/// The most that is shown of a text, in characters.
const LONGEST: usize = 400;

/// Both texts from a little before the first to a little behind the last difference.
pub(super) fn excerpts(
    before: Option<&str>,
    after: Option<&str>,
) -> (Option<String>, Option<String>) {
    let (Some(one), Some(other)) = (before, after) else {
        return (before.map(shown), after.map(shown));
    };
    let start = same(one.char_indices().zip(other.chars()));
    let (rest, beside) = (&one[start..], &other[start..]);
    let end = same(
        rest.chars()
            .rev()
            .scan(0, |end, c| {
                let at = *end;
                *end += c.len_utf8();
                Some((at, c))
            })
            .zip(beside.chars().rev()),
    );
    let part = |text: &str| {
        let (first, last) = (start, text.len() - end);
        let lead = text[..first].char_indices().rev().take(CONTEXT).last();
        let trail = text[last..].char_indices().nth(CONTEXT);
        let from = lead.map_or(first, |(at, _)| at);
        let to = trail.map_or(text.len(), |(at, _)| last + at);
        let mark = |is_cut: bool| if is_cut { "…" } else { "" };
        format!("{}{}{}", mark(from > 0), shown(&text[from..to]), mark(to < text.len()))
    };
    (Some(part(one)), Some(part(other)))
}

/// How many bytes at this end are the same.
fn same(pairs: impl Iterator<Item = ((usize, char), char)>) -> usize {
    let mut end = 0;
    for ((at, one), other) in pairs {
        if one != other {
            break;
        }
        end = at + one.len_utf8();
    }
    end
}

/// A text that can be shown: what is hidden in it is written out, and only its ends where it is long.
pub(super) fn shown(text: &str) -> String {
    // Cut first, since it may be megabytes, and again since what is hidden takes more room visible.
    ends(&visible(&ends(text, LONGEST)), LONGEST * 2)
}

/// Its beginning and its end, with how much is missing between.
fn ends(text: &str, longest: usize) -> String {
    let Some(missing) = text.chars().count().checked_sub(longest).filter(|missing| *missing > 0)
    else {
        return text.to_owned();
    };
    let tail = longest / 3;
    let head: String = text.chars().take(longest - tail).collect();
    let rest = text.char_indices().rev().nth(tail - 1).map_or(0, |(at, _)| at);
    format!("{head} … {missing} more characters … {}", &text[rest..])
}
