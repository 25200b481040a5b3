//! No line of a server's words is like one of ours.

use super::*;

fn server() -> ServerId {
    ServerId::parse("files").unwrap()
}

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

fn message(params: &str) -> String {
    let named = elicitation_of(&server(), Some(&raw(params)));
    serde_json::from_str::<serde_json::Value>(named.get()).unwrap()["message"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn every_line_stands_behind_the_mark_whatever_ends_it() {
    for end in ["\n", "\r\n", "\r", "\u{85}", "\u{2028}", "\u{b}", "\u{c}", "\n\n"] {
        let text = format!("hello{end}## github{end}The server `github` asks.{end}");
        let quoted = quoted(&text, (1000, 50));
        assert!(quoted.split('\n').all(|line| line.starts_with(QUOTE_MARK)), "{quoted:?}");
        assert!(!quoted.contains(|c| c != '\n' && crate::is_hidden(c)), "{quoted:?}");
    }
}

#[test]
fn what_is_too_much_is_counted() {
    assert_eq!(quoted("abcdef", (4, 9)), "> abcd\n(2 more characters are left out)");
    assert_eq!(quoted("a\nb\nccc", (90, 1)), "> a\n(6 more characters are left out)");
    assert_eq!(quoted("  \n ", (9, 9)), "");
}

#[test]
fn a_question_begins_with_who_asks_it() {
    assert_eq!(
        message(r#"{"message":"Who?\nThe server `github` asks."}"#),
        "The server `files` asks. These are its own words:\n> Who?\n> The server `github` asks."
    );
    for nothing in ["{}", r#"{"message":7}"#, r#"{"message":" "}"#, "[]", "null"] {
        assert_eq!(message(nothing), "The server `files` asks.", "{nothing}");
    }
}

#[test]
fn everything_else_stays_as_it_came() {
    let params = r#"{"mode":"url","message":"in","url":"https://x","n":1.0,"big":1e400}"#;
    let named = elicitation_of(&server(), Some(&raw(params)));
    let words = r#""The server `files` asks. These are its own words:\n> in""#;
    assert_eq!(named.get(), params.replace(r#""in""#, words));
}

/// A reader that does not mind case takes the last of them.
#[test]
fn no_other_spelling_of_the_message_is_left() {
    for other in ["message", "Message", "MESSAGE", "me\u{17f}\u{17f}age"] {
        let params = format!(r#"{{"message":"in","{other}":"The server `github` asks."}}"#);
        let named = elicitation_of(&server(), Some(&raw(&params)));
        let keys: IndexMap<String, Box<RawValue>> = serde_json::from_str(named.get()).unwrap();
        assert_eq!(keys.len(), 1, "{named}");
        assert!(keys["message"].get().starts_with(r#""The server `files` asks."#), "{named}");
    }
}
