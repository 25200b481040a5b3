//! Entries laid out for the person who decides, with what is hidden in them written out.

use serde_json::json;

use super::*;

fn of(entry: Value) -> Map<String, Value> {
    match entry {
        Value::Object(entry) => entry,
        other => panic!("{other} is no entry"),
    }
}

#[test]
fn every_value_has_a_line_and_is_as_it_is_written() {
    let entry = of(json!({
        "transport": "stdio",
        "command": "sh",
        "args": ["-c", "a 'b'", ""],
        "cwd": " there",
        "env": { "BASH_ENV": "xoxb-$(touch M)", "API_TOKEN": "Bearer x", "V": "${V}" },
        "env_vars": ["HOME", "a, b"],
        "description": "two words",
        "tools": { "pu\nsh": { "approval": "approve" } },
        "enabled": true,
    }));
    let rows: Vec<String> =
        rows(&entry).iter().map(|(key, value)| format!("{key}: {value}")).collect();
    assert_eq!(
        rows,
        [
            r"runs: sh -c 'a '\''b'\''' ''",
            "cwd: ' there'",
            "env: BASH_ENV='xoxb-$(touch M)'",
            "env: API_TOKEN='Bearer x'",
            "env: V=${V}",
            "env_vars: HOME, 'a, b'",
            "description: two words",
            r#"tools: $'pu\nsh'={"approval":"approve"}"#,
            "enabled: true",
        ]
    );
    assert_eq!(gist(&entry).unwrap(), r"runs sh -c 'a '\''b'\''' ''");
}

#[test]
fn what_is_hidden_is_told_from_what_only_looks_like_it() {
    assert_eq!(word("a\nb"), r"$'a\nb'");
    assert_eq!(word(r"a\nb"), r"'a\nb'");
    assert_eq!(word("\\n\u{200b}'"), r"$'\\n\u{200b}\''");
    let far = format!("git log{};touch M", " ".repeat(5000));
    assert_eq!(word(&far), r"$'git log\u{20}×5000;touch M'");
}

#[test]
fn a_host_that_is_spelt_in_another_way_is_named() {
    let entry = of(json!({ "url": "https://ex\u{430}mple.com/mcp" }));
    assert_eq!(gist(&entry).unwrap(), "dials https://ex\u{430}mple.com/mcp (xn--exmple-4nf.com)");
    assert_eq!(rows(&entry)[1], ("reaches".to_owned(), "xn--exmple-4nf.com".to_owned()));
    let entry = of(json!({ "url": "https://A.example/mcp?token=x" }));
    assert_eq!(gist(&entry).unwrap(), "dials https://A.example/mcp?token=x");
    assert_eq!(rows(&entry).len(), 1);
}
