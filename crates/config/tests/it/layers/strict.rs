//! The strict way in: all or nothing, and every problem when it is nothing.

use std::path::Path;

use serde_json::json;
use toolgate_config::{Problems, Severity, load_mcp_config, parse_mcp_config};
use toolgate_types::Trust;

use super::everywhere;
use crate::support::{Found, of};

/// Shows: S0-17, S0-19, S0-22, S0-32.
#[test]
fn parsing_a_value_is_strict_and_reports_everything_with_its_path() {
    let Problems(problems) = parse_mcp_config(&json!({
        "servers": {
            "repo": { "trust": "trusted", "transport": { "type": "http", "url": "nowhere", "x": 1 } },
            "bad id": { "trust": "sure", "transport": { "type": "stdio", "command": "x" } },
            "ok": { "trust": "trusted", "transport": { "type": "stdio", "command": "x" } },
        },
        "bundles": { "b": { "serverId": "gone" }, "c": { "serverId": "ok", "allowTools": [] } },
        "extra": {},
    }))
    .unwrap_err();
    let mut found = of(&problems, Severity::Error);
    found.sort_unstable();
    assert_eq!(
        found,
        [
            ("bad-id", "servers.bad id"),
            ("bad-url", "servers.repo.transport.url"),
            ("empty-allow-list", "bundles.c.allowTools"),
            ("unknown-key", "extra"),
            ("unknown-key", "servers.repo.transport.x"),
            ("unknown-server", "bundles.b.serverId"),
        ]
    );
    let problem = problems.iter().find(|problem| problem.rule == "unknown-server").unwrap();
    assert_eq!(problem.message, "Unknown serverId 'gone' referenced by bundle 'b'");
    let empty = parse_mcp_config(&json!({})).unwrap();
    assert!(empty.servers.is_empty() && empty.bundles.is_empty());
}

#[test]
fn parsing_a_value_looks_at_no_file() {
    let command = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let value = json!({ "servers": { "s": { "command": command, "trust": "trusted" } } });
    let config = parse_mcp_config(&value).unwrap();
    let entry = &config.servers["s"];
    assert!(entry.fingerprint.files.is_empty());
    assert_eq!(entry.value.declared_trust, Some(Trust::Trusted));
}

/// Shows: S0-33.
#[tokio::test]
async fn loading_strictly_returns_the_merged_configuration_or_every_error() {
    let world = everywhere();
    let loaded = load_mcp_config(world.options().clone()).await.unwrap();
    assert_eq!((loaded.ids(), loaded.sources.len()), (vec!["s"], 4));
    let world = world
        .file("toolgate.toml", "[servers.t]\nurl = \"nowhere\"\n[gateway]\n")
        .overrides(json!({ "servers": { "u": { "transport": "stdio" } } }));
    let Problems(problems) = load_mcp_config(world.options().clone()).await.unwrap_err();
    let rules: Vec<&str> = problems.iter().map(|problem| problem.rule).collect();
    assert_eq!(rules, ["bad-url", "not-for-projects", "missing-command"]);
}
