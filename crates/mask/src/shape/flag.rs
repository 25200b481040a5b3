//! `--token value` in a command line, and `"--token", "value"` in a list of arguments.
//!
//! People write about flags too ("use --token to log in", `--token  The token`). A value that is not
//! in quotes is believed only after one space and if it is no plain word. `--token=value` is an
//! assignment.

use std::ops::Range;

use super::{bare_value, end_of_quoted, end_of_run, is_no_value};
use toolgate_types::is_sensitive_name;

/// Letters alone are a word up to this length.
const LONGEST_WORD: usize = 20;

pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut covered = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| bytes[before]);
        let begins = before.is_none_or(|c| c.is_ascii_whitespace() || b"\"'`([,=".contains(&c));
        if *byte != b'-' || at < covered || !begins {
            continue;
        }
        let name = at..end_of_run(bytes, at, is_of_flag);
        covered = name.end;
        if is_secret_flag(&text[name.clone()])
            && let Some(value) = value_after(text, name.end, before)
        {
            covered = value.end;
            found.push(value);
        }
    }
}

/// Whether an argument is a flag after which a secret comes.
pub(crate) fn is_secret_flag(argument: &str) -> bool {
    let name = argument.trim_start_matches('-');
    // These tell where a secret is. `--key` alone is a name or a file as often as a secret.
    let last = name.rsplit(['-', '_', '.']).next().unwrap_or_default();
    let is_place = ["file", "path", "dir", "env", "url", "name", "type"].contains(&last);
    argument.starts_with('-')
        && name.bytes().all(is_of_flag)
        && is_sensitive_name(name)
        && !is_place
        && !name.eq_ignore_ascii_case("key")
}

/// Whether what comes after such a flag is its value, and not another flag or a reference.
pub(crate) fn is_value(argument: &str) -> bool {
    !argument.is_empty() && !argument.starts_with('-') && !is_no_value(argument)
}

fn is_of_flag(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)
}

fn value_after(text: &str, end: usize, opening: Option<u8>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_quote = |c: &u8| b"\"'".contains(c);
    let is_item = opening.filter(is_quote).is_some_and(|quote| bytes.get(end) == Some(&quote));
    let gap = match is_item {
        true => end + 1..end_of_run(bytes, end + 1, |c| c == b',' || c.is_ascii_whitespace()),
        false => end..end_of_run(bytes, end, |c| c == b' ' || c == b'\t'),
    };
    let quote = bytes.get(gap.end).copied().filter(is_quote);
    let range = match quote {
        // The quote that opened before the flag closes here; `'--token '` has no value.
        Some(quote) if !is_item && Some(quote) == opening => return None,
        Some(quote) => gap.end + 1..end_of_quoted(bytes, gap.end + 1, quote),
        None if is_item || gap.len() != 1 => return None,
        None => bare_value(text, gap.end),
    };
    let value = &text[range.clone()];
    let is_believed = quote.is_some() || !is_prose(value);
    (!gap.is_empty() && is_believed && is_value(value)).then_some(range)
}

fn is_prose(value: &str) -> bool {
    let word = value.trim_end_matches(['.', ':', '?', '!']);
    let is_word = word.chars().all(char::is_alphabetic) && word.len() < LONGEST_WORD;
    let is_placeholder = word.bytes().all(|c| c.is_ascii_uppercase() || c == b'_');
    let is_aside = word.starts_with(['(', '[', '{']) || !word.contains(char::is_alphanumeric);
    is_word || is_placeholder || is_aside
}
