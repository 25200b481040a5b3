//! Escapes are undone, and each place is found again in what was written.

use super::*;

fn unescaped(written: &str) -> (String, DecodedView) {
    let view = DecodedView::unescaped(written.as_bytes());
    (view.text().unwrap().to_owned(), view)
}

#[test]
fn escapes_of_json_are_undone_and_what_is_none_stays() {
    assert_eq!(unescaped(r#"a\n\"\\\/\u00e9\ud834\udd1eé"#).0, "a\n\"\\/é𝄞é");
    assert_eq!(unescaped(r"\x \u12 \ud834x \udd1e \").0, "\\x \\u12 \u{fffd}x \u{fffd} \\");
}

#[test]
fn characters_that_were_made_visible_are_hidden_again() {
    let text = "a\u{200b}\tb\u{e0041}\u{1b}";
    assert_eq!(unescaped(&toolgate_types::visible(text)).0, text);
    let others = r"\u{110000} \u{0000041} \u{g} \u{} \u{41";
    assert_eq!(unescaped(others).0, others);
}

#[test]
fn a_place_of_the_view_is_the_whole_escape_it_was_written_with() {
    let (text, view) = unescaped(r"ab\u00e9c\n");
    let at = text.find('é').unwrap();
    assert_eq!(view.written(&(at..at + 2)), 2..8);
    assert_eq!(view.written(&(at..at + 1)), 2..8);
    assert_eq!(view.written(&(0..text.len())), 0..11);
}

#[test]
fn a_place_of_what_was_written_grows_to_whole_escapes() {
    let (_, view) = unescaped(r"ab\nfoo\n");
    assert_eq!(view.whole_escapes(&(3..7)), 2..7);
    assert_eq!(view.whole_escapes(&(4..8)), 4..9);
    assert_eq!(view.whole_escapes(&(4..7)), 4..7);
}

#[test]
fn percent_signs_and_the_plus_of_forms_are_undone() {
    let view = DecodedView::percent_decoded(b"a%2Bb+c%zz%4", true);
    assert_eq!(view.text(), Some("a+b c%zz%4"));
    assert_eq!(view.written(&(1..2)), 1..4);
    assert_eq!(DecodedView::percent_decoded(b"a+%c3%A9", false).text(), Some("a+é"));
}
