//! Results of several servers where several fit, and for each part of a request: a server with forty tools for
//! one thing does not hide the tool of another, nor what else was asked for.

use std::collections::HashMap;

/// What each further tool of one server loses, where a request is for one thing. A few of one server may be
/// what is wanted.
const FURTHER_OF_SERVER: f32 = 0.92;
const FREE_OF_SERVER: i32 = 2;

/// The same of each further tool for one part of a request.
const FURTHER_OF_PART: f32 = 0.92;

/// A tool that was found, by its place in the list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FoundTool {
    pub place: usize,
    pub score: f32,
}

/// A tool that fits.
pub(crate) struct SpreadCandidate {
    pub(crate) place: usize,
    pub(crate) score: f32,
    pub(crate) server: u32,
    /// The part of the request that it fits best; 0 where the request has none.
    pub(crate) part: usize,
}

/// The best of candidates in order, each time with what is left of a score after those before it.
pub(crate) fn spread(candidates: Vec<SpreadCandidate>, limit: usize) -> Vec<FoundTool> {
    // What is far behind cannot come forward by what others lose.
    let few = limit.saturating_mul(8).max(64);
    let mut left: Vec<SpreadCandidate> = candidates.into_iter().take(few).collect();
    let (mut of_server, mut of_part) = (HashMap::new(), HashMap::new());
    let mut chosen = Vec::with_capacity(limit.min(left.len()));
    while chosen.len() < limit {
        let worth = |one: &SpreadCandidate| match one.part {
            0 => {
                let servers: i32 = of_server.get(&one.server).copied().unwrap_or_default();
                one.score * FURTHER_OF_SERVER.powi((servers - FREE_OF_SERVER).max(0))
            }
            part => {
                one.score * FURTHER_OF_PART.powi(of_part.get(&part).copied().unwrap_or_default())
            }
        };
        let worths: Vec<f32> = left.iter().map(worth).collect();
        // The earlier of two that are worth the same.
        let best = (0..left.len()).max_by(|a, b| worths[*a].total_cmp(&worths[*b]).then(b.cmp(a)));
        let Some(best) = best else { break };
        let SpreadCandidate { place, score, server, part } = left.remove(best);
        *of_server.entry(server).or_insert(0) += 1;
        *of_part.entry(part).or_insert(0) += 1;
        chosen.push(FoundTool { place, score });
    }
    chosen
}
