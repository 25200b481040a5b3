//! Many globs over one kind of name, so arranged that a name meets few of them.
//!
//! Names without a wildcard are found by their hash. Globs that begin with a text are sorted by it:
//! the greatest such text that is not above a name, and the texts which that one begins with, are all
//! that the name can begin with. Globs that begin with a wildcard are found by what
//! else is in them ([`super::floating`]).

use std::collections::{BTreeMap, HashMap};

use super::floating_globs::FloatingGlobs;
use super::glob::NameGlob;

/// Each glob with the place of its rule.
#[derive(Debug, Default)]
pub(super) struct NameGlobs {
    /// The rule that means every name.
    all: Option<usize>,
    exact: HashMap<Box<str>, usize>,
    led: Vec<PrefixedGlobs>,
    floating: FloatingGlobs,
}

/// The globs that begin with one text.
#[derive(Debug)]
struct PrefixedGlobs {
    text: Box<str>,
    /// The place of the longest other text that this one begins with.
    parent: Option<usize>,
    globs: Vec<(NameGlob, usize)>,
}

impl NameGlobs {
    pub(super) fn new<'a>(globs: impl IntoIterator<Item = (&'a str, usize)>) -> Self {
        let mut names = Self::default();
        let mut floating = Vec::new();
        let mut by_lead: BTreeMap<Box<str>, Vec<(NameGlob, usize)>> = BTreeMap::new();
        for (text, rule) in globs {
            let glob = NameGlob::new(text);
            if let Some(name) = glob.exact() {
                // The first of two equal ones is named as the reason.
                names.exact.entry(name.into()).or_insert(rule);
            } else if glob.means_all() {
                names.all.get_or_insert(rule);
            } else if glob.lead().is_empty() {
                floating.push((glob, rule));
            } else {
                by_lead.entry(glob.lead().into()).or_default().push((glob, rule));
            }
        }
        names.floating = FloatingGlobs::new(floating);
        for (text, globs) in by_lead {
            let parent = names.ancestor(names.led.len().checked_sub(1), &text);
            names.led.push(PrefixedGlobs { text, parent, globs });
        }
        names
    }

    /// The rule of a glob that means this name.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        let found = self.all.or_else(|| self.exact.get(name).copied());
        found.or_else(|| self.find_led(name)).or_else(|| self.floating.find(name))
    }

    fn find_led(&self, name: &str) -> Option<usize> {
        let below = self.led.partition_point(|led| *led.text <= *name);
        let mut at = self.ancestor(below.checked_sub(1), name);
        while let Some(place) = at {
            let led = &self.led[place];
            if let Some((_, rule)) = led.globs.iter().find(|(glob, _)| glob.matches(name)) {
                return Some(*rule);
            }
            at = led.parent;
        }
        None
    }

    /// From a place upwards, the first text that this one begins with.
    fn ancestor(&self, from: Option<usize>, text: &str) -> Option<usize> {
        let mut at = from;
        while let Some(place) = at {
            let led = &self.led[place];
            if text.starts_with(&*led.text) {
                break;
            }
            at = led.parent;
        }
        at
    }
}
