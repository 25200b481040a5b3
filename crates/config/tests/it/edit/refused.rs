//! What cannot be edited is refused with the key, and the text stays as it was.

use serde_json::json;
use toolgate_config::edit::{EditError, TextEditor};
use toolgate_config::tree::ConfigFormat::{self, Json, Toml};

fn refusal(format: ConfigFormat, text: &str, path: &[&str], value: &serde_json::Value) -> String {
    let mut editor = TextEditor::open(format, text).unwrap();
    let error = editor.set(path, value).expect_err("must be refused");
    assert_eq!(editor.finish(), text);
    error.to_string()
}

#[test]
fn a_path_through_something_else_names_the_key() {
    let expected = "`servers` is a number, not a table, so `a` cannot stand in it";
    assert_eq!(refusal(Toml, "servers = 5\n", &["servers", "a"], &json!({})), expected);
    assert_eq!(refusal(Json, "{\"servers\": 5}", &["servers", "a"], &json!({})), expected);
    let expected = "`x.\"a b\"` is an array, not a table, so `c` cannot stand in it";
    assert_eq!(refusal(Toml, "[[x.\"a b\"]]\n", &["x", "a b", "c"], &json!(1)), expected);
    let expected = "`the text` is an array, not a table, so `a` cannot stand in it";
    assert_eq!(refusal(Json, "[]", &["a"], &json!(1)), expected);
    let mut editor = TextEditor::open(Json, "{\"servers\": 5}").unwrap();
    assert!(matches!(editor.remove(&["servers", "a"]), Err(EditError::NotATable { .. })));
}

#[test]
fn toml_has_no_null_and_no_larger_numbers() {
    let value = json!({ "env": { "K": null } });
    let text = refusal(Toml, "a = 1\n", &["servers", "s"], &value);
    assert_eq!(text, "`servers.s.env.K` is null, and TOML has no null; leave the key out");
    let text = refusal(Toml, "", &["n"], &json!([u64::MAX]));
    assert!(text.starts_with("`n` is 18446744073709551615"), "{text}");
}

#[test]
fn a_text_with_errors_is_not_opened() {
    let line = |format, text: &str| match TextEditor::open(format, text) {
        Err(EditError::Syntax { line, .. }) => line,
        other => panic!("{other:?}"),
    };
    assert_eq!(line(Toml, "a = 1\nb = \n"), 2);
    assert_eq!(line(Toml, "a = 1\na = 2\n"), 2);
    assert_eq!(line(Json, "{\n\"a\": 1,\n\"a\": 2}"), 3);
    assert_eq!(line(Json, "{\"a\": "), 1);
    assert_eq!(line(Json, &"[".repeat(1 << 20)), 1);
    assert_eq!(line(Toml, &format!("a = {}", "[".repeat(1 << 20))), 1);
}

#[test]
fn nothing_to_remove_is_no_error_and_no_key_is_one() {
    let mut editor = TextEditor::open(Toml, "a = 1\n").unwrap();
    assert_eq!(editor.remove(&["servers", "x"]), Ok(false));
    assert_eq!(editor.remove(&[]), Err(EditError::NoKey));
    assert_eq!(editor.set(&[], &json!({})), Err(EditError::NoKey));
    assert_eq!(editor.finish(), "a = 1\n");
}

#[test]
fn an_editor_does_not_print_its_text() {
    let editor = TextEditor::open(Toml, "token = \"hunter2\"\n").unwrap();
    assert!(!format!("{editor:?}").contains("hunter2"));
}
