//! No way of printing a secret prints it.

use super::*;

#[test]
fn a_secret_shows_stars_or_its_template_and_never_its_value() {
    let literal = ConfigText::hidden("hunter2".into());
    let expanded = ConfigText::expanded("Bearer ${TOKEN}".into(), "Bearer hunter2".into());
    for text in [&literal, &expanded] {
        let shown = format!("{text} {text:?} {:?}", Secret::new("hunter2".into()));
        assert!(!shown.contains("hunter2"), "{shown}");
    }
    assert_eq!(literal.shown(), "***");
    assert_eq!(expanded.shown(), "Bearer ${TOKEN}");
    assert_eq!(expanded.expose(), "Bearer hunter2");
    assert_eq!(expanded.written(), "Bearer ${TOKEN}");
    assert_eq!(literal.written(), "hunter2");
}

/// Shows: S3-44.
#[test]
fn names_that_usually_hold_secrets_are_known() {
    for name in [
        "GITHUB_TOKEN",
        "TOKEN",
        "token2",
        "accessToken",
        "access_tokens",
        "api-key",
        "X-Api-Key",
        "APIKey",
        "privateKey",
        "OPENAI_APIKEY_2",
        "Authorization",
        "Set-Cookie",
        "db_password",
        "PassWord",
        "MYSQL_PWD",
        "CLIENT_SECRET",
        "key",
    ] {
        assert!(is_sensitive_name(name), "{name}");
    }
}

#[test]
fn names_of_counts_and_of_ordinary_keys_are_not() {
    for name in [
        "NODE_ENV",
        "X-Workspace",
        "KEYBOARD",
        "monkey",
        "keys",
        "LANG",
        "PWD",
        "pattern",
        "tokens",
        "max_tokens",
        "maxTokens",
        "completion_tokens_details",
        "token_count",
        "token_type",
        "tokenizer",
        "issue_key",
        "publicKey",
        "größe",
        "",
    ] {
        assert!(!is_sensitive_name(name), "{name}");
    }
}
