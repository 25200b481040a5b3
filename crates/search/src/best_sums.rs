//! Sums over terms, where a term counts once for each, by its best spelling.

/// For each place of a list.
pub(crate) struct BestSums {
    pub(crate) sums: Vec<f32>,
    /// Of the term that is being looked at.
    best: Vec<f32>,
    seen: Vec<u32>,
}

impl BestSums {
    pub(crate) fn new(count: usize) -> Self {
        Self { sums: vec![0.0; count], best: vec![0.0; count], seen: Vec::new() }
    }

    pub(crate) fn see(&mut self, place: u32, score: f32) {
        let Some(best) = self.best.get_mut(place as usize) else { return };
        if *best == 0.0 {
            self.seen.push(place);
        }
        *best = best.max(score);
    }

    /// The term is over.
    pub(crate) fn add(&mut self, weight: f32) {
        for place in self.seen.drain(..) {
            let place = place as usize;
            if let (Some(sum), Some(best)) = (self.sums.get_mut(place), self.best.get_mut(place)) {
                *sum += weight * std::mem::take(best);
            }
        }
    }
}
