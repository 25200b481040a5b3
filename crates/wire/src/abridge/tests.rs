//! Messages in every cut of their bytes.

use proptest::prelude::*;
use serde_json::Value;

use super::*;

const SECRET: &str = "0123456789abcdef";
/// What a mark begins with.
const MARK: &str = "[cut 0123456789abcdef ";

fn abridged(message: &str, string: usize, pieces: usize) -> AbridgedMessage {
    let rules = AbridgeRules { string, whole: 4096, mark: CutMark::new(SECRET) };
    let mut abridger = MessageAbridger::new(rules);
    message.as_bytes().chunks(pieces).for_each(|piece| abridger.feed(piece));
    abridger.finish()
}

fn text(message: &str, string: usize) -> String {
    let whole = abridged(message, string, usize::MAX);
    for pieces in 1..7 {
        let same = abridged(message, string, pieces);
        assert_eq!((&same.bytes, &same.result), (&whole.bytes, &whole.result), "{pieces}");
    }
    String::from_utf8(whole.bytes.unwrap()).unwrap()
}

#[test]
fn long_strings_end_with_the_mark_and_their_length_and_the_rest_stays() {
    let message =
        r#"{ "jsonrpc":"2.0","id":7, "result" : {"n":1.50,"a":["short",{"b":"0123456789"}]} }"#;
    let expected = format!(
        r#"{{"jsonrpc":"2.0","id":7,"result":{{"n":1.50,"a":["short",{{"b":"01234567{MARK}0 of 10;"}}]}}}}"#
    );
    assert_eq!(text(message, 8), expected);
}

#[test]
fn the_result_is_found_wherever_it_stands() {
    for (message, result) in [
        (r#"{"id":1,"result":{"a":"}\"]"}}"#, r#"{"a":"}\"]"}"#),
        (r#"{"result": [1, {"result":2}] ,"id":1}"#, r#"[1, {"result":2}]"#),
        (r#"{"id":1,"result":"text, with: all"}"#, r#""text, with: all""#),
        (r#"{"id":1,"result": 5 }"#, "5"),
    ] {
        let range = abridged(message, 100, 3).result.unwrap();
        let [from, to] = [range.start, range.end].map(|at| usize::try_from(at).unwrap());
        assert_eq!(&message[from..to], result);
    }
    for none in [r#"{"id":1,"error":{"result":1}}"#, r#"{"params":{"result":1}}"#, "[1]", ""] {
        assert_eq!(abridged(none, 100, 2).result, None, "{none}");
    }
}

#[test]
fn a_cut_is_between_characters_whatever_they_are_written_as() {
    let pair = r"\ud83d\ude00";
    for long in ["é".repeat(50), "日本".repeat(20), pair.repeat(20), r"\n\\\u00e9".repeat(20)] {
        let message = format!(r#"{{"a":"{long}"}}"#);
        for string in 1..30 {
            let cut: Value = serde_json::from_str(&text(&message, string)).unwrap();
            let whole: Value = serde_json::from_str(&message).unwrap();
            let (kept, length) = cut["a"].as_str().unwrap().split_once(MARK).unwrap();
            assert!(whole["a"].as_str().unwrap().starts_with(kept));
            assert_eq!(length, format!("0 of {};", long.len()));
        }
    }
}

#[test]
fn what_is_too_long_all_the_same_is_given_up_and_still_has_its_place() {
    let many = format!(r#"{{"id":1,"result":[{}1]}}"#, "1,".repeat(5000));
    let given_up = abridged(&many, 100, 64);
    assert_eq!(given_up.bytes, None);
    assert_eq!(given_up.result, Some(17..many.len() as u64 - 1));
    assert_eq!(given_up.length, many.len() as u64);
    assert_eq!(abridged(r#"{"a":"never ends"#, 100, 2).bytes, None);
}

/// What is held, with the rest of each string in place of its mark.
fn restored(held: &str, rests: &[Range<u64>], message: &str) -> Vec<u8> {
    let (mark, mut whole, mut left) = (CutMark::new(SECRET), Vec::new(), held);
    while let Some((before, CutString { number, .. }, after)) = mark.split(left) {
        let [from, to] =
            [rests[number].start, rests[number].end].map(|at| usize::try_from(at).unwrap());
        whole.extend_from_slice(before.as_bytes());
        whole.extend_from_slice(&message.as_bytes()[from..to]);
        left = after;
    }
    whole.extend_from_slice(left.as_bytes());
    whole
}

/// A rest is passed on as it is, so it must be as good as what was read: in every cut of its bytes.
#[test]
fn a_rest_that_is_no_json_is_never_told() {
    let long = "x".repeat(10);
    let [sound, broken] = [
        [&b"y"[..], b"\\n\\u00e9\\\"", "日本😀é".as_bytes(), b"\\ud800", b"\x7f"],
        [&b"\x0a"[..], b"\\x", b"\\u00g0", b"\xff", &"😀".as_bytes()[..3]],
    ];
    for (rests, is_sound) in [(sound, true), (broken, false)] {
        for rest in rests {
            let whole = [br#"{"id":1,"result":{"a":""#, long.as_bytes(), rest, br#""}}"#].concat();
            for pieces in 1..whole.len() {
                let rules = AbridgeRules { string: 9, whole: 4096, mark: CutMark::new(SECRET) };
                let mut abridger = MessageAbridger::new(rules);
                whole.chunks(pieces).for_each(|piece| abridger.feed(piece));
                let told = abridger.finish();
                assert_eq!(told.rests.is_some(), is_sound, "{rest:?} by {pieces}");
                let read = serde_json::from_slice::<&serde_json::value::RawValue>(&whole);
                assert_eq!(read.is_ok(), is_sound, "what serde_json says of {rest:?}");
            }
        }
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i32>().prop_map(Value::from),
        "\\PC{0,30}".prop_map(Value::from),
        r#"["\\/{}\[\],: é日😀]{0,30}"#.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from);
        let object = prop::collection::hash_map("[a-c\"\\\\]{1,5}", inner, 0..6);
        prop_oneof![list, object.prop_map(|all| Value::Object(all.into_iter().collect()))]
    })
}

proptest! {
    #[test]
    fn json_stays_json_and_what_is_short_stays_as_it_was(
        value in any_json(),
        string in 20_usize..40,
        pieces in 1_usize..9,
    ) {
        let message = serde_json::json!({"id": 1, "result": value}).to_string();
        let AbridgedMessage { bytes, result, length, rests } = abridged(&message, string, pieces);
        prop_assert_eq!(length, message.len() as u64);
        let range = result.unwrap();
        let [from, to] = [range.start, range.end].map(|at| usize::try_from(at).unwrap());
        prop_assert_eq!(&serde_json::from_str::<Value>(&message[from..to]).unwrap(), &value);
        if let Some(bytes) = bytes {
            let cut: Value = serde_json::from_slice(&bytes).unwrap();
            if !cut.to_string().contains(MARK) {
                prop_assert_eq!(&cut["result"], &value);
            }
            let whole = restored(std::str::from_utf8(&bytes).unwrap(), &rests.unwrap(), &message);
            prop_assert_eq!(&serde_json::from_slice::<Value>(&whole).unwrap()["result"], &value);
        }
    }
}
