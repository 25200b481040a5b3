//! Which tools of an index fit a request, the best first.

use crate::best_sums::BestSums;
use crate::index::ToolIndex;
use crate::near_spelling::is_near;
use crate::product_names::with_known_names;
use crate::query::QueryTerms;
use crate::related_words::related;
use crate::spread::{FoundTool, SpreadCandidate, spread};

/// What a server is about, against what its tool says itself.
const SERVER_COUNTS: f32 = 0.75;

/// What a tool's fit to its part of a request counts, and its fit to the whole: a tool for one part has words
/// of others too, where one server has them all.
const PART_COUNTS: f32 = 0.8;
const WHOLE_COUNTS: f32 = 0.85;

/// How much less a part counts that says less than the whole.
const PART_FADES: f32 = 0.15;

/// How much the best for a part is the best for one thing, however well it fits: 1 is entirely.
const EVENED: f32 = 0.77;

/// What is called by name is meant.
const NAMED_COUNTS: f32 = 1.37;

/// What a word counts that was probably meant.
const SLIP_COUNTS: f32 = 0.68;

/// What the words that `it` stands for add at most, against a tool's own.
const SPOKEN_OF_ADDS: f32 = 0.3;

/// The most that a tool is lifted by what is known of it besides its words.
const MOST_PRIOR: f32 = 0.1;

/// So much of a request is read: more than anybody writes, less than a file that was pasted.
const MOST_CHARACTERS: usize = 4_000;

/// How well each tool fits some terms.
struct ToolFits {
    by_tool: Vec<f32>,
    /// How much the terms say.
    says: f32,
}

impl ToolIndex {
    /// At most so many tools, the best first. `prior` is between 0 and 1 for each place: how well a tool
    /// served before. It lifts a tool by a tenth at most.
    pub fn search(
        &self,
        request: &str,
        limit: usize,
        prior: impl Fn(usize) -> f32,
    ) -> Vec<FoundTool> {
        let is_known = |term: &str| self.postings.contains_key(term);
        let request = &with_known_names(beginning(request), is_known);
        let terms = QueryTerms::of(request);
        let named = self.named_servers(&terms);
        let whole = self.fits(&terms, &named);
        let parts = QueryTerms::parts(request);
        let mut best: Vec<(f32, usize)> = match parts.is_empty() {
            true => whole.by_tool.iter().map(|fit| (*fit, 0)).collect(),
            false => vec![(0.0, 0); whole.by_tool.len()],
        };
        for (part, terms) in parts.iter().enumerate() {
            let ToolFits { by_tool, says } = self.fits(terms, &named);
            // A part of which little is known says little.
            let counts = PART_COUNTS * (says / whole.says).min(1.0).powf(PART_FADES);
            for ((best, fit), whole) in best.iter_mut().zip(by_tool).zip(&whole.by_tool) {
                let score = counts * fit + WHOLE_COUNTS * whole;
                if fit > 0.0 && score > best.0 {
                    *best = (score, part + 1);
                }
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

    fn fits(&self, QueryTerms(terms): &QueryTerms, named: &[u32]) -> ToolFits {
        let mut own = BestSums::new(self.server_of.len());
        let mut spoken_of = BestSums::new(self.server_of.len());
        let mut servers = BestSums::new(self.server_count);
        let mut says = 0.0_f32;
        for term in terms {
            let mut rarest = 0.0_f32;
            let slips = if term.is_name { Vec::new() } else { self.slips_of(&term.term) };
            let slips = slips.iter().map(|known| (*known, SLIP_COUNTS));
            let tools = if term.is_spoken_of { &mut spoken_of } else { &mut own };
            for (spelling, counts) in term.spellings().chain(slips) {
                let Some(found) = self.postings.get(spelling) else { continue };
                rarest = rarest.max(counts * found.rarity);
                found.tools.iter().for_each(|(tool, says)| tools.see(*tool, counts * says));
                found.servers.iter().for_each(|(server, says)| servers.see(*server, counts * says));
            }
            says += term.weight * rarest;
            tools.add(term.weight);
            servers.add(term.weight);
        }
        let mut fits = own.sums;
        let mut top = 0.0_f32;
        for ((fit, spoken_of), server) in fits.iter_mut().zip(&spoken_of.sums).zip(&self.server_of)
        {
            *fit += spoken_of.min(SPOKEN_OF_ADDS * *fit);
            // A server that fits does not make a tool fit that has no word of it, and adds no more to one
            // than its own words.
            let about = servers.sums.get(*server as usize).copied().unwrap_or_default();
            *fit += (SERVER_COUNTS * about).min(*fit);
            *fit *= if named.contains(server) { NAMED_COUNTS } else { 1.0 };
            top = top.max(*fit);
        }
        let says = says.max(f32::MIN_POSITIVE);
        // By the best that the terms could make, and the best that they made.
        let even = (says * (top / says).powf(EVENED)).max(f32::MIN_POSITIVE);
        fits.iter_mut().for_each(|fit| *fit /= even);
        ToolFits { by_tool: fits, says }
    }

    /// What was probably meant by a word that no tool has.
    fn slips_of(&self, term: &str) -> Vec<&str> {
        if term.is_empty() || self.postings.contains_key(term) || !related(term).is_empty() {
            return Vec::new();
        }
        self.postings.keys().map(|known| &**known).filter(|known| is_near(term, known)).collect()
    }
}

fn beginning(request: &str) -> &str {
    request.char_indices().nth(MOST_CHARACTERS).map_or(request, |(end, _)| &request[..end])
}
