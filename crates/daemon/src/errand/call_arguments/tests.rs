//! What is typed becomes what is sent, byte by byte.

use super::*;

fn schema(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

fn owned(pairs: &[&str]) -> Vec<String> {
    pairs.iter().map(|pair| (*pair).to_owned()).collect()
}

/// What these pairs are with this as the schema of every argument `x`.
fn typed(of_x: &str, value: &str) -> Result<String, String> {
    let schema = schema(&format!(
        r##"{{"properties":{{"x":{of_x}}},"$defs":{{"word":{{"type":"string"}},"self":{{"$ref":"#/$defs/self"}}}}}}"##
    ));
    let pairs = split(&owned(&[&format!("x={value}")])).unwrap();
    let arguments = CallArguments { pairs, object: None };
    match arguments.object(Some(&schema)) {
        Ok(object) => Ok(object.get()[5..object.get().len() - 1].to_owned()),
        Err(failure) => Err(failure.message),
    }
}

#[test]
fn a_value_is_what_the_schema_says_it_is() {
    for (of_x, value, sent) in [
        (r#"{"type":"string"}"#, "5", r#""5""#),
        (r#"{"type":"string"}"#, "a=b \"q\"", r#""a=b \"q\"""#),
        (r#"{"type":"string"}"#, "", r#""""#),
        (r#"{"type":"string"}"#, " 5 ", r#"" 5 ""#),
        (r#"{"type":"number"}"#, "1.50", "1.50"),
        (r#"{"type":"integer"}"#, "12345678901234567890123", "12345678901234567890123"),
        (r#"{"type":"boolean"}"#, "true", "true"),
        (r#"{"type":"array"}"#, "[1, 2]", "[1, 2]"),
        (r#"{"type":"object"}"#, r#"{"a":1}"#, r#"{"a":1}"#),
        (r#"{"type":["string","null"]}"#, "5", r#""5""#),
        (r#"{"type":["string","integer"]}"#, "5", "5"),
        (r#"{"type":["string","integer"]}"#, "true", r#""true""#),
        (r#"{"type":["string","integer"]}"#, "\"5\"", r#""\"5\"""#),
        (r#"{"type":["integer","null"]}"#, "null", "null"),
        (r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, "5", r#""5""#),
        (r##"{"$ref":"#/$defs/word"}"##, "5", r#""5""#),
        (r##"{"$ref":"#/$defs/self"}"##, "5", "5"),
        ("{}", "5", "5"),
        ("true", "word", r#""word""#),
        ("{}", "", r#""""#),
    ] {
        assert_eq!(typed(of_x, value).as_deref(), Ok(sent), "{of_x} {value}");
    }
}

#[test]
fn a_value_that_is_not_what_the_tool_wants_is_named_by_its_key() {
    let error = typed(r#"{"type":"integer"}"#, "five").unwrap_err();
    assert!(error.starts_with("the argument `x` is no integer: expected"), "{error}");
    typed(r#"{"type":["array","object"]}"#, "[1").unwrap_err();
    typed(r#"{"type":"boolean"}"#, "").unwrap_err();
}

#[test]
fn pairs_are_added_after_the_object_whose_bytes_stay() {
    let object = schema(r#"{"n": 1.50,"in":{"b":1,  "a":2}}"#);
    let whole = CallArguments { pairs: Vec::new(), object: Some(Verbatim(object.clone())) };
    assert_eq!(whole.object(None).unwrap().get(), object.get());
    let more =
        CallArguments { pairs: split(&owned(&["x=y"])).unwrap(), object: Some(Verbatim(object)) };
    let sent = r#"{"n":1.50,"in":{"b":1,  "a":2},"x":"y"}"#;
    assert_eq!(more.object(None).unwrap().get(), sent);
    let nothing = CallArguments { pairs: Vec::new(), object: None };
    assert_eq!(nothing.object(None).unwrap().get(), "{}");
}
