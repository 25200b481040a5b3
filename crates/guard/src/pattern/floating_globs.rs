//! Globs that begin with a wildcard, so arranged that a name meets few of them.
//!
//! A name that such a glob means holds its literals somewhere. One of them stands for the glob; one
//! pass over the name finds those of all globs at once, and only the globs of those that are there
//! are tried. Globs without a literal, such as `?*`, are always tried.

use std::cmp::Reverse;
use std::collections::HashMap;

use aho_corasick::{AhoCorasick, MatchKind};

use super::glob::NameGlob;

/// Each glob with the place of its rule, in the order of the rules.
#[derive(Debug, Default)]
pub(super) struct FloatingGlobs {
    globs: Vec<(NameGlob, usize)>,
    /// Finds the literals; nothing where there are none.
    literals: Option<AhoCorasick>,
    /// For each literal the places of its globs, in order.
    of_literal: Vec<Vec<usize>>,
    /// The places of the globs that no literal leads to, in order.
    others: Vec<usize>,
}

impl FloatingGlobs {
    pub(super) fn new(globs: Vec<(NameGlob, usize)>) -> Self {
        let mut uses: HashMap<&str, usize> = HashMap::new();
        let all = globs.iter().flat_map(|(glob, _)| glob.literals());
        all.for_each(|literal| *uses.entry(literal).or_default() += 1);
        // Shared by few globs, so that few are tried, and long, since a sign or two is in every name.
        let worth = |literal: &&str| {
            (literal.len() > 2, Reverse(uses.get(literal).copied()), literal.len())
        };
        let mut by_literal: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut others = Vec::new();
        for (place, (glob, _)) in globs.iter().enumerate() {
            match glob.literals().max_by_key(worth) {
                Some(literal) => by_literal.entry(literal).or_default().push(place),
                None => others.push(place),
            }
        }
        if by_literal.is_empty() {
            return Self { globs, literals: None, of_literal: Vec::new(), others };
        }
        let (texts, of_literal): (Vec<&str>, Vec<Vec<usize>>) = by_literal.into_iter().unzip();
        // Every occurrence counts, also one inside or across another.
        match AhoCorasick::builder().match_kind(MatchKind::Standard).build(texts) {
            Ok(found) => Self { globs, literals: Some(found), of_literal, others },
            // More text than it has numbers for: slow, and as right.
            Err(_) => {
                let others = (0..globs.len()).collect();
                Self { globs, literals: None, of_literal: Vec::new(), others }
            }
        }
    }

    /// The first rule of a glob that means this name.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        let mut first = self.first_of(&self.others, name);
        if let Some(literals) = &self.literals {
            for found in literals.find_overlapping_iter(name) {
                let tried = self.of_literal.get(found.pattern().as_usize());
                let place = tried.and_then(|places| self.first_of(places, name));
                first = first.into_iter().chain(place).min();
            }
        }
        first.and_then(|place| self.globs.get(place)).map(|(_, rule)| *rule)
    }

    fn first_of(&self, places: &[usize], name: &str) -> Option<usize> {
        let means = |place: &&usize| self.globs.get(**place).is_some_and(|(g, _)| g.matches(name));
        places.iter().find(means).copied()
    }
}
