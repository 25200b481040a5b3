//! From entries to rows: one for each call.
//!
//! A call has an entry when it begins and one when it ends, and the second says all that the first does.
//! Where both are at hand they are one row, at the place of the end. A call that still runs when all was
//! looked at has a row for its beginning behind the others, and one for its end later.

use std::collections::HashMap;

/// Calls that began and have not ended yet, with what is known of their beginning.
#[derive(Debug)]
pub(crate) struct OpenCalls<T> {
    waiting: HashMap<String, OpenCall<T>>,
    begun: u64,
}

#[derive(Debug)]
struct OpenCall<T> {
    round: u32,
    /// Which one it was.
    number: u64,
    beginning: T,
}

impl<T> Default for OpenCalls<T> {
    fn default() -> Self {
        Self { waiting: HashMap::new(), begun: 0 }
    }
}

impl<T> OpenCalls<T> {
    /// A round of a call begins. What began under the same name without an end is given back: it will have
    /// a row of its own.
    pub(crate) fn begin(&mut self, correlation: &str, round: u32, beginning: T) -> Option<T> {
        self.begun += 1;
        let call = OpenCall { round, number: self.begun, beginning };
        let before = self.waiting.insert(correlation.to_owned(), call);
        before.map(|before| before.beginning)
    }

    /// It ends; how it began, if that is known.
    pub(crate) fn end(&mut self, correlation: &str, round: u32) -> Option<T> {
        if self.waiting.get(correlation)?.round != round {
            return None;
        }
        self.waiting.remove(correlation).map(|call| call.beginning)
    }

    /// What has not ended, in the order in which it began.
    pub(crate) fn rest(self) -> Vec<T> {
        let mut rest: Vec<_> = self.waiting.into_values().collect();
        rest.sort_unstable_by_key(|call| call.number);
        rest.into_iter().map(|call| call.beginning).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_finds_the_beginning_of_its_own_round_once() {
        let mut calls = OpenCalls::default();
        assert_eq!(calls.begin("a", 0, 1), None);
        assert_eq!(calls.begin("b", 0, 2), None);
        assert_eq!((calls.end("c", 0), calls.end("a", 1)), (None, None));
        assert_eq!((calls.end("a", 0), calls.end("a", 0)), (Some(1), None));
        assert_eq!(calls.begin("a", 1, 3), None);
        assert_eq!(calls.begin("b", 1, 4), Some(2));
        assert_eq!(calls.begin("c", 0, 5), None);
        assert_eq!(calls.end("b", 0), None);
        assert_eq!(calls.rest(), [3, 4, 5]);
    }
}
