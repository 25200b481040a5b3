//! Definitions made to hurt whoever compares or shows them.

use super::*;

/// What a person may be given at most, in bytes.
const SHOWN: usize = 200 << 10;

fn is_bounded(drift: &DefinitionDrift) {
    assert!(drift.lines().iter().map(String::len).sum::<usize>() < SHOWN);
    assert!(drift.changes.len() <= MOST);
}

fn nested(open: &str, core: &str, close: &str) -> String {
    let schema = format!("{}{core}{}", open.repeat(10_000), close.repeat(10_000));
    format!(r#"{{"name":"x","inputSchema":{schema}}}"#)
}

#[test]
fn ten_thousand_levels_are_one_change() {
    for (open, close) in [(r#"{"not":"#, "}"), ("[", "]"), (r#"{"properties":{"a":"#, "}}")] {
        let drift = between(&nested(open, "1", close), &nested(open, "2", close));
        assert_eq!(only(&drift).1, Severity::Interface);
        is_bounded(&drift);
    }
}

#[test]
fn words_too_deep_to_be_told_apart_are_interface() {
    let words = |text: &str| nested(r#"{"not":"#, &format!(r#"{{"title":"{text}"}}"#), "}");
    assert_eq!(only(&between(&words("a"), &words("b"))).1, Severity::Interface);
}

#[test]
fn what_is_hidden_too_deep_to_be_told_apart_is_danger() {
    let core = |text: &str| nested("[", &format!(r#""{text}""#), "]");
    assert_eq!(only(&between(&core("a"), &core("\u{202e}"))).1, Severity::Danger);
    assert_eq!(only(&between(&core("a"), &core(r"\u202e"))).1, Severity::Danger);
}

#[test]
fn megabytes_of_text_are_told_in_lines() {
    for text in ["x", "é", "\u{202e}", r"\u202e", "\u{1f9d1}\u{200d}"] {
        let [before, after] = [1, 2].map(|ends| {
            format!(r#"{{"description":"{}{ends}","{ends}":0}}"#, text.repeat(1 << 19))
        });
        let drift = between(&before, &after);
        assert_eq!(drift.changes.len(), 3);
        is_bounded(&drift);
    }
}

#[test]
fn megabytes_of_key_are_told_in_lines() {
    let key = "k".repeat(1 << 20);
    let members = |value: u8| {
        let members = (0..100).map(|number| format!(r#""{number}":{value}"#));
        members.collect::<Vec<_>>().join(",")
    };
    let [before, after] = [1, 2].map(|value| format!(r#"{{"{key}":{{{}}}}}"#, members(value)));
    let drift = between(&before, &after);
    assert_eq!(drift.changes.len() + drift.more, 100);
    is_bounded(&drift);
}

#[test]
fn a_flood_of_small_changes_hides_no_grave_one() {
    let flood = |word: &str, hint: bool| {
        let parameters = (0..20_000)
            .map(|number| format!(r#""p{number}":{{"title":"{word}"}}"#))
            .collect::<Vec<_>>()
            .join(",");
        format!(
            r#"{{"inputSchema":{{"properties":{{{parameters}}}}},"z":0,"annotations":{{"a":{hint}}}}}"#
        )
    };
    let drift = between(&flood("a", true), &flood("b", false));
    assert_eq!(drift.changes[0].place, "annotations.a");
    assert_eq!((drift.severity, drift.changes.len()), (Severity::Danger, MOST));
    assert_eq!(drift.more, 20_001 - MOST);
    assert_eq!(drift.lines().last().unwrap(), &format!("and {} more", drift.more));
    is_bounded(&drift);
}

/// Where there is too much to take apart, nothing gets less grave for it.
#[test]
fn what_is_too_large_is_told_as_a_whole() {
    let padded = |hint: bool, word: &str| {
        format!(
            r#"{{"annotations":{{"a":{hint},"pad":"{pad}"}},"inputSchema":{{"title":"{word}","pad":"{pad}"}}}}"#,
            pad = "x".repeat(5 << 20)
        )
    };
    let drift = between(&padded(true, "a"), &padded(false, "b"));
    let told: Vec<_> = drift.changes.iter().map(|one| (&*one.place, one.severity)).collect();
    assert_eq!(told, [("annotations", Severity::Danger), ("inputSchema", Severity::Interface)]);
    is_bounded(&drift);
}
