//! What a block of rows says, in so few bytes that whoever searches passes over the blocks that cannot have
//! what is looked for.
//!
//! A summary may say too much, and then a block is looked through for nothing; it never says too little. Which
//! rows are a block, and where summaries are kept, is the store's.

mod trios;

use std::collections::{BTreeSet, HashSet};

use trios::TrioTable;

use crate::{AuditQuery, time};

/// Text is kept as which pieces of so many bytes are somewhere in it.
const PIECE: usize = 4;

/// As many bits as pieces are told apart by while a block is summed up: what is fast to reach. Fewer are kept
/// where there is less to say.
const MOST_BITS: usize = 1 << 18;

/// Bits are folded together as long as no more of them than one in so many are set: with more, too many
/// blocks would seem to have what they have not.
const SPARSE: usize = 3;

/// As it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BlockSummary {
    /// The earliest and the latest time.
    pub(crate) since: u64,
    pub(crate) until: u64,
    /// The marks of servers, tools and outcomes, alone and together, each in four bytes.
    pub(crate) names: Vec<u8>,
    /// The marks of calls and sessions.
    pub(crate) calls: Vec<u8>,
    /// Which three bytes are beside each other, for whoever looks for few.
    pub(crate) trios: Vec<u8>,
    /// One bit for each piece of text that is there; a power of two of them.
    pub(crate) texts: Vec<u8>,
}

/// What is searched of a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SearchedParts<'a> {
    pub(crate) at: u64,
    pub(crate) correlation: &'a str,
    pub(crate) session: Option<&'a str>,
    pub(crate) server: Option<&'a str>,
    pub(crate) tool: Option<&'a str>,
    pub(crate) outcome: Option<&'a str>,
    pub(crate) body: &'a str,
}

/// Rows of one block, being summed up.
#[derive(Debug)]
pub(crate) struct BlockSum {
    times: Option<(u64, u64)>,
    /// What was seen of server, tool and outcome together, by its mark: most rows say nothing new.
    seen: HashSet<u64>,
    names: BTreeSet<u32>,
    calls: BTreeSet<u32>,
    trios: TrioTable,
    texts: Vec<u64>,
}

/// What is hashed besides a value, so that the same word for two things is two marks.
#[derive(Clone, Copy)]
enum Marked {
    /// Server, tool and outcome, as far as they are given.
    Names = 1,
    Call = 2,
    Session = 3,
}

impl Default for BlockSum {
    fn default() -> Self {
        Self {
            times: None,
            seen: HashSet::new(),
            names: BTreeSet::new(),
            calls: BTreeSet::new(),
            trios: TrioTable::default(),
            texts: vec![0; MOST_BITS / 64],
        }
    }
}

impl BlockSum {
    pub(crate) fn add(&mut self, row: SearchedParts<'_>) {
        let SearchedParts { at, correlation, session, server, tool, outcome, body } = row;
        let (since, until) = self.times.unwrap_or((at, at));
        self.times = Some((since.min(at), until.max(at)));
        self.calls.insert(mark(Marked::Call, &[Some(correlation)]));
        if let Some(session) = session {
            self.calls.insert(mark(Marked::Session, &[Some(session)]));
        }
        let names = [server, tool, outcome];
        if self.seen.insert(long_mark(Marked::Names, &names)) {
            // Each of them, and all that somebody may ask for together.
            for asked in 1_u8..8 {
                let kept = |place: usize| names[place].filter(|_| asked & (1 << place) != 0);
                let some = [kept(0), kept(1), kept(2)];
                if some.iter().flatten().count() == asked.count_ones() as usize {
                    self.names.insert(mark(Marked::Names, &some));
                }
            }
            self.add_text(server.unwrap_or_default());
            self.add_text(tool.unwrap_or_default());
        }
        self.add_text(body);
    }

    fn add_text(&mut self, text: &str) {
        self.trios.add(text);
        for bit in pieces(text) {
            self.texts[bit / 64] |= 1 << (bit % 64);
        }
    }

    pub(crate) fn summary(&self) -> BlockSummary {
        let (since, until) = self.times.unwrap_or((0, 0));
        let marks =
            |marks: &BTreeSet<u32>| marks.iter().flat_map(|one| one.to_le_bytes()).collect();
        let mut texts = self.texts.clone();
        while texts.len() > 1 {
            let folded = folded(&texts);
            let set: usize = folded.iter().map(|word| word.count_ones() as usize).sum();
            if set * SPARSE > folded.len() * 64 {
                break;
            }
            texts = folded;
        }
        let texts = texts.iter().flat_map(|word| word.to_le_bytes()).collect();
        let (names, calls) = (marks(&self.names), marks(&self.calls));
        BlockSummary { since, until, names, calls, trios: self.trios.bytes().to_vec(), texts }
    }

