//! Words that nobody uses, as the ones that were probably meant: a letter left out, doubled, swapped or wrong.

/// Whether one becomes the other by so few changes that a slip of the fingers explains it.
pub(crate) fn is_near(typed: &str, known: &str) -> bool {
    // Most words are too different to be looked at letter by letter.
    if typed.len().abs_diff(known.len()) > 2 || typed.as_bytes().first() != known.as_bytes().first()
    {
        return false;
    }
    let (typed, known): (Vec<char>, Vec<char>) = (typed.chars().collect(), known.chars().collect());
    let slips = match typed.len().min(known.len()) {
        0..=3 => return false,
        4..=6 => 1,
        _ => 2,
    };
    typed.len().abs_diff(known.len()) <= slips
        && typed.first() == known.first()
        && changes(&typed, &known) <= slips
}

/// How many letters are left out, added, replaced, or swapped with their neighbour.
fn changes(a: &[char], b: &[char]) -> usize {
    let width = b.len() + 1;
    let mut rows = vec![0; width * (a.len() + 1)];
    for (column, cell) in rows.iter_mut().take(width).enumerate() {
        *cell = column;
    }
    for i in 1..=a.len() {
        rows[i * width] = i;
        for j in 1..=b.len() {
            let same = usize::from(a[i - 1] != b[j - 1]);
            let above = (i - 1) * width + j;
            let mut best =
                (rows[above] + 1).min(rows[i * width + j - 1] + 1).min(rows[above - 1] + same);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[(i - 2) * width + j - 2] + 1);
            }
            rows[i * width + j] = best;
        }
    }
    rows.last().copied().unwrap_or_default()
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
