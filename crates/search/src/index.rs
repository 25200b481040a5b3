//! The tools of one list, ready to be searched: for each term, who has it and how much it says there.

use std::collections::HashMap;

use crate::definition_text::{SearchedTool, ToolField};
use crate::field_terms::FieldTerms;
use crate::product_names::server_name_terms;

/// The tools of one list by their terms. They are known by their place in it.
#[derive(Debug, Default)]
pub struct ToolIndex {
    pub(crate) postings: HashMap<Box<str>, TermPostings>,
    /// The server of each tool, by number.
    pub(crate) server_of: Vec<u32>,
    pub(crate) server_count: usize,
    /// The words that a server goes by, without those that say that it is one.
    pub(crate) server_names: Vec<Vec<Box<str>>>,
}

#[derive(Debug, Default)]
pub(crate) struct TermPostings {
    /// How rare it is among the tools.
    pub(crate) rarity: f32,
    /// Tools that have it, with what it says there.
    pub(crate) tools: Vec<(u32, f32)>,
    /// Servers that have it somewhere, with what it says there.
    pub(crate) servers: Vec<(u32, f32)>,
}

impl ToolIndex {
    pub fn new<'a>(tools: impl IntoIterator<Item = SearchedTool<'a>>) -> Self {
        let mut servers: HashMap<String, u32> = HashMap::new();
        let mut index = Self::default();
        let mut read = Vec::new();
        for tool in tools {
            let next = u32::try_from(servers.len()).unwrap_or(u32::MAX);
            let server = *servers.entry(tool.server.to_owned()).or_insert(next);
            if server == next {
                index.server_names.push(server_name_terms(tool.server));
            }
            index.server_of.push(server);
            read.push(FieldTerms::of(&tool));
        }
        index.server_count = servers.len();
        for (place, terms) in read.into_iter().enumerate() {
            index.take(place, &terms);
        }
        index.settle();
        index
    }

    /// How many tools it has.
    pub fn len(&self) -> usize {
        self.server_of.len()
    }

    pub fn is_empty(&self) -> bool {
        self.server_of.is_empty()
    }

    /// About how much memory it takes.
    pub fn about_bytes(&self) -> usize {
        // A map keeps a byte of its own for each of its places.
        let place = size_of::<(Box<str>, TermPostings)>() + 1;
        let pair = size_of::<(u32, f32)>();
        let pairs = |found: &TermPostings| found.tools.capacity() + found.servers.capacity();
        let terms = self.postings.iter().map(|(term, found)| term.len() + pair * pairs(found));
        let names = self.server_names.iter().flatten().map(|word| word.len() + place);
        self.postings.capacity() * place
            + terms.sum::<usize>()
            + names.sum::<usize>()
            + self.server_of.capacity() * size_of::<u32>()
    }

    fn take(&mut self, place: usize, terms: &FieldTerms) {
        let (Ok(tool), Some(server)) = (u32::try_from(place), self.server_of.get(place)) else {
            return;
        };
        let trust = terms.trust();
        for (term, counts) in &terms.counts {
            let mut weight = 0.0;
            for (slot, field) in ToolField::ALL.into_iter().enumerate() {
                let (count, length) = (f32::from(counts[slot]), terms.lengths[slot] as f32);
                let share = field.length_matters();
                let stretch = 1.0 - share + share * length / field.usual_words();
                weight += field.weight() * count / stretch.max(0.1);
            }
            weight *= trust;
            let found = self.postings.entry(term.as_str().into()).or_default();
            found.tools.push((tool, weight));
            match found.servers.last_mut().filter(|(last, _)| last == server) {
                Some((_, sum)) => *sum += weight,
                None => found.servers.push((*server, weight)),
            }
        }
    }

    /// What depends on the whole list.
    fn settle(&mut self) {
        let tools = self.server_of.len();
        let mut sizes = vec![0.0_f32; self.server_count];
        for server in &self.server_of {
            if let Some(size) = sizes.get_mut(*server as usize) {
                *size += 1.0;
            }
        }
        for postings in self.postings.values_mut() {
            merge_servers(&mut postings.servers);
            for (server, weight) in &mut postings.servers {
                // What most of its tools speak of is what it is about, however many they are.
                *weight /= sizes.get(*server as usize).map_or(1.0, |size| size.max(1.0));
            }
            postings.rarity = rarity(postings.tools.len(), tools);
            saturate(&mut postings.tools, postings.rarity);
            let of_servers = rarity(postings.servers.len(), sizes.len());
            saturate(&mut postings.servers, of_servers);
        }
    }
}

/// More of the same word says more, up to how rare it is.
fn saturate(found: &mut [(u32, f32)], rarity: f32) {
    for (_, weight) in found {
        *weight = rarity * *weight / (*weight + SATURATION);
    }
}

/// Where more of the same word stops to say more.
const SATURATION: f32 = 1.4;

/// A list need not be sorted by server.
fn merge_servers(servers: &mut Vec<(u32, f32)>) {
    servers.sort_by_key(|(server, _)| *server);
    let mut merged: Vec<(u32, f32)> = Vec::with_capacity(servers.len());
    for (server, weight) in servers.drain(..) {
        match merged.last_mut().filter(|(last, _)| *last == server) {
            Some((_, sum)) => *sum += weight,
            None => merged.push((server, weight)),
        }
    }
    *servers = merged;
}

/// As BM25 has it: never below zero, however many have the term.
fn rarity(having: usize, all: usize) -> f32 {
    let (having, all) = (having as f32, all as f32);
    (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
}
