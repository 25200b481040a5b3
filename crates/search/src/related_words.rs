//! Words that mean the same, or nearly: what one says, a tool may call otherwise.
//!
//! The words are in `words/`, by field of life. A line is a group whose words stand for each other; or it has
//! a `>`, and who says what is left of it may want what is right of it, and not the other way round. Words
//! that are joined by `_` are said one after the other.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::stem::stem;
use crate::words::{is_filler, words_of};

const FILES: [&str; 13] = [
    include_str!("../words/actions.txt"),
    include_str!("../words/asked.txt"),
    include_str!("../words/code.txt"),
    include_str!("../words/data.txt"),
    include_str!("../words/everyday.txt"),
    include_str!("../words/forms.txt"),
    include_str!("../words/life.txt"),
    include_str!("../words/media.txt"),
    include_str!("../words/money.txt"),
    include_str!("../words/office.txt"),
    include_str!("../words/operations.txt"),
    include_str!("../words/places.txt"),
    include_str!("../words/trade.txt"),
];

/// What a word of the same group counts, against the word that was said.
const GROUP_COUNTS: f32 = 0.54;

/// What a word counts that may be wanted.
const WANTED_COUNTS: f32 = 0.56;

/// So many words may stand between two of a phrase: `throw it away`.
const MOST_BETWEEN: usize = 1;

/// Stems, each with what it counts.
pub(crate) type CountedStems = Vec<(Box<str>, f32)>;

/// What else a stem may be called.
pub(crate) fn related(stem: &str) -> &'static [(Box<str>, f32)] {
    RELATED.of_word.get(stem).map(Vec::as_slice).unwrap_or_default()
}

/// A phrase that was said.
pub(crate) struct SaidPhrase {
    /// Where its words stand.
    pub(crate) places: Vec<usize>,
    /// What may be meant by it.
    pub(crate) means: &'static [(Box<str>, f32)],
}

/// The phrases that begin with the first of these stems, which are of all words, fillers too.
pub(crate) fn phrases_at(said: &[String]) -> impl Iterator<Item = SaidPhrase> {
    let known = said.first().and_then(|first| RELATED.of_phrase.get(first.as_str()));
    known.into_iter().flatten().filter_map(|phrase| phrase.said_in(said))
}

struct KnownPhrase {
    /// What follows its first word.
    rest: Vec<Box<str>>,
    means: CountedStems,
}

impl KnownPhrase {
    fn said_in(&'static self, said: &[String]) -> Option<SaidPhrase> {
        let mut places = vec![0];
        let mut last = 0;
        for word in &self.rest {
            let near = said.iter().skip(last + 1).take(MOST_BETWEEN + 1);
            last += 1 + near.into_iter().position(|one| **one == **word)?;
            places.push(last);
        }
        Some(SaidPhrase { places, means: &self.means })
    }
}

#[derive(Default)]
struct RelatedTable {
    of_word: HashMap<Box<str>, CountedStems>,
    /// By their first words.
    of_phrase: HashMap<Box<str>, Vec<KnownPhrase>>,
}

static RELATED: LazyLock<RelatedTable> = LazyLock::new(|| {
    let mut table = RelatedTable::default();
    let lines = FILES.into_iter().flat_map(str::lines);
    for line in lines.filter(|line| !line.starts_with('#')) {
        let (said, wanted, counts) = match line.split_once(" > ") {
            Some((said, wanted)) => (said, wanted, WANTED_COUNTS),
            None => (line, line, GROUP_COUNTS),
        };
        // No tool is found by a phrase: its words stand apart in a definition.
        let wanted = wanted.split(' ').filter(|word| !word.contains('_'));
        let wanted: Vec<Box<str>> = wanted.map(|word| stem(word).into()).collect();
        for one in said.split(' ') {
            table.add(one, &wanted, counts);
        }
    }
    table
});

impl RelatedTable {
    fn add(&mut self, said: &str, wanted: &[Box<str>], counts: f32) {
        let mut words: Vec<Box<str>> = Vec::new();
        let mut is_said_anyway = false;
        words_of(said, |word| {
            is_said_anyway |= is_filler(word);
            words.push(stem(word).into());
        });
        let means = match &words[..] {
            [] => return,
            [word] if !is_said_anyway => self.of_word.entry(word.clone()).or_default(),
            [first, rest @ ..] => self.phrase(first, rest),
        };
        let own = words.first().filter(|_| words.len() == 1);
        for other in wanted.iter().filter(|other| Some(*other) != own) {
            match means.iter_mut().find(|(known, _)| known == other) {
                Some((_, most)) => *most = most.max(counts),
                None => means.push((other.clone(), counts)),
            }
        }
    }

    fn phrase(&mut self, first: &str, rest: &[Box<str>]) -> &mut CountedStems {
        let phrases = self.of_phrase.entry(first.into()).or_default();
        let known = phrases.iter().position(|phrase| phrase.rest == rest);
        let place = known.unwrap_or_else(|| {
            phrases.push(KnownPhrase { rest: rest.to_vec(), means: Vec::new() });
            phrases.len() - 1
        });
        &mut phrases[place].means
    }
}

/// Whether it says what is done, and not to what.
pub(crate) fn is_action(stem: &str) -> bool {
    ACTION_STEMS.contains(stem)
}

static ACTION_STEMS: LazyLock<HashSet<String>> =
    LazyLock::new(|| COMMON_ACTIONS.split(' ').map(stem).collect());

/// What every other tool does.
const COMMON_ACTIONS: &str = "create add new make delete remove update edit change set list show get fetch retrieve \
    read view find search lookup open run start check put look send write take go leave mark pick place give tell";
