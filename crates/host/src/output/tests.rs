//! Each kind of content has its place, odd ones too.

use serde_json::{Value, json};

use super::*;

fn output(result: impl ToString) -> ToolOutput {
    let result = RawValue::from_string(result.to_string()).unwrap();
    tool_output(&OperationResult { is_error: false, result })
}

/// The parts, one line each.
fn shown(result: impl ToString) -> Vec<String> {
    let line = |part: &OutputPart| match part {
        OutputPart::Text(text) => format!("text {text}"),
        OutputPart::Json(json) => format!("json {json}"),
        OutputPart::Media { mime, data } => format!("media {mime} {data}"),
        OutputPart::Link { uri, name, mime } => format!("link {uri} {name:?} {mime:?}"),
    };
    output(result).parts.iter().map(line).collect()
}

fn content(items: Value) -> Vec<String> {
    shown(json!({"content": items}))
}

#[test]
fn text_and_links_come_in_order_with_unknown_members_ignored() {
    let items = json!([
        {"type": "text", "text": "größe\n", "annotations": {"audience": ["user"]}},
        {"type": "resource_link", "uri": "file:///a", "name": "a", "mimeType": "text/plain"},
        {"type": "resource_link", "uri": "file:///b", "title": "B"},
        {"type": "text", "text": ""},
    ]);
    assert_eq!(
        content(items),
        [
            "text größe\n",
            r#"link file:///a Some("a") Some("text/plain")"#,
            "link file:///b None None",
            "text ",
        ]
    );
}

