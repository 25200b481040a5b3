//! What the scanner takes and refuses, and what numbers and strings mean.

use super::keys::SeenKeys;
use super::raw::hand_over;
use super::strings::find_special;
use super::*;

fn scan(text: &str, depth: u8) -> Result<(), JsonError> {
    let mut scanner = JsonScanner::new(text, depth);
    scanner.skip().and_then(|()| scanner.end()).map_err(|fault| fault.explain(text))
}

fn is_duplicate(text: &str) -> bool {
    matches!(scan(text, 128), Err(JsonError::DuplicateKey { .. }))
}

#[test]
fn every_kind_of_value_is_taken() {
    let values = [
        "null",
        "true",
        "false",
        "0",
        "-0",
        "1.0",
        "1e2",
        "-1.5E-7",
        "12345678901234567890",
        "\"\"",
        r#""a\"\\\/\b\f\n\r\t\u00e9\ud83d""#,
        "[]",
        "{}",
        " [ 1 , [ ] , { } ] ",
        "\t{ \"a\" : 1 ,\r\n\"b\" : [ true , null ] }\n",
    ];
    for value in values {
        assert_eq!(scan(value, 8), Ok(()), "{value}");
    }
}

#[test]
fn what_is_not_json_is_refused_where_it_breaks() {
    let broken = [
        ("", 0),
        ("tru", 0),
        ("nul ", 0),
        ("01", 1),
        ("-", 1),
        ("1.", 2),
        ("1e", 2),
        ("1e+", 3),
        ("+1", 0),
        (".5", 0),
        ("\"", 1),
        ("\"\\x\"", 1),
        ("\"\\u12g4\"", 1),
        ("\"\\u123\"", 1),
        ("\"a\u{1}\"", 2),
        ("\"\n\"", 1),
        ("[1,]", 3),
        ("[1 2]", 3),
        ("[", 1),
        ("{", 1),
        ("{\"a\"}", 4),
        ("{\"a\":}", 5),
        ("{\"a\":1,}", 7),
        ("{a:1}", 1),
        ("{\"a\" 1}", 5),
        ("1 2", 2),
        ("[]]", 2),
        ("{}}", 2),
        ("'a'", 0),
        ("// x", 0),
        ("NaN", 0),
        ("\u{feff}1", 0),
    ];
    for (text, place) in broken {
        match scan(text, 8) {
            Err(JsonError::Syntax { at, .. }) => assert_eq!(at, place, "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn nesting_is_counted_over_arrays_and_objects() {
    assert_eq!(scan(r#"[{"a":[]}]"#, 3), Ok(()));
    assert!(matches!(scan(r#"[{"a":[]}]"#, 2), Err(JsonError::TooDeep { at: 7 })));
    // Leaving a container gives its level back.
    assert_eq!(scan("[[],[],{},{}]", 2), Ok(()));
    assert!(matches!(scan(&"[".repeat(1_000_000), 255), Err(JsonError::TooDeep { .. })));
}

#[test]
fn parser_differences_a_key_twice_is_refused_at_any_depth_and_in_any_spelling() {
    assert!(is_duplicate(r#"{"a":1,"a":2}"#));
    assert!(is_duplicate(r#"[{"x":{"b":0,"a":1,"c":3,"a":2}}]"#));
    assert!(is_duplicate(r#"{"a":1,"\u0061":2}"#));
    assert!(is_duplicate(r#"{"\u0061":1,"a":2}"#));
    assert!(is_duplicate(r#"{"a/b":1,"a\/b":2}"#));
    assert!(is_duplicate(r#"{"\ud83d\ude00":1,"😀":2}"#));
    assert!(is_duplicate(r#"{"\ud800":1,"\uD800":2}"#));
    assert!(is_duplicate(r#"{"":1,"":2}"#));
    assert!(is_duplicate(
        r#"{"a long key that differs late 1":1,"a long key that differs late 1":2}"#
    ));
}

#[test]
fn keys_that_only_resemble_each_other_are_two_keys() {
    let fine = [
        r#"{"a":1,"A":2}"#,
        r#"{"a":{"a":{"a":1}}}"#,
        r#"[{"a":1},{"a":2}]"#,
        r#"{"a":{"b":1},"b":{"a":1}}"#,
        r#"{"abcdefgh":1,"abcdefghi":2,"abcdefg":3}"#,
        r#"{"abcdefgh1":1,"abcdefgh2":2}"#,
        r#"{"a":1,"a\u0000":2}"#,
        r#"{"\ud83d":1,"\ude00":2}"#,
        r#"{"\\u0061":1,"a":2}"#,
    ];
    for text in fine {
        assert_eq!(scan(text, 8), Ok(()), "{text}");
    }
}

#[test]
fn many_keys_are_compared_as_few_are() {
    let object = |keys: &[String]| {
        let members: Vec<String> = keys.iter().map(|key| format!("\"{key}\":0")).collect();
        format!("{{{}}}", members.join(","))
    };
    for count in [2, 15, 16, 17, 18, 200] {
        let mut keys: Vec<String> =
            (0..count).map(|n| format!("a key of some length {n}")).collect();
        assert_eq!(scan(&object(&keys), 8), Ok(()), "{count} keys");
        keys[count - 1] = keys[0].clone();
        let expected = keys[0].clone();
        match scan(&object(&keys), 8) {
            Err(JsonError::DuplicateKey { key, .. }) => assert_eq!(key, expected),
            other => panic!("{count} keys: {other:?}"),
        }
    }
}

#[test]
fn the_second_of_two_equal_keys_is_the_one_named() {
    let text = r#"{"a":1,"b":2,"a":3}"#;
    let mut keys = SeenKeys::new();
    let mark = keys.mark();
    for at in [2, 8, 14] {
        keys.push(text, at, 1);
    }
    assert_eq!(keys.close(mark, false, text), Some((14, 1)));
    assert_eq!(keys.mark(), mark, "an object leaves nothing behind");
}

#[test]
fn a_local_fault_is_stepped_over_and_a_broken_text_is_not() {
    let text = r#"[{"a":1,"a":2},7]"#;
    let mut scanner = JsonScanner::new(text, 8);
    let mut seen = Vec::new();
    let array = scanner.array(|scanner| {
        seen.push(match scanner.tolerate(JsonScanner::value)? {
            Ok(raw) => (raw.get(), false),
            Err((raw, _)) => (raw.get(), true),
        });
        Ok(())
    });
    assert_eq!(array, Ok(()));
    assert_eq!(seen, [(r#"{"a":1,"a":2}"#, true), ("7", false)]);
    assert_eq!(scanner.end(), Ok(()));
    assert!(JsonScanner::new(r#"{"a":1,"a":}"#, 8).tolerate(JsonScanner::value).is_err());
}

#[test]
fn too_deep_a_value_is_stepped_over_without_recursion() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let text = format!("[{deep},1]");
    let mut scanner = JsonScanner::new(&text, 128);
    let mut lengths = Vec::new();
    let array = scanner.array(|scanner| {
        let raw = scanner.tolerate(JsonScanner::value)?.unwrap_or_else(|(raw, _)| raw);
        lengths.push(raw.get().len());
        Ok(())
    });
    assert_eq!(array, Ok(()));
    assert_eq!(lengths, [200_000, 1]);
}

#[test]
fn the_end_of_a_string_is_found_wherever_it_stands() {
    for special in [b'"', b'\\', 0x00, 0x1F, b'\n'] {
        for place in 0..200 {
            let mut text = vec![b'x'; 200];
            text[place] = special;
            assert_eq!(find_special(&text, 0), place, "{special:#x}");
            assert_eq!(find_special(&text, place + 1), 200);
        }
    }
    // Neighbours of the special bytes, and bytes that only a borrow could make look special.
    let harmless = [0x20, 0x21, 0x23, 0x5B, 0x5D, 0x7F, 0x80, 0x9F, 0xA2, 0xDC, 0xFF];
    for byte in harmless {
        assert_eq!(find_special(&[byte; 100], 3), 100, "{byte:#x}");
    }
}

#[test]
fn strings_mean_what_their_escapes_say() {
    let meaning = |json: &str| RawStr::from_json(json).and_then(|raw| raw.text()).map(String::from);
    assert_eq!(meaning(r#""plain""#).as_deref(), Some("plain"));
    assert_eq!(meaning(r#""a\/b\u00e9\n\ud83d\ude00""#).as_deref(), Some("a/bé\n😀"));
    assert_eq!(meaning(r#""\ud83d""#), None, "half of a pair is no text");
    assert_eq!(meaning("17"), None);
    assert!(RawStr::new(r"\u0061bc").is("abc"));
    assert!(!RawStr::new("abc").is("abd"));
}

#[test]
fn written_strings_read_back_as_they_were() {
    let text = "quote \" backslash \\ newline \n tab \t bell \u{7} zero \0 é 😀 \u{7f} \u{2028}";
    let mut out = Vec::new();
    write_string(&mut out, text);
    let back: String = serde_json::from_slice(&out).unwrap();
    assert_eq!(back, text);
    assert!(!out.contains(&b'\n'), "no raw newline leaves here");
}

#[test]
fn numbers_are_equal_by_value_however_they_are_spelled() {
    let number = |text| ExactDecimal::parse(text).unwrap();
    let same = [["1", "1.0"], ["100", "1e2"], ["0", "-0.0"], ["0.5", "5E-1"], ["1e3", "1000"]];
    for [one, other] in same {
        assert!(number(one) == number(other), "{one} and {other}");
    }
    let different =
        [["1", "-1"], ["1", "10"], ["1", "1.01"], ["12345678901234567890", "12345678901234567891"]];
    for [one, other] in different {
        assert!(number(one) != number(other), "{one} and {other}");
    }
    assert_eq!(number("1.20e2").to_i128(), Some(120));
    assert_eq!(number("-7").to_i128(), Some(-7));
    assert_eq!(number("1.5").to_i128(), None);
    assert_eq!(number("1e400").to_i128(), None);
    assert!(ExactDecimal::parse("1e99999999999").is_none());
    assert!(ExactDecimal::parse("01").is_none());
}

#[test]
fn serde_json_still_takes_checked_text_without_reading_it() {
    // If this fails, payloads are read twice: look at how `RawValue` is deserialized now.
    let text = r#"{"a":1}"#;
    let raw = hand_over(text).unwrap();
    assert!(std::ptr::eq(raw.get(), text));
}
