//! The index: which words stand in which sections, and how much each says (BM25, headings above text).
//!
//! It has no file and no clock: pages come and go, and whoever holds it says when. What was said of a page
//! that changed stays until too much of the index is such; then it is to be made anew.

use std::collections::HashMap;

use toolgate_search::{each_word, word_stem};

use super::sections::PageSection;

/// A word in a heading, or in the page's name, is worth so many in its text.
const HEADING: u16 = 4;

const K1: f32 = 1.2;
const B: f32 = 0.75;

/// A text that repeats a word says no more by it.
const MOST_OF_ONE: u16 = 1000;

#[derive(Debug, Default)]
pub(crate) struct PageIndex {
    /// By every word that was met, also those that mean nothing.
    words: HashMap<Box<str>, Option<u32>>,
    stems: HashMap<Box<str>, u32>,
    /// By stem: sections and how often they have it.
    postings: Vec<Vec<(u32, u16)>>,
    sections: Vec<IndexedSection>,
    alive: usize,
    length: u64,
}

#[derive(Debug)]
struct IndexedSection {
    page: u32,
    place: PageSection,
    length: u32,
    is_alive: bool,
}

/// A section that fits.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FoundSection {
    pub(crate) page: u32,
    pub(crate) place: PageSection,
    pub(crate) score: f32,
}

impl PageIndex {
    /// Which numbers the sections of a page got.
    pub(crate) fn add(
        &mut self,
        (page, path): (u32, &str),
        text: &str,
        sections: Vec<PageSection>,
    ) -> std::ops::Range<u32> {
        let first = self.next_section();
        let mut lines = text.lines();
        let mut at = 1;
        let mut counts: HashMap<u32, u16> = HashMap::new();
        for place in sections {
            counts.clear();
            self.count(path, HEADING, &mut counts);
            for heading in &place.heading {
                self.count(heading, HEADING, &mut counts);
            }
            // Sections come in order, and none begins before another ended.
            for _ in at..place.start {
                lines.next();
            }
            for line in lines.by_ref().take(place.end + 1 - place.start) {
                self.count(line, 1, &mut counts);
            }
            at = place.end + 1;
            let section = self.next_section();
            let mut length: u32 = 0;
            for (term, count) in counts.drain() {
                length += u32::from(count);
                self.postings[term as usize].push((section, count));
            }
            self.length += u64::from(length);
            self.alive += 1;
            self.sections.push(IndexedSection { page, place, length, is_alive: true });
        }
        first..self.next_section()
    }

    pub(crate) fn remove(&mut self, sections: std::ops::Range<u32>) {
        for section in sections {
            let Some(section) = self.sections.get_mut(section as usize) else { continue };
            if std::mem::take(&mut section.is_alive) {
                self.alive -= 1;
                self.length -= u64::from(section.length);
            }
        }
    }

    /// Whether more is gone than is there.
    pub(crate) fn is_stale(&self) -> bool {
        self.sections.len() > 2 * self.alive + 1000
    }

    pub(crate) fn find(&self, query: &str, most: usize) -> Vec<FoundSection> {
        let mut terms: Vec<u32> = Vec::new();
        each_word(query, |word| terms.extend(self.term(word)));
        terms.sort_unstable();
        terms.dedup();
        // One place for each section: a common word stands in nearly all of them.
        let mut scores = vec![0.0_f32; self.sections.len()];
        let average = self.length as f32 / self.alive.max(1) as f32;
        for term in &terms {
            let postings = &self.postings[*term as usize];
            let with = postings.len() as f32;
            let all = self.sections.len() as f32;
            let rarity = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
            for (section, count) in postings {
                let place = *section as usize;
                let (Some(known), Some(score)) = (self.sections.get(place), scores.get_mut(place))
                else {
                    continue;
                };
                if !known.is_alive {
                    continue;
                }
                let count = f32::from(*count);
                let share = known.length as f32 / average.max(1.0);
                let gain = count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * share));
                *score += rarity * gain;
            }
        }
        // What has a word of the question has a score above nothing.
        let mut found: Vec<(u32, f32)> =
            (0..).zip(scores).filter(|(_, score)| *score > 0.0).collect();
        // Of two as good the one that comes first, so that the same question has the same answer.
        let order = |(a, x): &(u32, f32), (b, y): &(u32, f32)| y.total_cmp(x).then(a.cmp(b));
        if found.len() > most && most > 0 {
            found.select_nth_unstable_by(most - 1, order);
            found.truncate(most);
        }
        found.sort_unstable_by(order);
        let shown = |(section, score): (u32, f32)| {
            let known = &self.sections[section as usize];
            FoundSection { page: known.page, place: known.place.clone(), score }
        };
        found.into_iter().take(most).map(shown).collect()
    }

    fn next_section(&self) -> u32 {
        u32::try_from(self.sections.len()).unwrap_or(u32::MAX)
    }

    fn term(&self, word: &str) -> Option<u32> {
        match self.words.get(word) {
            Some(term) => *term,
            None => self.stems.get(&*word_stem(word)?).copied(),
        }
    }

    fn count(&mut self, text: &str, worth: u16, counts: &mut HashMap<u32, u16>) {
        each_word(text, |word| {
            let term = match self.words.get(word) {
                Some(term) => *term,
                None => {
                    let term = word_stem(word).map(|stem| {
                        let next = u32::try_from(self.postings.len()).unwrap_or(u32::MAX);
                        let term = *self.stems.entry(stem.into()).or_insert(next);
                        if term == next {
                            self.postings.push(Vec::new());
                        }
                        term
                    });
                    self.words.insert(word.into(), term);
                    term
                }
            };
            if let Some(term) = term {
                let count = counts.entry(term).or_default();
                *count = count.saturating_add(worth).min(MOST_OF_ONE);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::sections::{PageKind, sections};
    use super::*;

    fn add(index: &mut PageIndex, page: u32, path: &str, text: &str) -> std::ops::Range<u32> {
        index.add((page, path), text, sections(PageKind::Markdown, text))
    }

    fn pages(index: &PageIndex, query: &str) -> Vec<u32> {
        index.find(query, 5).into_iter().map(|found| found.page).collect()
    }

    #[test]
    fn what_is_rare_and_what_stands_in_a_heading_comes_first() {
        let mut index = PageIndex::default();
        add(&mut index, 0, "a.md", "# Servers\nThe configuration of servers.\n");
        add(&mut index, 1, "b.md", "# Configuring\nWords about other things.\n");
        add(&mut index, 2, "c.md", "# Other\nThe gate is configured. The gate and its servers.\n");
        assert_eq!(pages(&index, "how is it configured?"), [1, 0, 2]);
        assert_eq!(pages(&index, "gate"), [2]);
        assert_eq!(pages(&index, "the and of"), [0; 0]);
        assert_eq!(pages(&index, "zebra"), [0; 0]);
    }

    #[test]
    fn a_page_that_changed_is_found_by_what_it_says_now() {
        let mut index = PageIndex::default();
        let old = add(&mut index, 0, "a.md", "# Old\nbananas\n");
        add(&mut index, 1, "b.md", "# Other\napples\n");
        index.remove(old);
        add(&mut index, 0, "a.md", "# New\ncherries\n");
        assert_eq!(pages(&index, "bananas"), [0; 0]);
        assert_eq!(pages(&index, "cherries"), [0]);
        let found = &index.find("cherries", 1)[0];
        assert_eq!((found.place.shown_heading(), found.place.start), ("New".to_owned(), 1));
    }
}
