//! `{"name": "API_KEY", "value": "…"}` and its like: how lists of variables and headers are written.
//!
//! In a text only a name that stands right before the value counts. JSON that is read as JSON has its
//! members in any order.

use toolgate_types::is_sensitive_name;

/// How far back a name is looked for.
const FARTHEST: usize = 160;

/// Whether a member of this name tells what the member `value` beside it is.
pub(crate) fn is_naming(member: &str) -> bool {
    matches!(member, "name" | "key")
}

/// Whether a thing of this name has a secret for its value.
pub(crate) fn is_secret(name: &str) -> bool {
    is_sensitive_name(name) && !name.eq_ignore_ascii_case("key")
}

/// Whether `name: TOKEN` stands before the word that begins at `start`, as JSON or YAML has it.
pub(super) fn is_named_before(text: &str, start: usize) -> bool {
    let from = text.ceil_char_boundary(start.saturating_sub(FARTHEST));
    let is_between = |c: char| c.is_ascii_whitespace() || matches!(c, ',' | '"' | '\'');
    let rest = text[from..start].trim_end_matches(is_between);
    let (rest, name) = split_word(rest);
    let Some(rest) = rest.trim_end_matches(is_quote_or_space).strip_suffix(':') else {
        return false;
    };
    let (_, member) = split_word(rest.trim_end_matches(is_quote_or_space));
    is_naming(member) && is_secret(name)
}

fn is_quote_or_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '"' | '\'')
}

/// What stands before the last word of a text, and that word.
fn split_word(text: &str) -> (&str, &str) {
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    text.split_at(text.trim_end_matches(is_of_word).len())
}
