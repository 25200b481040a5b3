//! What is asked for, as terms: of the whole request, and of each part of it.

use std::collections::HashMap;

use crate::related_words::{is_action, long_form, related};
use crate::stem::stem;
use crate::words::{is_filler, words_of};

/// What a word that means nearly the same counts.
const RELATED_COUNTS: f32 = 0.55;

/// What is done says less than what it is done to: every server creates, lists and gets something.
const ACTION_COUNTS: f32 = 0.75;

/// More words than a request needs; a file that was pasted is searched for by its beginning.
const MOST_WORDS: usize = 200;

/// So many parts of one request are read by themselves.
const MOST_PARTS: usize = 8;

/// Fewer words than these are no request of their own.
const FEWEST_WORDS: usize = 2;

/// The terms of one request, each with the words that mean nearly the same.
#[derive(Debug, Default)]
pub(crate) struct QueryTerms(pub(crate) Vec<QueryTerm>);

#[derive(Debug)]
pub(crate) struct QueryTerm {
    pub(crate) term: String,
    /// How often it was said, less than in proportion.
    pub(crate) weight: f32,
    pub(crate) related: &'static [Box<str>],
}

impl QueryTerm {
    /// The term itself, and what counts for less.
    pub(crate) fn spellings(&self) -> impl Iterator<Item = (&str, f32)> {
        let related = self.related.iter().map(|other| (&**other, RELATED_COUNTS));
        std::iter::once((self.term.as_str(), 1.0)).chain(related)
    }
}

impl QueryTerms {
    pub(crate) fn of(text: &str) -> Self {
        let mut order: Vec<(String, u16)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut seen = 0;
        words_of(text, |word| {
            seen += 1;
            if seen > MOST_WORDS || is_filler(word) {
                return;
            }
            let meant = [word]
                .into_iter()
                .chain(long_form(word).into_iter().flat_map(|long| long.split(' ')));
            for stem in meant.map(stem) {
                match places.get(&stem) {
                    Some(place) => order[*place].1 += 1,
                    None => {
                        places.insert(stem.clone(), order.len());
                        order.push((stem, 1));
                    }
                }
            }
        });
        let term = |(term, count): (String, u16)| {
            let related = related(&term);
            let said = f32::from(count).sqrt();
            let weight = if is_action(&term) { ACTION_COUNTS * said } else { said };
            QueryTerm { term, weight, related }
        };
        Self(order.into_iter().map(term).collect())
    }

    /// The parts of a request for several things. Nothing where it is one.
    pub(crate) fn parts(text: &str) -> Vec<Self> {
        let mut parts = Vec::new();
        for part in text.split(['.', ';', ',', '\n', '!', '?', ':']).flat_map(split_by_order) {
            let terms = Self::of(part);
            if terms.0.len() >= FEWEST_WORDS {
                parts.push(terms);
            }
        }
        parts.truncate(MOST_PARTS);
        if parts.len() < 2 { Vec::new() } else { parts }
    }
}

/// At the words that one thing follows another by.
fn split_by_order(part: &str) -> Vec<&str> {
    const JOINTS: [&str; 4] = [" and then ", " then ", " and ", " after that "];
    let mut pieces = vec![part];
    for joint in JOINTS {
        pieces = pieces.into_iter().flat_map(|piece| piece.split(joint)).collect();
    }
    pieces
}
