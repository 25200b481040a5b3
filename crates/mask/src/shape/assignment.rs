//! `TOKEN=value`, `?token=value`, `"token": "value"`, `X-Api-Key: value`; also the `value` of a pair
//! whose name came before it.
//!
//! Prose has colons too ("unexpected token: end of line"). With a space before the value, a plain
//! word is believed to be a name only if what follows is in quotes or has a digit.

use std::ops::Range;

use super::{authorization, bare_value, end_of_quoted, end_of_run, is_no_value, pair};
use toolgate_types::is_sensitive_name;

const LONGEST_NAME: usize = 80;

pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    // Within a value nothing is left to find, and looking again would take ever longer.
    let mut covered = 0;
    for (at, byte) in bytes.iter().enumerate() {
        if (*byte == b'=' || *byte == b':')
            && at >= covered
            && let Some(name) = AssignedName::before(text, at)
            && name.is_sensitive()
            && let Some(value) = name.value(text, at)
        {
            covered = value.end;
            found.push(value);
        }
    }
}

struct AssignedName<'a> {
    text: &'a str,
    /// What stands right before the name.
    opening: Option<u8>,
    /// It is in quotes of its own, as in JSON.
    is_quoted: bool,
    is_apart: bool,
    /// It is the word `value` after `name: TOKEN`.
    is_paired: bool,
}

impl<'a> AssignedName<'a> {
    fn before(text: &'a str, separator: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let unspaced = text[..separator].trim_end_matches([' ', '\t']).len();
        let quote = unspaced.checked_sub(1).map(|at| bytes[at]).filter(|c| b"\"'".contains(c));
        // `filter[token]=` is how forms nest.
        let is_nested = bytes[..unspaced].ends_with(b"]");
        let end = unspaced - usize::from(quote.is_some() || is_nested);
        let before = bytes[..end].iter().rev().take(LONGEST_NAME);
        let is_of_name = |c: &u8| c.is_ascii_alphanumeric() || b"_-.".contains(c);
        let start = end - before.take_while(|c| is_of_name(c)).count();
        let opening = start.checked_sub(1).map(|at| bytes[at]);
        let is_quoted = quote.is_some() && opening == quote;
        if start == end || quote.is_some() && !is_quoted {
            return None;
        }
        let name = &text[start..end];
        let is_paired = name == "value" && pair::is_named_before(text, start);
        let is_apart = unspaced != separator;
        Some(Self { text: name, opening, is_quoted, is_apart, is_paired })
    }

    fn is_sensitive(&self) -> bool {
        let name = self.text.trim_start_matches('-');
        // Alone, these words are names of secrets in a URL and everyday words elsewhere.
        const IN_A_QUERY: [&str; 7] = ["key", "code", "sig", "signature", "pwd", "pass", "jwt"];
        let is_one_of = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        match self.opening {
            Some(b'?' | b'&') => is_sensitive_name(name) || is_one_of(&IN_A_QUERY),
            _ if self.is_paired => true,
            _ => is_sensitive_name(name) && !is_one_of(&["key"]),
        }
    }

    fn value(&self, text: &str, separator: usize) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        let start = end_of_run(bytes, separator + 1, |c| c == b' ' || c == b'\t');
        let is_header = bytes[separator] == b':' && authorization::is_header(self.text);
        if is_header && !self.is_quoted {
            return authorization::header_value(text, start, self.opening);
        }
        let quote = bytes.get(start).copied().filter(|c| b"\"'".contains(c));
        let range = match quote {
            Some(quote) => start + 1..end_of_quoted(bytes, start + 1, quote),
            None if bytes.get(start).is_some_and(|c| b"{[(:=".contains(c)) => return None,
            None => bare_value(text, start),
        };
        let value = &text[range.clone()];
        let is_believed = quote.is_some()
            || self.is_quoted
            || self.is_paired
            || self.is_surely_a_name(bytes[separator])
            || start == separator + 1 && !self.is_apart
            || value.contains(|c: char| c.is_ascii_digit()) && !value.contains('(');
        (is_believed && !value.is_empty() && !is_no_value(value)).then_some(range)
    }

    /// `X-Api-Key:` and `GITHUB_TOKEN:` are no words of a sentence.
    fn is_surely_a_name(&self, separator: u8) -> bool {
        let is_upper = !self.text.contains(|c: char| c.is_ascii_lowercase());
        separator == b':' && !self.is_apart && (is_upper || self.text.contains('-'))
    }
}
