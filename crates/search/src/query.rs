//! What is asked for, as terms: of the whole request, and of each part of it.

use std::collections::HashMap;

use crate::clauses::clauses;
use crate::quoted_data::{name_stems, quoted_stems};
use crate::related_words::{is_action, phrases_at, related};
use crate::short_forms::long_form;
use crate::stem::stem;
use crate::words::{is_filler, is_weak, words_of};

/// What is done says less than what it is done to: every server creates, lists and gets something.
const ACTION_COUNTS: f32 = 0.7;

/// What a word counts that every other sentence has, a number, one of somebody's data, and one that is part
/// of a phrase which is known as a whole.
const WEAK_COUNTS: f32 = 0.33;
const NUMBER_COUNTS: f32 = 0.48;
const QUOTED_COUNTS: f32 = 0.3;
const IN_PHRASE_COUNTS: f32 = 0.45;

/// What a word counts that a part of a request speaks of by `it`.
const SPOKEN_OF_COUNTS: f32 = 0.7;

/// More words than a request needs; a file that was pasted is searched for by its beginning.
const MOST_WORDS: usize = 200;

/// So many parts of one request are read by themselves.
const MOST_PARTS: usize = 12;

/// Fewer words than these are no request of their own.
const FEWEST_WORDS: usize = 2;

/// The terms of one request, each with the words that mean nearly the same.
#[derive(Debug, Default)]
pub(crate) struct QueryTerms(pub(crate) Vec<QueryTerm>);

#[derive(Debug, Clone)]
pub(crate) struct QueryTerm {
    /// Empty where it is a phrase.
    pub(crate) term: String,
    /// How often it was said, less than in proportion.
    pub(crate) weight: f32,
    /// What its own spelling counts.
    exact: f32,
    related: &'static [(Box<str>, f32)],
    /// Somebody's or something's name, by its capital.
    pub(crate) is_name: bool,
    /// Said in the part before.
    pub(crate) is_spoken_of: bool,
}

impl QueryTerm {
    fn phrase(related: &'static [(Box<str>, f32)]) -> Self {
        let (is_name, is_spoken_of) = (false, false);
        Self { term: String::new(), weight: 1.0, exact: 0.0, related, is_name, is_spoken_of }
    }

    /// The term itself, and what else may be meant.
    pub(crate) fn spellings(&self) -> impl Iterator<Item = (&str, f32)> {
        let related = self.related.iter().map(|(other, counts)| (&**other, *counts));
        std::iter::once((self.term.as_str(), self.exact)).chain(related)
    }
}

/// A word of a request, by its stem.
struct SaidWord {
    times: f32,
    is_weak: bool,
    is_in_phrase: bool,
}

impl QueryTerms {
    pub(crate) fn of(text: &str) -> Self {
        let mut words: Vec<String> = Vec::new();
        words_of(text, |word| {
            if words.len() < MOST_WORDS {
                words.push(word.to_owned());
            }
        });
        let stems: Vec<String> = words.iter().map(|word| stem(word)).collect();
        let mut is_in_phrase = vec![false; words.len()];
        let mut terms = Vec::new();
        for first in 0..stems.len() {
            for said in phrases_at(&stems[first..]) {
                said.places.iter().for_each(|place| is_in_phrase[first + place] = true);
                terms.push(QueryTerm::phrase(said.means));
            }
        }
        let mut order: Vec<(String, SaidWord)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for ((word, own), is_in_phrase) in words.iter().zip(stems).zip(is_in_phrase) {
            // `Take` says something by itself, and nothing in `take down`.
            if is_filler(word) || is_in_phrase && is_action(&own) {
                continue;
            }
            let long = long_form(word).into_iter().flat_map(|long| long.split(' ')).map(stem);
            for stem in std::iter::once(own).chain(long) {
                let place = *places.entry(stem.clone()).or_insert(order.len());
                match order.get_mut(place) {
                    Some((_, said)) => said.times += 1.0,
                    None => {
                        let is_weak = is_weak(word);
                        order.push((stem, SaidWord { times: 1.0, is_weak, is_in_phrase }));
                    }
                }
            }
        }
        let quoted = quoted_stems(text);
        let names = name_stems(text);
        terms.extend(order.into_iter().map(|(term, said)| {
            let is_number = term.bytes().all(|byte| byte.is_ascii_digit());
            let mut weight = said.times.sqrt();
            for (is_so, counts) in [
                (is_action(&term), ACTION_COUNTS),
                (is_number, NUMBER_COUNTS),
                (quoted.contains(&term), QUOTED_COUNTS),
                (said.is_in_phrase, IN_PHRASE_COUNTS),
            ] {
                weight *= if is_so { counts } else { 1.0 };
            }
            let exact = if said.is_weak { WEAK_COUNTS } else { 1.0 };
            let related = related(&term);
            let is_name = names.contains(&term);
            QueryTerm { term, weight, exact, related, is_name, is_spoken_of: false }
        }));
        Self(terms)
    }

    /// The parts of a request for several things. Nothing where it is one.
    pub(crate) fn parts(text: &str) -> Vec<Self> {
        let mut parts: Vec<Self> = Vec::new();
        // What `it` is in the next part.
        let mut spoken_of: Vec<QueryTerm> = Vec::new();
        for part in clauses(text) {
            let mut terms = Self::of(part);
            let is_thing = |term: &&QueryTerm| !term.term.is_empty() && !is_action(&term.term);
            let things: Vec<QueryTerm> = terms.0.iter().filter(is_thing).cloned().collect();
            if refers_back(part) {
                spoken_of.retain(|term| !terms.0.iter().any(|own| own.term == term.term));
                for term in &mut spoken_of {
                    term.weight *= SPOKEN_OF_COUNTS;
                    term.is_spoken_of = true;
                }
                terms.0.append(&mut spoken_of);
            }
            if !things.is_empty() {
                spoken_of = things;
            }
            if terms.0.len() >= FEWEST_WORDS {
                parts.push(terms);
            }
        }
        parts.truncate(MOST_PARTS);
        if parts.len() < 2 { Vec::new() } else { parts }
    }
}

/// Whether a part of a request speaks of what the one before it named.
fn refers_back(part: &str) -> bool {
    const BACK: [&str; 8] = ["it", "its", "one", "their", "them", "these", "this", "those"];
    let mut refers = false;
    words_of(part, |word| refers |= BACK.contains(&word));
    refers
}
