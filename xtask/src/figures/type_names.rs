//! Names of types, and which of them are defined more than once.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::source::words;

const KEYWORDS: [&str; 5] = ["struct", "enum", "trait", "type", "union"];

/// All definitions that were seen.
#[derive(Debug, Default)]
pub struct TypeNames {
    /// By name, where it is defined; a crate as often as it defines it.
    defined: BTreeMap<String, Vec<String>>,
    /// The same for those that other crates can see.
    public: BTreeMap<String, BTreeSet<String>>,
}

impl TypeNames {
    /// Takes in what the code of a crate's file defines at the beginning of a line, but for an
    /// associated type, which is indented.
    pub fn add(&mut self, room: &str, code: &str) {
        for line in code.lines() {
            let is_public = line.starts_with("pub ");
            let mut parts = words(line).map(|(_, word, _)| word);
            let Some(keyword) = parts.find(|word| !is_visibility(word)) else { continue };
            if line.starts_with(' ') || !KEYWORDS.contains(&keyword) {
                continue;
            }
            let Some(name) = parts.next() else { continue };
            self.defined.entry(name.to_owned()).or_default().push(room.to_owned());
            if is_public {
                self.public.entry(name.to_owned()).or_default().insert(room.to_owned());
            }
        }
    }

    /// How many definitions there are.
    pub fn count(&self) -> usize {
        self.defined.values().map(Vec::len).sum()
    }

    /// How many definitions share their name with another.
    pub fn shared(&self) -> usize {
        self.defined.values().map(Vec::len).filter(|count| *count > 1).sum()
    }

    /// Names that two crates define for everybody.
    pub fn public_in_two_crates(&self) -> Vec<&str> {
        let several = self.public.iter().filter(|(_, rooms)| rooms.len() > 1);
        several.map(|(name, _)| name.as_str()).collect()
    }

    /// How many letters a name has, half of them more.
    pub fn median_length(&self) -> usize {
        let lengths = self.defined.iter().flat_map(|(name, rooms)| vec![name.len(); rooms.len()]);
        let mut lengths: Vec<usize> = lengths.collect();
        lengths.sort_unstable();
        lengths.get(lengths.len() / 2).copied().unwrap_or_default()
    }
}

fn is_visibility(word: &str) -> bool {
    matches!(word, "pub" | "crate" | "super" | "in" | "unsafe" | "async")
}

impl fmt::Display for TypeNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shared, count) = (self.shared(), self.count());
        let percent = (shared * 100).checked_div(count).unwrap_or_default();
        writeln!(
            f,
            "Of {count} type definitions {shared} ({percent} %) share their name with another; their \
             median length is {} letters.\n",
            self.median_length()
        )?;
        let mut often: Vec<(&String, usize)> =
            self.defined.iter().map(|(name, rooms)| (name, rooms.len())).collect();
        often.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let often = often.iter().filter(|(_, count)| *count > 2).take(12);
        let often: Vec<String> = often.map(|(name, count)| format!("{count} `{name}`")).collect();
        writeln!(f, "Most often: {}.\n", or_none(&often))?;
        let public = self.public_in_two_crates();
        let public: Vec<String> = public.iter().map(|name| format!("`{name}`")).collect();
        write!(f, "Public in two crates ({}): {}.", public.len(), or_none(&public))
    }
}

fn or_none(words: &[String]) -> String {
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}
