//! Continue: a list in YAML, each item with its name in it.

use serde_json::json;
use toolgate_config::clients::{ImportOutcome, KnownClient};

use super::{import_text, server, try_import};

const FILE: &str = "\
name: Mine # and nobody else's
version: 1.0.0
schema: v1
models: []
rules:
  - |
    mcpServers: this is text
mcpServers:
  - name: figma
    command: npx
    args:
      - -y
      - 'figma'
    env:
      FIGMA_TOKEN: ${{ secrets.FIGMA_TOKEN }}
      LEVEL: \"3\"
    connectionTimeout: 20000
  - name: docs
    type: streamable-http
    url: https://docs.example/mcp
    requestOptions: { headers: { X-Trace: '${{ secrets.TRACE_ID }}' }, verifySsl: false }
  - name: old
    type: sse
    url: https://old.example/sse
  - uses: some/block
";

#[test]
fn a_file_of_continue() {
    let imported = import_text(KnownClient::Continue, FILE);
    let entry = |name: &str| serde_json::Value::Object(server(&imported, name).entry.clone());
    assert_eq!(
        entry("figma"),
        json!({
            "transport": "stdio", "command": "npx", "args": ["-y", "figma"], "env": { "LEVEL": "3" },
            "env_vars": ["FIGMA_TOKEN"], "startup_timeout_ms": 20000,
        })
    );
    assert_eq!(
        entry("docs"),
        json!({
            "transport": "http", "url": "https://docs.example/mcp",
            "env_headers": { "X-Trace": "TRACE_ID" },
        })
    );
    assert_eq!(entry("old"), json!({ "transport": "sse", "url": "https://old.example/sse" }));
    let notes = &server(&imported, "docs").notes;
    assert!(
        notes.iter().any(|note| note.message.contains("`requestOptions.verifySsl`")),
        "{notes:?}"
    );
    assert_eq!(server(&imported, "figma").line, 9);
    assert!(matches!(server(&imported, "some/block").outcome, ImportOutcome::Refused(_)));
}

#[test]
fn what_is_no_yaml_or_more_than_is_read_here_is_said_with_its_line() {
    for (text, line) in [("a: [\n", 2), ("a: &x 1\nb: *x\n", 2), ("a: 1\n---\nb: 2\n", 2), ("", 1)]
    {
        let problems = try_import(KnownClient::Continue, text).unwrap_err();
        assert_eq!((problems[0].rule, problems[0].line), ("yaml-syntax", line), "{text:?}");
    }
    let twice = "mcpServers:\n  - name: a\n    command: x\n  - name: a\n    command: y\n";
    let problems = try_import(KnownClient::Continue, twice).unwrap_err();
    assert_eq!((problems[0].rule, problems[0].line), ("duplicate-key", 4));
}
