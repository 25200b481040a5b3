//! A request as its clauses: one for each thing that is wanted.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::words::{is_filler, words_of};

/// Fewer words than these say nothing by themselves, unless they begin with what is to be done.
const FEWEST_WORDS: usize = 2;

/// Sentences, and in them what a comma parts, and what `and` joins where another thing begins after it.
pub(crate) fn clauses(request: &str) -> Vec<&str> {
    let tokens: Vec<(usize, &str)> = tokens(request).collect();
    let mut clauses = Vec::new();
    let mut start = 0;
    for (place, (at, token)) in tokens.iter().enumerate().skip(1) {
        let (before_at, before) = tokens[place - 1];
        let is_line = request[before_at..*at].contains('\n');
        let rest = || tokens[place..].iter().map(|(_, token)| *token);
        let parts = match () {
            () if is_line || ends_sentence(before) => true,
            () if before.ends_with(',') => begins(rest()) || says_enough(rest()),
            () => is_joint(token) && begins(rest()),
        };
        if parts && content_words(&request[start..*at]) > 0 {
            clauses.push(&request[start..*at]);
            start = *at;
        }
    }
    clauses.push(&request[start..]);
    clauses
}

/// What stands between spaces, with where it stands.
fn tokens(request: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    request.split_inclusive(char::is_whitespace).filter_map(move |piece| {
        let start = at;
        at += piece.len();
        let token = piece.trim_end();
        (!token.is_empty()).then_some((start, token))
    })
}

fn ends_sentence(token: &str) -> bool {
    const SHORTENED: [&str; 10] =
        ["mr.", "mrs.", "ms.", "dr.", "prof.", "e.g.", "i.e.", "etc.", "vs.", "no."];
    token.trim_end_matches(['"', '\'', ')', '”', '`']).ends_with(['.', '!', '?', ';', ':'])
        && !SHORTENED.contains(&token.to_lowercase().as_str())
}

fn is_joint(token: &str) -> bool {
    ["and", "then", "but", "or", "before", "after", "while", "so"].contains(&token)
}

/// Whether another thing begins here: with what is to be done, or what is asked.
fn begins<'a>(tokens: impl Iterator<Item = &'a str>) -> bool {
    let word = |token: &str| token.trim_matches(|one: char| !one.is_alphanumeric()).to_lowercase();
    let mut words = tokens.map(word).skip_while(|word| BEFORE_STARTERS.contains(&word.as_str()));
    words.next().is_some_and(|word| STARTERS.contains(word.as_str()))
}

/// Whether there is something to look for before the next comma or `and`.
fn says_enough<'a>(tokens: impl Iterator<Item = &'a str>) -> bool {
    let mut count = 0;
    for (place, token) in tokens.enumerate() {
        if place > 0 && is_joint(token) {
            break;
        }
        count += content_words(token);
        if token.ends_with(',') || ends_sentence(token) {
            break;
        }
    }
    count >= FEWEST_WORDS
}

fn content_words(text: &str) -> usize {
    let mut count = 0;
    words_of(text, |word| count += usize::from(!is_filler(word)));
    count
}

/// What may stand before what is to be done.
#[rustfmt::skip]
const BEFORE_STARTERS: [&str; 26] = [
    "", "after", "afterwards", "also", "and", "but", "can", "could", "finally", "first", "i", "just", "lastly",
    "need", "next", "or", "please", "second", "should", "so", "that", "then", "to", "want", "we", "you",
];

static STARTERS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let lines = include_str!("../words/verbs.txt").lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).chain(ASKING).collect()
});

const ASKING: [&str; 14] = [
    "what", "which", "who", "when", "where", "how", "whether", "if", "is", "are", "does", "do",
    "did", "why",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn split(request: &str) -> Vec<&str> {
        clauses(request).into_iter().map(str::trim).collect()
    }

    #[test]
    fn each_thing_that_is_asked_for_is_a_clause() {
        assert_eq!(
            split(
                "Find the invoice of Ms. Lee, put it into /mnt/a.b.pdf and mail it to x@y.zz. Who paid?"
            ),
            [
                "Find the invoice of Ms. Lee,",
                "put it into /mnt/a.b.pdf",
                "and mail it to x@y.zz.",
                "Who paid?"
            ]
        );
        assert_eq!(
            split(
                "Plan a weekend: flights from Munich, a flat near the river, and a table for two"
            ),
            [
                "Plan a weekend:",
                "flights from Munich,",
                "a flat near the river,",
                "and a table for two"
            ]
        );
        assert_eq!(split("one line\nanother line"), ["one line", "another line"]);
    }

    #[test]
    fn names_in_a_row_are_one_clause() {
        let request = "tell Jo, Kim and Ali about salt and pepper";
        assert_eq!(split(request), [request]);
        assert_eq!(split(""), [""]);
        assert_eq!(split("a, the, of, it"), ["a, the, of, it"]);
    }
}
