//! No way of printing a secret prints it.

use super::*;

#[test]
fn a_secret_shows_stars_or_its_template_and_never_its_value() {
    let literal = Text::hidden("hunter2".into());
    let expanded = Text::expanded("Bearer ${TOKEN}".into(), "Bearer hunter2".into());
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

#[test]
fn names_that_usually_hold_secrets_are_known() {
    for name in
        ["GITHUB_TOKEN", "api-key", "X-Api-Key", "Authorization", "db_password", "CLIENT_SECRET"]
    {
        assert!(is_sensitive_name(name), "{name}");
    }
    for name in ["NODE_ENV", "X-Workspace", "KEYBOARD", "LANG"] {
        assert!(!is_sensitive_name(name), "{name}");
    }
}
