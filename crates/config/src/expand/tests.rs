//! Expansion is all or nothing, and its result is secret.

use super::*;

fn variables() -> Variables {
    [("TOKEN".to_owned(), "s3cret".to_owned()), ("EMPTY".to_owned(), String::new())].into()
}

fn exposed(text: &str) -> Result<Option<String>, ExpandError> {
    expand(text, &variables()).map(|text| text.map(|text| text.expose().to_owned()))
}

#[test]
fn expands_every_variable_and_remembers_the_template() {
    let text = expand("Bearer ${TOKEN}${EMPTY}!", &variables()).unwrap().unwrap();
    assert_eq!(text.expose(), "Bearer s3cret!");
    assert_eq!(text.shown(), "Bearer ${TOKEN}${EMPTY}!");
    assert!(text.is_secret());
}

#[test]
fn leaves_text_without_variables_and_escaped_ones() {
    assert_eq!(exposed("plain $HOME"), Ok(None));
    assert_eq!(exposed("a $${TOKEN} b"), Ok(Some("a ${TOKEN} b".into())));
    assert!(!expand("$${TOKEN}", &variables()).unwrap().unwrap().is_secret());
}

#[test]
fn an_unset_or_malformed_variable_is_an_error_and_never_text() {
    assert_eq!(exposed("${NOPE}"), Err(ExpandError::Unset("NOPE".into())));
    for bad in ["${", "${TOKEN", "${}", "${A-B}", "${TOKEN:-x}", "${${TOKEN}}"] {
        assert_eq!(exposed(bad), Err(ExpandError::Malformed), "{bad}");
    }
}

#[test]
fn knows_text_that_expects_an_expansion() {
    assert!(mentions_variable("Bearer ${TOKEN}"));
    assert!(!mentions_variable("${not a name} $TOKEN ${"));
}
