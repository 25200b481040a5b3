//! Ids keep their spelling and are compared by meaning.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::value::RawValue;

use super::*;

fn raw(json: &str) -> &RawValue {
    serde_json::from_str(json).unwrap()
}

fn id(json: &str) -> MessageId<'_> {
    MessageId::from_raw(raw(json)).unwrap()
}

fn hash(id: &MessageId<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

fn written(id: &MessageId<'_>) -> String {
    let mut out = Vec::new();
    id.write(&mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn an_id_is_written_as_it_came() {
    let spellings = [
        "0",
        "1",
        "17",
        "1.0",
        "1e2",
        "-3",
        "12345678901234567890",
        "18446744073709551615",
        "9999999999999999999",
        "\"\"",
        "\"abc\"",
        r#""a\/b""#,
        r#""\u0061""#,
        "\"é\"",
        r#""\ud800""#,
    ];
    for json in spellings {
        assert_eq!(written(&id(json)), json);
        assert_eq!(written(&id(json).to_buf().as_id()), json);
        assert_eq!(id(json).to_string(), json);
    }
}

#[test]
fn only_strings_and_numbers_are_ids() {
    for json in ["null", "true", "[]", "{}"] {
        assert!(MessageId::from_raw(raw(json)).is_none(), "{json}");
    }
}

#[test]
fn one_of_ours_is_found_in_any_spelling_of_its_number() {
    for json in ["7", "7.0", "70e-1", "0.7e1"] {
        assert_eq!(id(json).as_u64(), Some(7), "{json}");
        assert_eq!(id(json), MessageId::from(7));
        assert_eq!(hash(&id(json)), hash(&MessageId::from(7)), "{json}");
    }
    for json in ["\"7\"", "-7", "7.5", "1e400", "18446744073709551616"] {
        assert_eq!(id(json).as_u64(), None, "{json}");
        assert_ne!(id(json), MessageId::from(7));
    }
    assert_eq!(id("18446744073709551615").as_u64(), Some(u64::MAX));
}

#[test]
fn equal_ids_have_equal_hashes() {
    let same = [["\"a\"", r#""\u0061""#], ["-1", "-1.0"], ["1.5", "15e-1"], ["1e30", "10e29"]];
    for [one, other] in same {
        assert_eq!(id(one), id(other));
        assert_eq!(hash(&id(one)), hash(&id(other)), "{one} and {other}");
    }
    for [one, other] in
        [["1", "\"1\""], ["1", "2"], ["\"a\"", "\"b\""], ["1e999999999999", "1e999999999998"]]
    {
        assert_ne!(id(one), id(other));
    }
    assert_eq!(id("1e999999999999"), id("1e999999999999"));
}

#[test]
fn a_text_becomes_an_id_and_is_read_back() {
    let made = MessageIdBuf::from_text("say \"hi\"\n");
    assert_eq!(made.to_string(), r#""say \"hi\"\n""#);
    assert_eq!(made.as_id().as_text().as_deref(), Some("say \"hi\"\n"));
    assert_eq!(MessageIdBuf::from(3).as_id().as_text(), None);
}

#[test]
fn digits_are_written_without_loss() {
    for number in [0, 9, 10, 99, 100, 1_234_567_890, u64::MAX] {
        let mut out = Vec::new();
        write_digits(&mut out, number);
        assert_eq!(String::from_utf8(out).unwrap(), number.to_string());
    }
}
