//! Every character of the arguments that would reach a server is in what a person is shown, or is
//! covered and counted: read back, what is shown is what was meant.

use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::fuzzed::{self, KEY};

#[test]
fn what_the_fuzzer_found_worth_keeping_holds() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/prompt");
    let mut count = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        fuzzed::prompt(&std::fs::read(file.unwrap().path()).unwrap());
        count += 1;
    }
    assert!(count >= 8, "{count}");
}

/// Arguments of all kinds, with the signs that matter more often than by chance.
fn arguments() -> impl Strategy<Value = Value> {
    let sign = prop_oneof![
        Just("\n".to_owned()),
        Just("\"".to_owned()),
        Just("\\".to_owned()),
        Just("~ ".to_owned()),
        Just(" ".repeat(17)),
        Just("\n".repeat(20)),
        Just(KEY.to_owned()),
        Just("⟨3 spaces⟩".to_owned()),
        Just("\\u{202e}".to_owned()),
        Just("\u{202e}".to_owned()),
        Just("| ".to_owned()),
        Just("-----BEGIN PRIVATE KEY-----".to_owned()),
        Just(" ⟨spelled ".to_owned()),
        any::<char>().prop_map(String::from),
        "[ -~]{0,6}",
    ];
    let text = prop::collection::vec(sign, 0..6).prop_map(|signs| signs.concat());
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(text.clone(), inner, 0..5)
                .prop_map(|map| map.into_iter().collect::<Map<_, _>>().into()),
        ]
    })
}

/// The same JSON with some characters of its strings escaped that need not be.
fn escaped(json: &str, every: usize) -> String {
    let mut out = String::new();
    let mut is_escaped = false;
    let mut is_text = false;
    for (at, c) in json.char_indices() {
        // None of the digits of an escape.
        let is_plain = is_text && !is_escaped && matches!(c, 'g'..='z' | 'G'..='Z');
        match is_plain && at % every == 0 {
            true => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => out.push(c),
        }
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_text => is_escaped = true,
            '"' => is_text = !is_text,
            _ => {}
        }
    }
    out
}

proptest! {
    /// Shows: S1-82.
    #[test]
    fn what_is_shown_reads_back_as_what_is_sent(value in arguments(), every in 1_usize..9) {
        for json in [value.to_string(), escaped(&value.to_string(), every)] {
            prop_assert!(serde_json::from_str::<Value>(&json).is_ok());
            fuzzed::prompt(json.as_bytes());
        }
    }
}
