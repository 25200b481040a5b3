//! Members are masked by name and strings by what is in them; all other bytes stay.

use toolgate_types::Secret;

use crate::Masker;

fn masked(json: &str) -> String {
    Masker::default().mask_json(json).into_owned()
}

fn masked_of(secret: &str, json: &str) -> String {
    let masker = Masker::builder().secret(&Secret::new(secret.to_owned())).build();
    masker.mask_json(json).into_owned()
}

/// Shows: S3-31, S3-44.
#[test]
fn members_with_a_sensitive_name_are_masked_whatever_they_hold() {
    let json = r#"{ "GITHUB_TOKEN": "a", "x-api-key":1e5,"list":[{"Password" : {"a":["b",{}]}}],
        "to\u006ben": [1, "]"], "client_secret": null, "Set-Cookie":"", "n": 1.50 }"#;
    let expected = r#"{ "GITHUB_TOKEN": "***", "x-api-key":"***","list":[{"Password" : "***"}],
        "to\u006ben": "***", "client_secret": "***", "Set-Cookie":"***", "n": 1.50 }"#;
    assert_eq!(masked(json), expected);
}

#[test]
fn other_members_keep_every_byte() {
    let json = r#"{"key":"PROJ-1","max_tokens":1.0e+3,"tokens":[1,2],"monkey":"\u0041\/","a":-0.0,
        "issue_key":"X-2","usage":{"completion_tokens_details":{}},"z":1,"a":[ ],"big":12345678901234567890}"#;
    assert_eq!(masked(json), json);
}

/// Shows: S1-85, S3-44.
#[test]
fn json_inside_a_string_is_masked_as_json() {
    let json = r#"{"body":"{\"password\":\"x\",\"n\":[1,{\"api_key\":17}],\"s\":\"a\\nb\"}"}"#;
    let expected =
        r#"{"body":"{\"password\":\"***\",\"n\":[1,{\"api_key\":\"***\"}],\"s\":\"a\\nb\"}"}"#;
    assert_eq!(masked(json), expected);
    assert_eq!(masked(r#"["[\"token=abc\"]"]"#), r#"["[\"token=***\"]"]"#);
}

/// Shows: S1-85.
#[test]
fn strings_are_masked_inside_and_keep_their_escapes() {
    let json = r#"["\u00e9 https://a:b@h\/x?token=1\u0032&y=\t", "Authorization: Bearer xyz"]"#;
    let expected = r#"["\u00e9 https://***@h\/x?token=***&y=\t", "Authorization: Bearer ***"]"#;
    assert_eq!(masked(json), expected);
}

/// Shows: S1-85.
#[test]
fn a_secret_is_masked_as_name_as_number_and_across_escapes() {
    assert_eq!(
        masked_of("12345678", r#"{"a":12345678,"b":112345678.5}"#),
        r#"{"a":"***","b":"***"}"#
    );
    assert_eq!(masked_of("hunter2!", r#"{"hunter2!":1}"#), r#"{"***":1}"#);
    assert_eq!(masked_of("a\"b\\cd", r#"["xa\"b\\\u0063dx"]"#), r#"["x***x"]"#);
    // The secret begins in the middle of an escape as it is written; the escape goes as a whole.
    assert_eq!(masked_of("nfoobar", r#"["x\nfoobar"]"#), r#"["x***"]"#);
}

#[test]
fn a_secret_that_is_json_itself_leaves_nothing() {
    assert_eq!(masked_of(r#""id":7,"on":true"#, r#"{"id":7,"on":true}"#), "\"***\"");
    assert_eq!(masked_of(r#"{"id":7}"#, r#"["x {\"id\":7}"]"#), r#"["x ***"]"#);
    assert_eq!(masked_of(r#"{"id":7}"#, r#"["{\"id\":7}"]"#), r#"["\"***\""]"#);
}

/// Shows: S1-85, S3-44.
#[test]
fn the_value_beside_a_sensitive_name_is_masked_in_any_order() {
    let json = r#"{"env":[{"name":"API_KEY","value":"a"},{"value":{"a":[1]},"x":2,"name":"DB_PASSWORD"},
        {"name":"NODE_ENV","value":"dev"},{"key":"Authorization","value":7}],"name":"token","n":{"value":1}}"#;
    let expected = r#"{"env":[{"name":"API_KEY","value":"***"},{"value":"***","x":2,"name":"DB_PASSWORD"},
        {"name":"NODE_ENV","value":"dev"},{"key":"Authorization","value":"***"}],"name":"token","n":{"value":1}}"#;
    assert_eq!(masked(json), expected);
    let inner = r#"["[{\"value\":\"a\",\"name\":\"API_KEY\"}]"]"#;
    assert_eq!(masked(inner), inner.replace(r#"\"a\""#, r#"\"***\""#));
}

/// Shows: S1-85, S3-44.
#[test]
fn the_argument_after_a_sensitive_flag_is_masked() {
    let json =
        r#"{"args":["run","--token","abc","--api-key=def","--secret","-v","x","--token","${T}"]}"#;
    let expected =
        r#"{"args":["run","--token","***","--api-key=***","--secret","-v","x","--token","${T}"]}"#;
    assert_eq!(masked(json), expected);
}

#[test]
fn pairs_in_pairs_take_no_more_than_one_look() {
    const DEPTH: usize = 100_000;
    let deep = format!("{}1{}", r#"{"value":"#.repeat(DEPTH), r#","name":"token"}"#.repeat(DEPTH));
    assert_eq!(masked(&deep), r#"{"value":"***","name":"token"}"#);
}

#[test]
fn depth_costs_no_stack() {
    let deep = format!("{}{{\"token\":1}}{}", "[".repeat(200_000), "]".repeat(200_000));
    assert_eq!(masked(&deep), deep.replace(":1", ":\"***\""));
}

#[test]
fn what_is_not_json_is_masked_as_text() {
    assert_eq!(masked(r#"{"password": "x", oops"#), r#"{"password": "***", oops"#);
    assert_eq!(masked("{\"a\":1} {\"token\":\"b\"}"), "{\"a\":1} {\"token\":\"***\"}");
    assert_eq!(masked(""), "");
}
