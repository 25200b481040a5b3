//! Expansion is all or nothing, and its result is secret.

use super::*;

fn variables() -> Variables {
    [("TOKEN".to_owned(), "s3cret".to_owned()), ("EMPTY".to_owned(), String::new())].into()
}

fn secrets() -> FoundSecrets {
    let name = SecretName::parse("api.key-1").unwrap();
    Ok([(name, toolgate_types::Secret::new("kept".to_owned()))].into())
}

fn expand(text: &str, variables: &Variables) -> Result<Option<ConfigText>, ExpandError> {
    super::expand(text, ExpansionSources { variables, secrets: &secrets() })
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
    assert!(mentions_variable("Bearer ${secret:api}"));
    assert!(!mentions_variable("${not a name} $TOKEN ${"));
}

/// Shows: S3-34.
#[test]
fn a_secret_stands_where_its_name_stood_and_is_one_from_then_on() {
    let text = expand("key=${secret:api.key-1} ${TOKEN}", &variables()).unwrap().unwrap();
    assert_eq!(text.expose(), "key=kept s3cret");
    assert_eq!(text.shown(), "key=${secret:api.key-1} ${TOKEN}");
    assert!(text.is_secret());
    assert_eq!(exposed("$${secret:api.key-1}"), Ok(Some("${secret:api.key-1}".into())));
}

#[test]
fn an_unknown_secret_is_an_error_that_says_how_it_is_set() {
    let Err(error) = expand("${secret:NOPE}", &variables()) else { panic!() };
    assert_eq!(error.rule(), "unknown-secret");
    assert_eq!(error.help(), "set it with: toolgate secret set NOPE");
    // Neither is taken for the other.
    assert_eq!(exposed("${api.key-1}"), Err(ExpandError::Malformed));
    assert!(matches!(exposed("${secret:TOKEN}"), Err(ExpandError::UnknownSecret(_))));
}

#[test]
fn a_name_with_odd_characters_is_no_secrets_name() {
    for odd in ["", " ", "../x", "a/b", "a b", "a:b", "-x", "\u{202e}x", "${TOKEN", "x\n"] {
        let text = format!("${{secret:{odd}}}");
        assert_eq!(exposed(&text), Err(ExpandError::MalformedSecret), "{odd}");
        assert!(named_secrets(&text).next().is_none(), "{odd}");
    }
    assert_eq!(exposed("${SECRET:api.key-1}"), Err(ExpandError::Malformed));
    assert_eq!(exposed("${secret :api.key-1}"), Err(ExpandError::Malformed));
}

#[test]
fn secrets_that_cannot_be_had_are_said_to_be_so() {
    let why = || SecretsFailure { why: "closed".to_owned(), hint: "open it".to_owned() };
    let (variables, secrets) = (variables(), Err(why()));
    let sources = ExpansionSources { variables: &variables, secrets: &secrets };
    let error = super::expand("${secret:X}", sources).unwrap_err();
    assert_eq!((error.rule(), error.help().as_str()), ("unreadable-secrets", "open it"));
    assert_eq!(error.to_string(), "the secret X cannot be had: closed");
    assert!(super::expand("${TOKEN}", sources).is_ok());
}

#[test]
fn what_is_named_is_what_would_be_expanded() {
    let text = "a ${X} $${Y} ${secret:Z} $$${V} ${";
    assert_eq!(named(text).collect::<Vec<_>>(), ["X", "secret:Z"]);
    assert_eq!(named_secrets(text).map(|name| name.to_string()).collect::<Vec<_>>(), ["Z"]);
}
