//! Which tools of an index fit a request, the best first.

use crate::index::ToolIndex;
use crate::near_spelling::is_near;
use crate::query::QueryTerms;
use crate::related_words::related;
use crate::spread::{FoundTool, SpreadCandidate, spread};

/// Where more of the same word stops to say more.
const SATURATION: f32 = 1.4;

/// What a server is about, against what its tool says itself.
const SERVER_COUNTS: f32 = 0.45;

/// What a part of a request counts against the whole of it.
const PART_COUNTS: f32 = 0.6;

/// How much less a part counts that says less than the whole.
const PART_FADES: f32 = 0.3;

/// What is called by name is meant.
const NAMED_COUNTS: f32 = 1.35;

/// What a word counts that was probably meant.
const SLIP_COUNTS: f32 = 0.6;

/// The most that a tool is lifted by what is known of it besides its words.
const MOST_PRIOR: f32 = 0.1;

impl ToolIndex {
    /// At most so many tools, the best first. `prior` is between 0 and 1 for each place: how well a tool
    /// served before. It lifts a tool by a tenth at most.
    pub fn search(
        &self,
        request: &str,
        limit: usize,
        prior: impl Fn(usize) -> f32,
    ) -> Vec<FoundTool> {
        let terms = QueryTerms::of(request);
        let named = self.named_servers(&terms);
        let (whole, whole_says) = self.scores(&terms);
        let mut best: Vec<(f32, usize)> = whole.into_iter().map(|score| (score, 0)).collect();
        for (part, terms) in QueryTerms::parts(request).iter().enumerate() {
            let (scores, says) = self.scores(terms);
            // A part of which little is known says little.
            let counts = PART_COUNTS * (says / whole_says).min(1.0).powf(PART_FADES);
            for (best, score) in best.iter_mut().zip(scores) {
                if counts * score > best.0 {
                    *best = (counts * score, part + 1);
                }
            }
        }
        for ((score, _), server) in best.iter_mut().zip(&self.server_of) {
            if named.contains(server) {
                *score *= NAMED_COUNTS;
            }
        }
        let scored = best.into_iter().enumerate().filter(|(_, (score, _))| *score > 0.0);
        let candidate = |(place, (score, part)): (usize, (f32, usize))| {
            let known = Some(prior(place)).filter(|prior| prior.is_finite());
            let lift = known.unwrap_or_default().clamp(0.0, 1.0) * MOST_PRIOR;
            let server = self.server_of.get(place).copied().unwrap_or_default();
            SpreadCandidate { place, score: score * (1.0 + lift), server, part }
        };
        let mut found: Vec<SpreadCandidate> = scored.map(candidate).collect();
        found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.place.cmp(&b.place)));
        spread(found, limit)
    }

    /// The servers that a request calls by name.
    fn named_servers(&self, QueryTerms(terms): &QueryTerms) -> Vec<u32> {
        let is_said = |word: &str| terms.iter().any(|term| term.term == word);
        let named = self.server_names.iter().enumerate();
        let named =
            named.filter(|(_, words)| !words.is_empty() && words.iter().all(|word| is_said(word)));
        named.filter_map(|(server, _)| u32::try_from(server).ok()).collect()
    }

    /// How well each tool fits, with 1 for the best that the terms could make; and how much they say.
    fn scores(&self, QueryTerms(terms): &QueryTerms) -> (Vec<f32>, f32) {
        let mut own = vec![0.0_f32; self.server_of.len()];
        let mut servers = vec![0.0_f32; self.server_count];
        let mut most = 0.0_f32;
        for term in terms {
            let mut of_tools: Vec<(u32, f32)> = Vec::new();
            let mut of_servers: Vec<(u32, f32)> = Vec::new();
            let mut rarest = 0.0_f32;
            let slips = self.slips_of(&term.term);
            let slips = slips.iter().map(|known| (*known, SLIP_COUNTS));
            for (spelling, counts) in term.spellings().chain(slips) {
                let Some(found) = self.postings.get(spelling) else { continue };
                let says = |weight: f32| counts * weight / (weight + SATURATION);
                rarest = rarest.max(counts * found.rarity);
                let tools = found.tools.iter();
                of_tools.extend(tools.map(|(tool, weight)| (*tool, found.rarity * says(*weight))));
                let servers = found.servers.iter();
                of_servers.extend(
                    servers.map(|(server, weight)| (*server, found.server_rarity * says(*weight))),
                );
            }
            most += term.weight * rarest;
            add_best(&mut own, of_tools, term.weight);
            add_best(&mut servers, of_servers, term.weight);
        }
        let most = most.max(f32::MIN_POSITIVE);
        let with_server = |(score, server): (&f32, &u32)| match *score > 0.0 {
            true => {
                let about = servers.get(*server as usize).copied().unwrap_or_default();
                // No more than its own words: a server does not make a tool.
                (score + (SERVER_COUNTS * about).min(*score)) / most
            }
            // A server that fits does not make a tool fit that has no word of it.
            false => 0.0,
        };
        (own.iter().zip(&self.server_of).map(with_server).collect(), most)
    }

    /// What was probably meant by a word that no tool has.
    fn slips_of(&self, term: &str) -> Vec<&str> {
        if self.postings.contains_key(term) || !related(term).is_empty() {
            return Vec::new();
        }
        self.postings.keys().map(|known| &**known).filter(|known| is_near(term, known)).collect()
    }
}

/// A term counts once for each, by its best spelling.
fn add_best(scores: &mut [f32], mut found: Vec<(u32, f32)>, weight: f32) {
    found.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    found.dedup_by_key(|(place, _)| *place);
    for (place, score) in found {
        if let Some(sum) = scores.get_mut(place as usize) {
            *sum += weight * score;
        }
    }
}
