//! Words that nobody uses, as the ones that were probably meant: a letter left out, doubled, swapped or wrong.

/// Whether one becomes the other by so few changes that a slip of the fingers explains it.
pub(crate) fn is_near(typed: &str, known: &str) -> bool {
    // Most words are too different to be looked at letter by letter.
    if typed.len().abs_diff(known.len()) > 2 || typed.as_bytes().first() != known.as_bytes().first()
    {
        return false;
    }
    let slips = match typed.len().min(known.len()) {
        0..=3 => return false,
        4..=6 => 1,
        _ => 2,
    };
    strsim::osa_distance(typed, known) <= slips
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_near_and_another_word_is_not() {
        for (typed, known) in [
            ("brnach", "branch"),
            ("forcast", "forecast"),
            ("scrpae", "scrape"),
            ("wether", "weather"),
        ] {
            assert!(is_near(typed, known), "{typed} {known}");
        }
        for (typed, known) in
            [("list", "mist"), ("cat", "cut"), ("read", "road-map"), ("send", "spend-all")]
        {
            assert!(!is_near(typed, known), "{typed} {known}");
        }
    }
}
