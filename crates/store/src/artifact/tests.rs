//! Ids that are ids, and ranges that fit.

use super::*;

#[test]
fn an_id_is_exactly_thirty_two_lower_case_letters_of_hexadecimal() {
    let good = "0123456789abcdef0123456789abcdef";
    assert_eq!(ArtifactId::parse(good).unwrap().to_string(), good);
    let bad = [
        "",
        "0123456789abcdef0123456789abcde",
        "0123456789abcdef0123456789abcdef0",
        "0123456789ABCDEF0123456789ABCDEF",
        "0123456789abcdef0123456789abcdeg",
        "../../../../../../../../etc/hosts",
        "0123456789abcdef0123456789abcde\n",
        "é123456789abcdef0123456789abcde",
    ];
    for text in bad {
        assert_eq!(ArtifactId::parse(text), None, "{text}");
    }
}

#[test]
fn a_random_id_is_an_id_and_no_other() {
    let [one, other] = [(); 2].map(|()| ArtifactId::random().unwrap());
    assert_eq!(ArtifactId::parse(one.as_str()).as_ref(), Some(&one));
    assert_ne!(one, other);
}

#[test]
fn a_range_is_cut_to_what_there_is() {
    let backwards = Range { start: 4, end: 2 };
    let asked = [0..0, 0..5, 2..4, 3..9, 5..9, 7..9, 0..u64::MAX, backwards];
    let got = asked.each_ref().map(|range| clip(range, 5));
    assert_eq!(got, [0..0, 0..5, 2..4, 3..5, 5..5, 5..5, 0..5, 2..2]);
}
