//! Which tools of an index fit a request, the best first.

use crate::best_sums::BestSums;
use crate::index::ToolIndex;
use crate::near_spelling::is_near;
use crate::query::QueryTerms;
use crate::related_words::related;
use crate::spread::{FoundTool, SpreadCandidate, spread};

/// What a server is about, against what its tool says itself.
const SERVER_COUNTS: f32 = 0.75;

/// What a part of a request counts against the whole of it. Less finds more where one server has a tool for
/// each part, more where each part is for another server.
const PART_COUNTS: f32 = 0.85;

/// How much less a part counts that says less than the whole.
const PART_FADES: f32 = 0.1;

/// How much the best for a part is the best for one thing, however well it fits: 1 is entirely.
const EVENED: f32 = 0.77;

/// What is called by name is meant.
const NAMED_COUNTS: f32 = 1.33;

/// What a word counts that was probably meant.
const SLIP_COUNTS: f32 = 0.68;

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
        let (whole, whole_says) = self.scores(&terms, &named);
        let mut best: Vec<(f32, usize)> = whole.into_iter().map(|score| (score, 0)).collect();
        for (part, terms) in QueryTerms::parts(request).iter().enumerate() {
            let (scores, says) = self.scores(terms, &named);
            // A part of which little is known says little.
            let counts = PART_COUNTS * (says / whole_says).min(1.0).powf(PART_FADES);
            for (best, score) in best.iter_mut().zip(scores) {
                if counts * score > best.0 {
                    *best = (counts * score, part + 1);
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

    /// How well each tool fits, and how much the terms say.
    fn scores(&self, QueryTerms(terms): &QueryTerms, named: &[u32]) -> (Vec<f32>, f32) {
        let mut own = BestSums::new(self.server_of.len());
        let mut servers = BestSums::new(self.server_count);
        let mut says = 0.0_f32;
        for term in terms {
            let mut rarest = 0.0_f32;
            let slips = self.slips_of(&term.term);
            let slips = slips.iter().map(|known| (*known, SLIP_COUNTS));
            for (spelling, counts) in term.spellings().chain(slips) {
                let Some(found) = self.postings.get(spelling) else { continue };
                rarest = rarest.max(counts * found.rarity);
                found.tools.iter().for_each(|(tool, says)| own.see(*tool, counts * says));
                found.servers.iter().for_each(|(server, says)| servers.see(*server, counts * says));
            }
            says += term.weight * rarest;
            own.add(term.weight);
            servers.add(term.weight);
        }
        let mut scores = own.sums;
        let mut top = 0.0_f32;
        for (score, server) in scores.iter_mut().zip(&self.server_of) {
            // A server that fits does not make a tool fit that has no word of it, and adds no more to one
            // than its own words.
            let about = servers.sums.get(*server as usize).copied().unwrap_or_default();
            *score += (SERVER_COUNTS * about).min(*score);
            *score *= if named.contains(server) { NAMED_COUNTS } else { 1.0 };
            top = top.max(*score);
        }
        let says = says.max(f32::MIN_POSITIVE);
        // By the best that the terms could make, and the best that they made.
        let even = (says * (top / says).powf(EVENED)).max(f32::MIN_POSITIVE);
        scores.iter_mut().for_each(|score| *score /= even);
        (scores, says)
    }

    /// What was probably meant by a word that no tool has.
    fn slips_of(&self, term: &str) -> Vec<&str> {
        if term.is_empty() || self.postings.contains_key(term) || !related(term).is_empty() {
            return Vec::new();
        }
        self.postings.keys().map(|known| &**known).filter(|known| is_near(term, known)).collect()
    }
}
