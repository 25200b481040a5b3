//! Header values, sessions and media. What is sent and checked is tested with whole messages in
//! `tests/it`.

use super::*;

#[test]
fn values_are_plain_where_a_header_can_carry_them() {
    // The examples of the transport, and the edges around them.
    for (text, value) in [
        ("us-west1", "us-west1"),
        ("us west 1", "us west 1"),
        ("", ""),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ("=?base64?no end", "=?base64?no end"),
        ("=?BASE64?x?=", "=?BASE64?x?="),
        ("a\tb", "=?base64?YQli?="),
    ] {
        assert_eq!(encode_value(text), value);
        assert_eq!(decode_value(value.as_bytes()).as_deref(), Ok(text));
    }
}

#[test]
fn encoded_values_are_read_strictly() {
    for (value, expected) in [
        ("=?base64?SGVsbG8=?=", Ok("Hello")),
        ("  plain\t", Ok("plain")),
        ("SGVsbG8=", Ok("SGVsbG8=")),
        ("=?base64?=", Ok("=?base64?=")),
        ("=?base64??=", Ok("")),
        ("=?base64?SGVsbG8?=", Err(InvalidValue::Base64)),
        ("=?base64?SGVs!!!bG8=?=", Err(InvalidValue::Base64)),
        ("=?base64?SGVsbG9=?=", Err(InvalidValue::Base64)),
        ("=?base64?/w==?=", Err(InvalidValue::Utf8)),
        ("a\nb", Err(InvalidValue::Characters)),
        ("é", Err(InvalidValue::Characters)),
    ] {
        let decoded = decode_value(value.as_bytes());
        assert_eq!(decoded.as_deref(), expected.as_ref().map(|text| *text), "{value}");
    }
}

#[test]
fn a_session_id_is_visible_ascii() {
    assert_eq!(HeaderSessionId::parse(b"1868a90c-!~").unwrap().as_str(), "1868a90c-!~");
    for bad in [b"".as_slice(), b"a b", b"a\n", b"\x7f", "é".as_bytes(), &[b'x'; 5000]] {
        assert_eq!(HeaderSessionId::parse(bad), Err(InvalidSessionId));
    }
    let shown = format!("{:?}", HeaderSessionId::parse(b"secret").unwrap());
    assert!(!shown.contains("secret"), "{shown}");
}

#[test]
fn accept_is_negotiated() {
    let accepted = |values: &[&str]| {
        let accepted = AcceptedMedia::parse(values.iter().map(|value| value.as_bytes()));
        (accepted.json, accepted.event_stream)
    };
    assert_eq!(accepted(&[ACCEPT_BOTH]), (true, true));
    assert_eq!(accepted(&["application/json", "Text/Event-Stream;q=0.5"]), (true, true));
    assert_eq!(accepted(&["text/event-stream"]), (false, true));
    assert_eq!(accepted(&["*/*"]), (true, true));
    assert_eq!(accepted(&["application/*, text/html"]), (true, false));
    assert_eq!(accepted(&["application/json;q=0, text/event-stream"]), (false, true));
    assert_eq!(accepted(&["text/html"]), (false, false));
    assert_eq!(accepted(&[]), (true, true), "HTTP: no header, no preference");
}

#[test]
fn an_answer_is_told_by_its_media() {
    for (value, media) in [
        ("application/json", AnswerMedia::Json),
        ("Application/JSON; charset=utf-8", AnswerMedia::Json),
        ("text/event-stream;charset=utf-8", AnswerMedia::EventStream),
        ("text/html", AnswerMedia::Other),
        ("", AnswerMedia::Other),
    ] {
        assert_eq!(AnswerMedia::of(value.as_bytes()), media, "{value}");
    }
    assert!(is_json(b"application/json ; charset=utf-8"));
}
