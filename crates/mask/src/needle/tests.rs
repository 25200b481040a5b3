//! Found is what a search one by one would find.

use proptest::prelude::*;

use super::*;

fn needles(values: &[&[u8]]) -> Needles {
    let exact = |value: &&[u8]| Needle::exact(Zeroizing::new(value.to_vec()));
    Needles::new(values.iter().map(exact).collect())
}

/// Start and end of each.
fn found(values: &[&[u8]], text: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    needles(values).find(text, &mut found);
    found.into_iter().map(|range| (range.start, range.end)).collect()
}

#[test]
fn the_longest_of_those_that_begin_alike_is_found_and_else_a_shorter_one() {
    let values: [&[u8]; 4] = [b"abcdef", b"abcdefgh", b"abcdefghij", b"abcdeg"];
    assert_eq!(found(&values, b"-abcdefghij-"), [(1, 11)]);
    assert_eq!(found(&values, b"-abcdefghiX-"), [(1, 9)]);
    assert_eq!(found(&values, b"-abcdefX-abcdeg"), [(1, 7), (9, 15)]);
    assert_eq!(found(&values, b"abcde"), []);
}

#[test]
fn without_anything_to_look_for_nothing_is_found() {
    assert_eq!(found(&[], b"anything"), []);
    assert!(needles(&[b"short"]).is_empty());
}

proptest! {
    #[test]
    fn each_place_of_each_value_is_covered(
        values in prop::collection::vec("[ab]{6,9}", 0..12),
        text in "[abc]{0,80}",
    ) {
        let bytes: Vec<&[u8]> = values.iter().map(String::as_bytes).collect();
        let longest_at = |at: usize| {
            let fitting = bytes.iter().filter(|value| text.as_bytes()[at..].starts_with(value));
            fitting.map(|value| value.len()).max().map(|length| (at, at + length))
        };
        let expected: Vec<_> = (0..text.len()).filter_map(longest_at).collect();
        prop_assert_eq!(found(&bytes, text.as_bytes()), expected);
    }
}
