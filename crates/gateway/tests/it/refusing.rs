//! Who is not let in: foreign pages, unknown callers, addresses that lead nowhere.

use http::StatusCode;
use serde_json::json;

use crate::client::Reply;
use crate::gate::{Gate, Running, tools};

/// Everything that a path can lead to, and some that lead nowhere.
const PATHS: [&str; 10] = [
    "/",
    "/mcp",
    "/mcp/reader",
    "/mcp/unknown",
    "/w/here/mcp",
    "/w/here/mcp/reader",
    "/healthz",
    "/readyz",
    "/metrics",
    "/anything",
];
const METHODS: [&str; 7] = ["GET", "POST", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD"];

async fn gate() -> Running {
    let gate = Gate::with("one", tools(&["echo"])).role("reader", &["one"]).workspace("here");
    gate.allowing_origin("app://ide").run().await
}

/// Shows: S0-8, E-3.
#[tokio::test]
async fn dns_rebinding_a_foreign_host_or_origin_is_refused_on_every_route() {
    let gate = gate().await;
    let session = gate.client().initialize().await;
    let foreign = [
        ("host", "evil.example"),
        ("host", "127.0.0.1.evil.example"),
        ("origin", "http://evil.example"),
        ("origin", "null"),
        ("origin", "http://127.0.0.1.evil.example"),
    ];
    for path in PATHS {
        for method in METHODS {
            for (name, value) in foreign {
                let client = session.at(path).header(name, value);
                let reply = client.send(method, "{}").await;
                assert_eq!(reply.status, StatusCode::FORBIDDEN, "{method} {path} {name}: {value}");
            }
            let own = session.at(path).header("origin", "http://localhost:3000");
            let reply = own.send(method, "{}").await;
            assert_ne!(reply.status, StatusCode::FORBIDDEN, "{method} {path} of our own");
        }
    }
    assert_eq!(gate.peers.received("one", ""), 0, "nobody was asked anything");
}

#[tokio::test]
async fn a_page_that_was_named_may_call() {
    let gate = gate().await;
    let page = gate.client().header("origin", "app://ide").initialize().await;
    let answer = page.call("one__echo", json!({})).await;
    assert_eq!(answer["result"]["content"][0]["text"], "echo");
}

#[tokio::test]
async fn who_brings_no_token_or_a_wrong_one_is_told_to_bring_one() {
    let gate = Gate::with("one", tools(&["echo"])).token("right", "ada", None).run().await;
    for path in ["/mcp", "/mcp/reader", "/w/here/mcp", "/metrics"] {
        let client = gate.client_at(path);
        let basic = client.header("authorization", "Basic right");
        for client in [client.clone(), client.bearer("wrong"), client.bearer(""), basic] {
            for method in ["POST", "GET", "DELETE"] {
                let reply = client.send(method, "{}").await;
                assert_eq!(reply.status, StatusCode::UNAUTHORIZED, "{method} {path}");
                assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
                assert!(reply.json().await["error"]["message"].is_string());
            }
        }
    }
    let ada = gate.client().bearer("right").initialize().await;
    assert_eq!(ada.call("one__echo", json!({})).await["result"]["content"][0]["text"], "echo");
}

#[tokio::test]
async fn a_token_reaches_the_addresses_of_its_roles_and_no_others() {
    let gate = Gate::with("one", tools(&["echo"]))
        .role("reader", &["one"])
        .role("writer", &["one"])
        .token("any", "ada", None)
        .token("reads", "bob", Some(&["reader"]))
        .run()
        .await;
    let status = async |token: &str, path: &str| {
        let client = gate.client_at(path).bearer(token);
        client.request(json!(1), "initialize", json!({"protocolVersion": "x"})).await.status
    };
    for path in ["/mcp", "/mcp/reader", "/mcp/writer"] {
        assert_eq!(status("any", path).await, StatusCode::OK, "{path}");
    }
    assert_eq!(status("reads", "/mcp/reader").await, StatusCode::OK);
    for path in ["/mcp", "/mcp/writer", "/mcp/unknown", "/w/nowhere/mcp/reader"] {
        assert_eq!(status("reads", path).await, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn an_address_that_leads_nowhere_is_not_found() {
    let gate = gate().await;
    for path in
        ["/", "/mcp/unknown", "/w/nowhere/mcp", "/w/here/mcp/unknown", "/mcp/", "/mcp/a/b", "/MCP"]
    {
        let client = gate.client_at(path);
        let reply = client.request(json!(1), "initialize", json!({"protocolVersion": "x"})).await;
        assert_eq!(reply.status, StatusCode::NOT_FOUND, "{path}");
    }
    for path in ["/mcp", "/mcp/reader", "/w/here/mcp", "/w/here/mcp/reader"] {
        let client = gate.client_at(path).initialize().await;
        let answer = client.call("one__echo", json!({})).await;
        assert_eq!(answer["result"]["content"][0]["text"], "echo", "{path}");
    }
}

#[tokio::test]
async fn a_method_that_means_nothing_is_answered_with_those_that_do() {
    let gate = gate().await;
    for method in ["PUT", "PATCH", "OPTIONS", "HEAD"] {
        let reply = gate.client().send(method, "").await;
        assert_eq!(reply.status, StatusCode::METHOD_NOT_ALLOWED, "{method}");
        assert_eq!(reply.header("allow"), Some("POST, GET, DELETE"));
    }
}

/// What a role does not show cannot be told from what does not exist.
#[tokio::test]
async fn hidden_and_absent_read_the_same() {
    let gate = Gate::with("one", tools(&["echo"]))
        .server("two", tools(&["secret"]))
        .role("reader", &["one"])
        .run()
        .await;
    let everybody = gate.client().initialize().await;
    assert!(everybody.call("two__secret", json!({})).await["result"].is_object());
    let reader = gate.client_at("/mcp/reader").initialize().await;
    let told = async |name: &str| {
        let mut answer = reader.call(name, json!({})).await;
        let error = answer["error"].as_object_mut().unwrap();
        error["data"].as_object_mut().unwrap().remove("correlationId");
        answer.to_string().replace(name, "it")
    };
    assert_eq!(told("two__secret").await, told("two__absent").await);
    let listed = reader.request(json!(1), "tools/list", json!({})).await.text().await;
    assert!(listed.contains("one__echo") && !listed.contains("secret"), "{listed}");
    assert_eq!(gate.peers.received("two", "tools/call"), 1);
}

/// A page that was allowed by name can really call: its browser asks first, and lets it read the answer.
#[tokio::test]
async fn a_page_of_an_allowed_origin_is_let_in_by_its_browser_and_no_other() {
    let gate = gate().await;
    let asking = |origin: &str| {
        let client = gate.client().at("/mcp").header("origin", origin);
        let client = client.header("access-control-request-method", "POST");
        client.header("access-control-request-headers", "authorization, mcp-param-region")
    };
    let asked = asking("app://ide").send("OPTIONS", "").await;
    assert_eq!(asked.status, StatusCode::NO_CONTENT);
    let told = |reply: &Reply, name: &str| reply.header(name).unwrap_or_default().to_owned();
    assert_eq!(told(&asked, "access-control-allow-origin"), "app://ide");
    assert_eq!(told(&asked, "access-control-allow-methods"), "GET, POST, DELETE");
    assert_eq!(told(&asked, "access-control-allow-headers"), "authorization, mcp-param-region");
    let page = gate.client().at("/mcp").header("origin", "app://ide");
    let answer = page.send("POST", "{}").await;
    assert_eq!(told(&answer, "access-control-allow-origin"), "app://ide");
    assert!(told(&answer, "access-control-expose-headers").contains("mcp-session-id"));
    // Pages of this machine may call where no browser asks, and read nothing.
    let local = asking("http://localhost:3000").send("OPTIONS", "").await;
    assert_eq!(told(&local, "access-control-allow-origin"), "");
    assert_ne!(local.status, StatusCode::NO_CONTENT);
    let foreign = asking("http://evil.example").send("OPTIONS", "").await;
    assert_eq!(foreign.status, StatusCode::FORBIDDEN);
    assert_eq!(told(&foreign, "access-control-allow-origin"), "");
}
