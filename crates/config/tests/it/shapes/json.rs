//! The two older JSON shapes: what each requires, and what its keys mean.

use serde_json::json;
use toolgate_types::config::ServerTimeouts;
use toolgate_types::{ConfigText, Milliseconds, Trust};

use crate::support::{Found, World, project_toml};

/// Shows: S0-18, S0-21, S0-41.
#[test]
fn the_older_json_shape_needs_trust_and_transport_and_holds_no_login() {
    let text = json!({ "servers": {
        "bare": {},
        "silent": { "transport": { "type": "stdio", "command": "x" } },
        "idle": { "trust": "trusted", "transport": { "type": "stdio" } },
        "said": { "trust": "untrusted", "transport": { "type": "http", "url": "https://a.example.com",
            "authProviderId": "corp" }, "label": "L", "description": "D", "enabled": false },
        "token": { "trust": "trusted", "transport": { "type": "http", "url": "https://a.example.com",
            "oauth": { "access_token": "x", "refresh_token": "y" } } },
    }});
    let loaded = World::new().file("codex-toolloop.mcp.json", text.to_string()).load();
    assert_eq!(
        loaded.errors(),
        [
            ("missing-transport", "servers.bare.transport"),
            ("missing-trust", "servers.bare"),
            ("missing-trust", "servers.silent"),
            ("missing-command", "servers.idle"),
            ("unknown-key", "servers.token.transport.oauth.access_token"),
            ("unknown-key", "servers.token.transport.oauth.refresh_token"),
        ]
    );
    let said = loaded.server("said");
    assert_eq!((said.label.as_deref(), said.description.as_deref()), (Some("L"), Some("D")));
    assert_eq!((said.enabled, said.declared_trust), (false, Some(Trust::Untrusted)));
    assert_eq!(loaded.remote("said").auth_provider.as_ref().map(ConfigText::expose), Some("corp"));
}

fn codelia(server: serde_json::Value) -> World {
    let text = json!({ "version": 1, "mcp": { "servers": { "s": server } } });
    World::new().file(".codelia/config.json", text.to_string())
}

/// Shows: S1-21, S1-23, S1-24, S1-26, S1-54.
#[test]
fn the_newer_json_shape_has_its_transport_as_a_word_and_infers_nothing() {
    let loaded = codelia(json!({ "url": "https://example.com/mcp" })).load();
    assert_eq!(loaded.errors(), [("missing-transport", "mcp.servers.s.transport")]);
    let remote = json!({ "transport": "http", "url": "https://example.com/mcp",
        "headers": { "X-A": "1" }, "oauth": { "authorization_url": "https://id.example.com/a",
        "token_url": "https://id.example.com/t", "registration_url": "https://id.example.com/r",
        "client_id": "c", "client_secret": "hunter2", "scope": "mcp" } });
    let loaded = codelia(remote).load();
    let oauth = loaded.remote("s").oauth.as_ref().unwrap();
    let urls = [&oauth.authorization_url, &oauth.token_url, &oauth.registration_url];
    assert!(urls.iter().all(|url| url.is_some()));
    assert_eq!(
        (
            oauth.client_id.as_ref().map(ConfigText::shown),
            oauth.scope.as_ref().map(ConfigText::shown)
        ),
        (Some("c"), Some("mcp"))
    );
    assert_eq!(oauth.client_secret.as_ref().unwrap().expose(), "hunter2");
    let local = json!({ "transport": "stdio", "command": "x", "args": ["a"], "cwd": "/c",
        "env": { "K": "v" } });
    let loaded = codelia(local).load_clean();
    assert_eq!(loaded.stdio("s").env[0].expose(), "v");
    for (transport, rule) in [("http", "missing-url"), ("stdio", "missing-command")] {
        let loaded = codelia(json!({ "transport": transport })).load();
        assert_eq!(loaded.errors(), [(rule, "mcp.servers.s")]);
    }
}

/// Shows: S1-25.
#[test]
fn in_that_shape_one_timeout_bounds_requests_and_calls_and_nonsense_is_the_default() {
    let of = |timeout: serde_json::Value| {
        let server = json!({ "transport": "stdio", "command": "x", "request_timeout_ms": timeout });
        let loaded = codelia(server).load();
        assert_eq!(loaded.errors(), []);
        let ServerTimeouts { request, tool, .. } = loaded.server("s").timeouts;
        assert_eq!(request, tool);
        request.get()
    };
    assert_eq!(of(json!(null)), 30_000);
    assert_eq!((of(json!(5)), of(json!(1.6)), of(json!(2.4))), (5, 2, 2));
    assert_eq!(
        (of(json!(0)), of(json!(-5)), of(json!(0.4)), of(json!(1e300))),
        (30_000, 30_000, 30_000, 30_000)
    );
    let text = codelia(json!({ "transport": "stdio", "command": "x", "request_timeout_ms": "5" }));
    assert_eq!(text.load().errors(), [("wrong-type", "mcp.servers.s.request_timeout_ms")]);
    let native =
        project_toml("[servers.s]\ncommand = \"x\"\nrequest_timeout_ms = 5\n").load_clean();
    assert_eq!(
        native.server("s").timeouts,
        ServerTimeouts { request: Milliseconds::at_least_one(5), ..ServerTimeouts::DEFAULT }
    );
}

/// Shows: C30.
#[test]
fn env_on_a_remote_server_is_accepted_with_a_warning_and_does_nothing() {
    let remote = json!({ "transport": "http", "url": "https://example.com", "env": { "K": "v" } });
    let loaded = codelia(remote).load();
    assert_eq!(
        (loaded.errors(), loaded.warnings()),
        (vec![], vec![("env-on-remote", "mcp.servers.s.env")])
    );
    assert!(loaded.remote("s").headers.is_empty());
    assert!(!format!("{:?}", loaded.config).contains("\"v\""));
}

/// Shows: S0-40, S1-95. A local process goes without: the key is passed over, and so said.
#[test]
fn a_local_process_ignores_the_provider_that_its_entry_names() {
    let server = json!({ "type": "stdio", "command": "x", "authProviderId": "corp" });
    let text = json!({ "servers": { "s": { "trust": "trusted", "transport": server } } });
    let loaded = World::new().file("codex-toolloop.mcp.json", text.to_string()).load();
    assert_eq!(loaded.errors(), []);
    let warned: Vec<&str> = loaded.problems.iter().map(|problem| problem.rule).collect();
    assert_eq!(warned, ["provider-on-stdio"]);
    assert_eq!(loaded.server("s").transport.as_str(), "stdio");
    // Of OAuth itself there is nothing to be said of a local process.
    let loaded =
        project_toml("[servers.s]\ncommand = \"x\"\noauth = { client_id = \"c\" }\n").load();
    assert_eq!(loaded.errors(), [("wrong-transport-key", "servers.s.oauth")]);
}