    /// Whether whoever goes by this summary finds everything that was added here.
    pub(crate) fn is_covered_by(&self, summary: &BlockSummary) -> bool {
        let BlockSummary { since, until, names, calls, trios, texts } = summary;
        let are_in = |marks: &BTreeSet<u32>, kept: &[u8]| {
            let kept: HashSet<u32> = marks_of(kept).collect();
            marks.iter().all(|mark| kept.contains(mark))
        };
        let (Some((first, last)), true) = (self.times, texts.len().is_power_of_two()) else {
            return self.times.is_none();
        };
        let mut own = self.texts.clone();
        while own.len() * 8 > texts.len() && own.len() > 1 {
            own = folded(&own);
        }
        let own = own.iter().flat_map(|word| word.to_le_bytes());
        first >= *since
            && last <= *until
            && are_in(&self.names, names)
            && are_in(&self.calls, calls)
            && self.trios.is_covered_by(trios)
            && texts.len() >= 8
            && texts.len() <= MOST_BITS / 8
            && own.zip(texts).all(|(own, kept)| own & !kept == 0)
    }
}

/// The two halves of a table of bits, one over the other.
fn folded(bits: &[u64]) -> Vec<u64> {
    let (one, other) = bits.split_at(bits.len() / 2);
    one.iter().zip(other).map(|(one, other)| one | other).collect()
}

/// What of a query can be held against summaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SoughtInBlocks {
    since: u64,
    until: u64,
    names: Option<u32>,
    calls: Vec<u32>,
    /// Of a short text.
    trios: Vec<usize>,
    texts: Vec<usize>,
}

impl SoughtInBlocks {
    /// None where a summary could not say anything about it.
    pub(crate) fn of(query: &AuditQuery) -> Option<Self> {
        let AuditQuery { since, until, server, tool, outcome, session, correlation, grep, .. } =
            query;
        let names = [server, tool, outcome].map(|name| name.as_deref());
        let is_named = names.iter().any(Option::is_some);
        let call = correlation.as_deref().map(|call| mark(Marked::Call, &[Some(call)]));
        let session = session.as_deref().map(|session| mark(Marked::Session, &[Some(session)]));
        let sought = Self {
            since: time::kept(since.unwrap_or(0)),
            until: until.unwrap_or(u64::MAX),
            names: is_named.then(|| mark(Marked::Names, &names)),
            calls: call.into_iter().chain(session).collect(),
            trios: grep.as_deref().map(trios::sought).unwrap_or_default(),
            texts: grep.as_deref().map(|part| pieces(part).collect()).unwrap_or_default(),
        };
        let is_timed = since.is_some() || until.is_some();
        let is_texted = !sought.texts.is_empty() || !sought.trios.is_empty();
        let says = is_timed || is_named || !sought.calls.is_empty() || is_texted;
        says.then_some(sought)
    }

    pub(crate) fn may_be_at(&self, since: u64, until: u64) -> bool {
        self.since <= until && self.until >= since
    }

    /// Whether it goes by names at all.
    pub(crate) fn has_names(&self) -> bool {
        self.names.is_some()
    }

    pub(crate) fn may_be_named(&self, names: &[u8]) -> bool {
        self.names.is_none_or(|name| marks_of(names).any(|mark| mark == name))
    }

    /// Whether it goes by calls at all.
    pub(crate) fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    pub(crate) fn may_be_called(&self, calls: &[u8]) -> bool {
        self.calls.iter().all(|call| marks_of(calls).any(|mark| mark == *call))
    }

    /// Whether it goes by what a short text is made of.
    pub(crate) fn has_trios(&self) -> bool {
        !self.trios.is_empty()
    }

    pub(crate) fn may_be_made_of(&self, trios: &[u8]) -> bool {
        trios::may_have(trios, &self.trios)
    }

    /// Whether it goes by text at all.
    pub(crate) fn has_text(&self) -> bool {
        !self.texts.is_empty()
    }

    pub(crate) fn may_be_said(&self, texts: &[u8]) -> bool {
        let bits = texts.len() * 8;
        let is_set = |bit: &usize| {
            let bit = bit & (bits - 1);
            texts[bit / 8] & (1 << (bit % 8)) != 0
        };
        !texts.len().is_power_of_two() || self.texts.iter().all(is_set)
    }
}

fn marks_of(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.as_chunks::<4>().0.iter().map(|mark| u32::from_le_bytes(*mark))
}

/// Which bit each piece of a text has, of the most there are; with fewer bits, the lower part of that.
fn pieces(text: &str) -> impl Iterator<Item = usize> {
    text.as_bytes().windows(PIECE).map(|piece| {
        // The upper half of a product has something of every bit.
        let piece = piece.iter().rev().fold(0_u64, |piece, byte| piece << 8 | u64::from(*byte));
        let mixed = piece.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        (mixed & (MOST_BITS as u64 - 1)) as usize
    })
}

fn mark(what: Marked, values: &[Option<&str>]) -> u32 {
    let mark = long_mark(what, values);
    (mark ^ (mark >> 32)) as u32
}

/// FNV-1a, which stays the same from version to version. Whoever finds two values of one mark has a search
/// look into a block for nothing.
fn long_mark(what: Marked, values: &[Option<&str>]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut take = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    take(what as u8);
    for value in values {
        // Neither is a byte of any text.
        take(if value.is_some() { 0xff } else { 0xfe });
        value.unwrap_or_default().bytes().for_each(&mut take);
    }
    hash
}

#[cfg(test)]
mod tests;
