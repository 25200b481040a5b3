//! Edits are merged, made once, and made until nothing is left to do.

use super::*;

fn edit(range: Range<usize>) -> MaskEdit {
    MaskEdit::inside(range)
}

#[test]
fn what_overlaps_or_touches_becomes_one_and_what_is_masked_already_stays() {
    let text = "0123456789 *** x";
    let edits = vec![edit(6..8), edit(1..3), edit(2..5), edit(8..9), edit(11..14), edit(3..3)];
    assert_eq!(merged(text, edits), [edit(1..5), edit(6..9)]);
}

#[test]
fn a_value_that_is_masked_whole_swallows_what_is_inside() {
    let whole = MaskEdit { range: 0..9, form: MaskForm::Value { quoting: 0 } };
    assert_eq!(merged("[\"secret\"]", vec![edit(2..8), whole.clone()]), [whole]);
}

#[test]
fn text_that_never_comes_to_rest_is_masked_as_a_whole() {
    let once_more = |text: &str| vec![edit(text.len() - 1..text.len())];
    assert_eq!(settle("endless", "all of it", once_more), "all of it");
    assert_eq!(settle("at rest", "all of it", |_| Vec::new()), "at rest");
}

#[test]
fn a_character_is_never_cut_in_two() {
    assert_eq!(applied("aéb", &[edit(2..3)]), "a***b");
}