/// Shows: S0-46.
#[test]
fn media_become_media_and_never_text_or_json() {
    let items = json!([
        {"type": "image", "data": "QUJD", "mimeType": "image/png"},
        {"type": "audio", "data": "QUJD", "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "x:1", "blob": "QUJD", "mimeType": "image/gif"}},
        {"type": "resource", "resource": {"uri": "x:1", "blob": "QUJD"}},
        {"type": "image", "data": "QUJD"},
        {"type": "image", "data": ["QUJD"], "mimeType": 7},
        {"type": "video", "data": "QUJD", "mimeType": "video/mp4"},
        {"data": "QUJD", "mimeType": "image/png"},
    ]);
    let unknown = "application/octet-stream";
    assert_eq!(
        content(items),
        [
            "media image/png QUJD",
            "media audio/wav QUJD",
            "media image/gif QUJD",
            &format!("media {unknown} QUJD"),
            &format!("media {unknown} QUJD"),
            &format!("media {unknown} "),
            "media video/mp4 QUJD",
            "media image/png QUJD",
        ]
    );
    let lone = r#"{"content":{"type":"image","data":"QUJD","mimeType":"image/png"}}"#;
    assert_eq!(shown(lone), ["media image/png QUJD"]);
    let no_text = r#"{"\ud800":1,"content":[{"\ud800":1,"type":"audio","data":"QUJD"}]}"#;
    assert_eq!(shown(no_text), [format!("media {unknown} QUJD")]);
    let twice = r#"{"content":[],"content":[{"type":"image","data":"QUJD","data":"QUJE"}]}"#;
    assert_eq!(shown(twice), [format!("media {unknown} QUJE")]);
}

/// Shows: S0-46.
#[test]
fn an_image_of_five_megabytes_is_named_in_text_and_not_shown() {
    let data = "QUJD".repeat(5 * 1024 * 1024 / 4);
    let image = json!({"type": "image", "data": data, "mimeType": "image/png"});
    let output = output(json!({"content": [{"type": "text", "text": "here"}, image]}));
    assert!(matches!(&output.parts[1], OutputPart::Media { data: kept, .. } if *kept == data));
    assert_eq!(output.text(), "here\n[image/png, 3932160 bytes]");
}

#[test]
fn an_embedded_resource_is_its_text_or_else_a_link() {
    let items = json!([
        {"type": "resource", "resource": {"uri": "x:1", "text": "inside", "mimeType": "text/plain"}},
        {"type": "resource", "resource": {"uri": "x:2", "mimeType": "text/plain"}},
    ]);
    assert_eq!(content(items), ["text inside", r#"link x:2 None Some("text/plain")"#]);
}

#[test]
fn what_is_not_understood_stays_the_json_it_is() {
    for odd in [
        r#"{"type":"tool_use","id":1.50}"#,
        r#"{"type":"text"}"#,
        r#"{"type":"text","text":7}"#,
        r#"{"type":"text","text":"\ud800"}"#,
        r#"{"type":"resource"}"#,
        r#"{"type":"resource","resource":[]}"#,
        r#"{"type":"resource_link","uri":null}"#,
        r#"{"type":["text"],"text":"x"}"#,
        r#"{"text":"x"}"#,
        "{}",
        "7",
        "null",
        "[]",
    ] {
        let result = format!(r#"{{"content":[{odd},{{"type":"text","text":"after"}}]}}"#);
        assert_eq!(shown(result), [format!("json {odd}"), "text after".to_owned()]);
    }
}

#[test]
fn structured_content_follows_the_rest() {
    let both = json!({"content": [{"type": "text", "text": "two"}], "structuredContent": {"n": 2}});
    assert_eq!(shown(both), ["text two", r#"json {"n":2}"#]);
    assert_eq!(shown(r#"{"structuredContent":{"n": 2.0}}"#), [r#"json {"n": 2.0}"#]);
    assert_eq!(shown(r#"{"content":[],"structuredContent":[1]}"#), ["json [1]"]);
    assert_eq!(shown(r#"{"content":[],"structuredContent":null}"#), [""; 0]);
}

#[test]
fn text_that_only_repeats_structured_content_is_left_out() {
    let structured = r#"{"name":"größe \"x\"","n":[1, 2.50]}"#;
    let shown_with = |text: &str| {
        let text = json!(text);
        shown(format!(
            r#"{{"content":[{{"type":"text","text":{text}}}],"structuredContent":{structured}}}"#
        ))
    };
    for same in [
        structured,
        &format!("\n{structured} "),
        "{\n  \"name\": \"größe \\\"x\\\"\",\n  \"n\": [\n    1,\n    2.50\n  ]\n}",
        r#"{"name":"gr\u00f6\u00dfe \u0022x\"","n":[1,2.50]}"#,
    ] {
        assert_eq!(shown_with(same), [format!("json {structured}")], "{same}");
    }
    for other in [
        r#"{"name":"größe\"x\"","n":[1,2.50]}"#,
        r#"{"name":"größe \"x\"","n":[12.50]}"#,
        r#"{"name":"größe \"x\"","n":[1,2 .50]}"#,
        r#"{"name":"größe \"x\"","n":[1,2.50]} and more"#,
        r#"{"name":"größe \"x\"","n":[1,2.50]"#,
        "",
        "done",
    ] {
        assert_eq!(shown_with(other).len(), 2, "{other}");
    }
    let more = json!([{"type": "text", "text": "{}"}, {"type": "text", "text": "more"}]);
    let kept = shown(json!({"content": more, "structuredContent": {}}));
    assert_eq!(kept, ["text {}", "text more", "json {}"]);
}

#[test]
fn a_result_without_content_is_shown_if_it_says_anything() {
    for nothing in ["{}", "null", r#"{"_meta":{"a":1},"isError":false,"content":null}"#] {
        assert_eq!(shown(nothing), [""; 0], "{nothing}");
    }
    for something in [r#"{"toolResult":3}"#, "7", "[1]", "\"done\""] {
        assert_eq!(shown(something), [format!("json {something}")]);
    }
    assert_eq!(shown(r#"{"content":"done"}"#), ["text done"]);
    assert_eq!(shown(r#"{"content":7}"#), ["json 7"]);
}

/// Shows: S1-77.
#[test]
fn a_tool_that_says_it_failed_is_an_error_with_its_own_words() {
    let result = r#"{"content":[{"type":"text","text":"no such file"}],"isError":true}"#;
    let result = RawValue::from_string(result.to_owned()).unwrap();
    let failed = tool_output(&OperationResult { is_error: true, result });
    assert!(failed.is_error);
    assert_eq!(failed.text(), "no such file");
    assert!(!output(r#"{"content":[]}"#).is_error);
}
