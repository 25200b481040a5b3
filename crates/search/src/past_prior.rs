//! What a tool's past success says of it, for a search.

/// So many successes say all that they can.
const ENOUGH: f32 = 50.0;

/// Between 0 and 1, logarithmic: the first success says more than the fiftieth.
pub fn prior_of(successes: u32) -> f32 {
    ((1.0 + successes as f32).ln() / (1.0 + ENOUGH).ln()).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_success_says_less_than_the_one_before_and_all_of_them_no_more_than_one() {
        let says: Vec<f32> = (0..200).map(prior_of).collect();
        assert_eq!(says[0], 0.0);
        assert!(says.windows(2).all(|two| two[0] <= two[1]));
        assert!(says[1] - says[0] > says[2] - says[1]);
        assert_eq!((prior_of(50), prior_of(u32::MAX)), (1.0, 1.0));
    }
}
