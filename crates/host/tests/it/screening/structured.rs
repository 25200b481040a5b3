//! Structured content that a caller checks against the schema it was shown.

use serde_json::Value;

use super::*;

const FILE: &str =
    r#"{"type":"object","properties":{"content":{"type":"string"}},"required":["content"]}"#;
const ROWS: &str = r#"{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"row":{"type":"integer"}}}}},"required":["rows"]}"#;

/// A server `one` whose tools have these schemas and give these results.
fn promising(tools: &[(&str, &str, &str)]) -> Script {
    let listed: Vec<_> = tools
        .iter()
        .map(|(name, schema, _)| {
            format!(r#"{{"name":"{name}","inputSchema":{{}},"outputSchema":{schema}}}"#)
        })
        .collect();
    let list = format!(r#"{{"tools":[{}]}}"#, listed.join(","));
    let script = Script::legacy().on("tools/list", [Act::answer(list)]);
    tools.iter().fold(script, |script, (name, _, result)| {
        script.on_call(name, [Act::answer((*result).to_owned())])
    })
}

fn both(text: &str, structured: &str) -> String {
    format!(r#"{{"content":[{}],"structuredContent":{structured}}}"#, text_item(text))
}

fn parsed(result: &str) -> Value {
    serde_json::from_str(result).unwrap()
}

#[tokio::test]
async fn a_file_of_117_kilobytes_keeps_its_schema_and_says_where_the_rest_is() {
    let file: String = long_text().chars().take(117 << 10).collect();
    let structured = format!(r#"{{"content":{}}}"#, serde_json::to_string(&file).unwrap());
    let script = promising(&[
        ("read", FILE, &both(&file, &structured)),
        ("apart", FILE, &format!(r#"{{"content":[],"structuredContent":{structured}}}"#)),
        ("dumped", FILE, &both(&structured, &structured)),
    ]);
    let (_folder, [store, _]) = stores();
    let gate = keeping(Gate::open().server("one", script), &store);
    for (tool, whole) in [("read", &file), ("apart", &structured), ("dumped", &structured)] {
        let cut = called(&gate, tool, of("ada")).await;
        assert!(cut.len() < 48 << 10, "{tool}: {}", cut.len());
        let seen = parsed(&cut);
        let text = seen["structuredContent"]["content"].as_str().unwrap();
        assert!(text.starts_with("line 1 é\nline 2") && text.len() < file.len(), "{tool}");
        let uri = &addresses(&cut)[0];
        assert!(text.contains("[cut here: ") && text.contains(uri.as_str()), "{tool}: {text}");
        assert!(seen["content"].to_string().contains(uri.as_str()), "{tool}");
        assert_eq!(seen["_meta"]["toolgate/artifacts"][0]["uri"], uri.as_str(), "{tool}");
        assert!(addresses(&cut).iter().all(|other| other == uri), "{tool} is kept once");
        let (_, bytes) = kept(&store, uri).await;
        assert!(bytes == whole.as_bytes(), "{tool}: all of it is kept");
    }
}

#[tokio::test]
async fn what_cannot_be_cut_within_its_schema_stays_whole() {
    let rows: Vec<_> = (0..20_000).map(|row| format!(r#"{{"row":{row}}}"#)).collect();
    let structured = format!(r#"{{"rows":[{}]}}"#, rows.join(","));
    let other = structured.replace("rows", "other");
    let script = promising(&[
        ("numbers", ROWS, &format!(r#"{{"content":[],"structuredContent":{structured}}}"#)),
        ("unfit", ROWS, &format!(r#"{{"content":[],"structuredContent":{other}}}"#)),
        (
            "failed",
            ROWS,
            &format!(r#"{{"content":[],"structuredContent":{other},"isError":true}}"#),
        ),
    ]);
    let (_folder, [store, _]) = stores();
    let gate = keeping(Gate::open().server("one", script), &store);
    for (tool, whole) in [("numbers", &structured), ("unfit", &other)] {
        let result = called(&gate, tool, of("ada")).await;
        let expected = format!(r#"{{"content":[],"structuredContent":{whole}}}"#);
        assert!(result == expected, "{tool} is byte for byte what came");
    }
    let failed = called(&gate, "failed", of("ada")).await;
    assert!(failed.len() < 2000, "nobody holds a failure to a schema");
}

#[tokio::test]
async fn a_tool_listed_without_its_schema_gives_a_reference_instead() {
    let file = long_text();
    let structured = format!(r#"{{"content":{}}}"#, serde_json::to_string(&file).unwrap());
    let script = promising(&[("read", FILE, &both(&file, &structured))]);
    let (_folder, [store, _]) = stores();
    let gate = Gate::open().server_with("one", script, |one| one.omit_output_schemas = true);
    let gate = keeping(gate, &store);
    let cut = called(&gate, "read", of("ada")).await;
    assert!(!cut.contains("structuredContent") && cut.contains(SCHEME), "{cut}");
}

#[tokio::test]
async fn where_nothing_can_be_kept_structured_content_stays_whole() {
    let file = long_text();
    let structured = format!(r#"{{"content":{}}}"#, serde_json::to_string(&file).unwrap());
    let whole = both(&file, &structured);
    let gate = Gate::open().server("one", promising(&[("read", FILE, &whole)])).run();
    assert!(called(&gate, "read", of("ada")).await == whole);
}
