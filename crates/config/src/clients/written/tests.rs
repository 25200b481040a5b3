//! What is written expands to what was meant.

use super::*;
use toolgate_types::Variables;

use crate::expand::{ExpansionSources, NO_SECRETS, expand};

fn of(pieces: &[(&str, bool)]) -> WrittenText {
    let mut written = WrittenText::default();
    for (text, is_reference) in pieces {
        if *is_reference { written.reference(text) } else { written.literal(text) }
    }
    written
}

/// The text after our own expansion, with `V` set to `value`.
fn expanded(written: &WrittenText) -> String {
    let variables: Variables = [("V".to_owned(), "value".to_owned())].into();
    let text = written.render().unwrap();
    expand(&text, ExpansionSources { variables: &variables, secrets: &NO_SECRETS })
        .unwrap()
        .map_or(text, |text| text.expose().to_owned())
}

#[test]
fn literal_text_survives_our_own_expansion() {
    for text in ["plain", "$", "$HOME", "${V}", "$${V}", "$$${", "a${b${c", "${"] {
        assert_eq!(expanded(&of(&[(text, false)])), text, "{text}");
    }
    // Parts that only together would be a variable.
    assert_eq!(expanded(&of(&[("$", false), ("{V}", false)])), "${V}");
    assert_eq!(expanded(&of(&[("a", false), ("V", true), ("{$", false)])), "avalue{$");
}

#[test]
fn a_dollar_before_a_variable_cannot_be_written() {
    assert_eq!(of(&[("$", false), ("V", true)]).render(), Err(DollarBeforeReference));
}

#[test]
fn knows_texts_that_are_one_variable() {
    assert_eq!(of(&[("V", true)]).sole_reference(), Some("V"));
    assert_eq!(of(&[("bearer ", false), ("V", true)]).bearer_reference(), Some("V"));
    assert_eq!(of(&[("Basic ", false), ("V", true)]).bearer_reference(), None);
    assert_eq!(of(&[("V", true), ("x", false)]).sole_reference(), None);
}
