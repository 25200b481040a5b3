//! Callers that an issuer speaks for: what they are told, what they see, and what they do not share.

use std::time::{Duration, SystemTime};

use http::StatusCode;
use serde_json::{Value, json};
use toolgate_gateway::{KnownCaller, ResourceMetadata};
use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Act, Script};
use toolgate_types::{ConfigText, Endpoint, Milliseconds, Principal, RoleId, since_1970};

use crate::client::Client;
use crate::gate::{Gate, Running, list, tools, within};
use crate::modern::Caller;
use crate::roles::house::House;

const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

impl Gate {
    /// With a subject of an issuer who has a token until then, and these roles.
    fn subject(mut self, token: &str, name: &str, roles: &[&str], until: u64) -> Self {
        let role = |name: &&str| RoleId::parse(name).unwrap();
        let known = KnownCaller {
            roles: Some(roles.iter().map(role).collect()),
            acts_in_first_role: true,
            until: Some(until),
            shows_forms: true,
            ..KnownCaller::of(Principal::of_subject("https://id.example.com", name))
        };
        self.tokens.insert(token.to_owned(), known);
        self
    }

    /// Where callers are told to log in, for what is at this URL.
    fn resource(mut self, url: &str, scopes: &[&str]) -> Self {
        let url = Endpoint::parse(ConfigText::Plain(url.to_owned())).unwrap();
        let scopes: Vec<String> = scopes.iter().map(|&scope| scope.to_owned()).collect();
        self.resource = Some(ResourceMetadata::new(&url, "https://id.example.com", &scopes));
        self
    }
}

/// Long enough for every test.
fn in_an_hour() -> u64 {
    since_1970(SystemTime::now() + Duration::from_secs(3600))
}

/// With two subjects who may act as the same.
async fn gate(script: Script) -> Running {
    Gate::with("one", script)
        .role("coder", &["one"])
        .role("other", &["one"])
        .subject("a", "ada", &["coder", "other"], in_an_hour())
        .subject("e", "eve", &["coder"], in_an_hour())
        .subject("n", "nobody", &[], in_an_hour())
        .subject("n2", "nobody else", &[], in_an_hour())
        .resource("https://gate.example.com/tools", &["mcp", "call"])
        .run()
        .await
}

fn caller(gate: &Running, token: &str) -> Caller {
    Caller::new(gate.client().bearer(token))
}

async fn challenge(client: &Client) -> (StatusCode, Option<String>) {
    let reply = client.request(json!(1), "ping", json!({})).await;
    (reply.status, reply.header("www-authenticate").map(str::to_owned))
}

#[tokio::test]
async fn who_has_no_token_is_told_where_to_get_one() {
    let gate = gate(tools(&["echo"])).await;
    let place = "resource_metadata=\"https://gate.example.com/.well-known\
                 /oauth-protected-resource/tools\", scope=\"mcp call\"";
    let told = |error: &str| Some(format!("Bearer {error}{place}"));
    let client = gate.client();
    assert_eq!(challenge(&client).await, (StatusCode::UNAUTHORIZED, told("")));
    let invalid = (StatusCode::UNAUTHORIZED, told("error=\"invalid_token\", "));
    assert_eq!(challenge(&client.bearer("unknown")).await, invalid);
    let lacking = (StatusCode::FORBIDDEN, told("error=\"insufficient_scope\", "));
    assert_eq!(challenge(&client.bearer("scopeless")).await, lacking);
    for path in ["", "/tools", "/mcp", "/tools/mcp/coder", "/mcp/coder/s/one", "/w/here/mcp"] {
        let reply = client.at(&format!("{WELL_KNOWN}{path}")).send("GET", "").await;
        assert_eq!(reply.status, StatusCode::OK, "{path}");
        let document = reply.json().await;
        assert_eq!(document["resource"], "https://gate.example.com/tools", "{path}");
        assert_eq!(document["authorization_servers"], json!(["https://id.example.com"]));
        assert_eq!(document["bearer_methods_supported"], json!(["header"]));
        assert_eq!(document["scopes_supported"], json!(["mcp", "call"]));
    }
    for (method, path) in
        [("GET", "/x"), ("GET", "/mcp/"), ("GET", "/metrics"), ("POST", ""), ("DELETE", "/mcp")]
    {
        let reply = client.at(&format!("{WELL_KNOWN}{path}")).send(method, "").await;
        assert_eq!(reply.status, StatusCode::NOT_FOUND, "{method} {path}");
    }
    let foreign = client.header("host", "evil.example").at(WELL_KNOWN).send("GET", "").await;
    assert_eq!(foreign.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn where_only_our_own_tokens_count_nobody_is_sent_elsewhere() {
    let gate = Gate::with("one", tools(&["echo"])).token("a", "ada", None).run().await;
    let plain = Some("Bearer".to_owned());
    assert_eq!(challenge(&gate.client()).await, (StatusCode::UNAUTHORIZED, plain.clone()));
    assert_eq!(challenge(&gate.client().bearer("x")).await, (StatusCode::UNAUTHORIZED, plain));
    let reply = gate.client().at(WELL_KNOWN).send("GET", "").await;
    assert_eq!(reply.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_token_in_the_query_or_the_body_is_none() {
    let gate = gate(tools(&["echo"])).await;
    let client = gate.client().at("/mcp?access_token=a");
    assert_eq!(challenge(&client).await.0, StatusCode::UNAUTHORIZED);
    let form = gate.client().header("content-type", "application/x-www-form-urlencoded");
    let reply = form.send("POST", "access_token=a").await;
    assert_eq!(reply.status, StatusCode::UNAUTHORIZED);
}

/// No mapped claim is nothing, and not everything.
#[tokio::test]
async fn a_subject_without_a_role_sees_nothing_and_may_call_nothing() {
    let gate = gate(tools(&["echo"])).await;
    let nobody = caller(&gate, "n");
    for kind in ["tools/list", "resources/list", "prompts/list"] {
        assert!(nobody.names(kind).await.is_empty(), "{kind}");
    }
    for name in ["one__echo", "mcp.listTools", "mcp__listTools", "mcp.callTool"] {
        let answer = nobody.call(name, json!({"name": "one__echo"})).await;
        assert!(answer.get("result").is_none() || answer["result"]["isError"] == true, "{answer}");
    }
    let reply = gate.client().bearer("n").at("/metrics").send("GET", "").await;
    assert_eq!(reply.status, StatusCode::NOT_FOUND, "which servers there are is nothing to see");
    for path in ["/mcp/coder", "/mcp/s/one", "/mcp/coder/s/one"] {
        let status = challenge(&gate.client().bearer("n").at(path)).await.0;
        assert_eq!(status, StatusCode::NOT_FOUND, "{path}");
    }
    assert_eq!(gate.peers.received("one", "tools/call"), 0);
    let other = caller(&gate, "n2");
    assert!(other.names("tools/list").await.is_empty());
    assert_eq!(gate.hosts.lock().unwrap().len(), 1, "one is enough for all of them");
}

#[tokio::test]
async fn a_subject_acts_in_its_first_role_and_may_name_another_of_its_own() {
    let gate = Gate::with("one", tools(&["echo"]))
        .server("two", tools(&["say"]))
        .guarded()
        .role("coder", &["one"])
        .role("writer", &["two"])
        .subject("a", "ada", &["coder", "writer"], in_an_hour())
        .subject("e", "eve", &["writer"], in_an_hour())
        .configured(|config| {
            config.limits.list_wait = Milliseconds::at_least_one(30_000);
        })
        .run()
        .await;
    let at = |path: &str, token| Caller::new(gate.client().at(path).bearer(token));
    assert_eq!(at("/mcp", "a").names("tools/list").await, ["one__echo"]);
    assert_eq!(at("/mcp/writer", "a").names("tools/list").await, ["two__say"]);
    assert_eq!(at("/mcp", "e").names("tools/list").await, ["two__say"]);
    let status = challenge(&gate.client().bearer("e").at("/mcp/coder")).await.0;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn streams_end_when_their_token_does() {
    let holding = Script::legacy().on("tools/list", [Act::answer(list(&["wait"]))]).on_call(
        "wait",
        [
            Act::notify("notifications/message", r#"{"level":"info","data":"begun"}"#),
            Act::hold("never"),
            Act::say("done"),
        ],
    );
    let soon = since_1970(SystemTime::now() + Duration::from_millis(500));
    let gate = Gate::with("one", holding)
        .role("coder", &["one"])
        .subject("short", "ada", &["coder"], soon)
        .subject("long", "ada", &["coder"], in_an_hour())
        .run()
        .await;
    let session = gate.client().bearer("short").initialize().await;
    let mut stream = session.get_stream().await;
    assert_eq!(stream.event().await, None, "what nobody asked for");
    let listen = json!({"notifications": {"toolsListChanged": true}});
    let mut news = caller(&gate, "short").request(json!(1), "subscriptions/listen", listen).await;
    while news.event().await.is_some() {}
    let mut answer = session.calling("one__wait", json!({})).await;
    while answer.event().await.is_some() {}
    // Who comes with another token of the same subject finds the session as it was.
    assert_eq!(challenge(&session.bearer("long")).await.0, StatusCode::OK);
    session.bearer("long").get_stream().await;
}

#[tokio::test]
async fn a_session_of_one_subject_is_not_there_for_another() {
    let gate = gate(tools(&["echo"])).await;
    let ada = gate.client().bearer("a").initialize().await;
    for method in ["POST", "GET", "DELETE"] {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
        let reply = ada.bearer("e").send(method, body).await;
        assert_eq!(reply.status, StatusCode::NOT_FOUND, "{method}");
    }
    let foreign = "foreign session: oauth:https://id.example.com#eve";
    assert_eq!(gate.events.count(foreign), 3);
    assert_eq!(challenge(&ada).await.0, StatusCode::OK, "its owner's it is");
}

/// What one carries between its requests is worth nothing to the other.
#[tokio::test]
async fn a_state_of_one_subject_is_refused_to_another() {
    let form =
        r#"{"mode":"form","message":"Who?","requestedSchema":{"type":"object","properties":{}}}"#;
    let asking = Script::legacy()
        .on("tools/list", [Act::answer(list(&["t"]))])
        .on_call("t", [Act::ask("elicitation/create", form), Act::say("done")]);
    let gate = gate(asking).await;
    let able = |token| caller(&gate, token).able(json!({"elicitation": {"form": {}}}));
    let call = json!({"name": "one__t", "arguments": {}});
    let asked = able("a").ask("tools/call", call.clone()).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let (key, _) = asked["result"]["inputRequests"].as_object().unwrap().iter().next().unwrap();
    let mut again = call;
    again["inputResponses"] = json!({key.clone(): {"action": "accept", "content": {}}});
    again["requestState"] = asked["result"]["requestState"].clone();
    let stolen = able("e").ask("tools/call", again.clone()).await;
    assert_ne!(stolen["result"]["content"][0]["text"], "done", "{stolen}");
    let own = able("a").ask("tools/call", again).await;
    assert_eq!(own["result"]["content"][0]["text"], "done", "{own}");
}

/// Each subject has hosts, and so lists and servers, of its own.
#[tokio::test]
async fn lists_and_servers_of_one_subject_are_not_those_of_another() {
    let gate = gate(tools(&["echo"])).await;
    for token in ["a", "e", "a"] {
        assert_eq!(caller(&gate, token).names("tools/list").await, ["one__echo"]);
    }
    gate.peers.started("one", 2).await;
    assert_eq!(gate.hosts.lock().unwrap().len(), 2);
}

/// Whoever an issuer knows may come once and never again: what was made for them ends. Who is still there, or
/// came with a token of ours, finds everything as it was.
#[tokio::test]
async fn what_was_made_for_a_subject_who_comes_no_more_is_let_go() {
    let tomorrow = since_1970(SystemTime::now() + Duration::from_secs(24 * 3600));
    let gate = Gate::with("one", tools(&["echo"]))
        .role("coder", &["one"])
        .subject("a", "ada", &["coder"], tomorrow)
        .subject("e", "eve", &["coder"], tomorrow)
        .subject("s", "sue", &["coder"], tomorrow)
        .token("t", "tom", None)
        .token("u", "una", None)
        .run()
        .await;
    let session = gate.client().bearer("e").initialize().await;
    let listen = json!({"notifications": {"toolsListChanged": true}});
    let mut news = caller(&gate, "s").request(json!(1), "subscriptions/listen", listen).await;
    assert!(news.event().await.is_some());
    for token in ["a", "u", "t"] {
        assert_eq!(caller(&gate, token).names("tools/list").await, ["one__echo"]);
    }
    let made = || gate.hosts.lock().unwrap().clone();
    let before = made();
    assert_eq!(before.len(), 5);
    // So long a session lasts without use, and until somebody looks.
    for minutes in [59, 2] {
        // Whoever looks has looked by the time that a call is answered.
        caller(&gate, "t").names("tools/list").await;
        assert_eq!(made().len(), 5, "before {minutes} more minutes");
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(minutes * 60)).await;
        tokio::time::resume();
    }
    within(async {
        while made().len() == 5 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let left = made();
    let stayed: Vec<bool> = before.iter().map(|host| left.iter().any(|one| one.is(host))).collect();
    assert_eq!(stayed, [true, true, false, true, true], "it is Ada's that was let go");
    assert_eq!(caller(&gate, "a").names("tools/list").await, ["one__echo"]);
    assert_eq!(made().len(), 5, "she has another one");
    assert_eq!(challenge(&session).await.0, StatusCode::OK);
}

/// Shows: C18.
#[tokio::test]
async fn what_was_granted_to_one_subject_is_asked_about_for_another() {
    let tool =
        r#"{"name":"act","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}}"#;
    let acting = Script::legacy()
        .on("tools/list", [Act::answer(format!(r#"{{"tools":[{tool}]}}"#))])
        .on_call("act", [Act::say("done")]);
    let gate = Gate::with("one", acting)
        .guarded()
        .role("coder", &["one"])
        .subject("a", "ada", &["coder"], in_an_hour())
        .subject("e", "eve", &["coder"], in_an_hour())
        .run()
        .await;
    let forms = json!({"elicitation": {"form": {}}});
    let ada = gate.client().bearer("a").initialize_as("2025-11-25", &forms).await;
    let eve = gate.client().bearer("e").initialize_as("2025-11-25", &forms).await;
    let mut calling = ada.calling("one__act", json!({})).await;
    let asked = calling.message().await;
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    let granted = json!({"action": "accept", "content": {"decision": "session"}});
    ada.post(json!({"jsonrpc": "2.0", "id": asked["id"], "result": granted})).await;
    assert_eq!(calling.message().await["result"]["content"][0]["text"], "done");
    let again = ada.call("one__act", json!({})).await;
    assert_eq!(again["result"]["content"][0]["text"], "done", "{again}");
    let mut calling = eve.calling("one__act", json!({})).await;
    let asked = calling.message().await;
    assert_eq!(asked["method"], "elicitation/create", "the other is asked: {asked}");
    assert_eq!(gate.peers.received("one", "tools/call"), 2);
}

#[tokio::test]
async fn a_result_that_was_kept_for_one_subject_is_not_there_for_another() {
    let long = "long ".repeat(100_000);
    let open = House::new()
        .server(
            "one",
            Script::legacy()
                .on("tools/list", [Act::answer(list(&["t"]))])
                .on_call("t", [Act::say(&long)]),
        )
        .token("oauth:https://id.example.com#ada", None, None)
        .token("oauth:https://id.example.com#eve", None, None)
        .open()
        .await;
    let caller = |name: &str| open.caller(&format!("oauth:https://id.example.com#{name}"), "/mcp");
    let result = caller("ada").call("one__t", json!({})).await.to_string();
    let from = result.find("toolgate://artifact/").unwrap_or_else(|| panic!("not kept"));
    let id = from + "toolgate://artifact/".len();
    let end = result[id..].find(|c: char| !c.is_ascii_hexdigit()).unwrap();
    let uri = &result[from..id + end];
    let own = caller("ada").ask("resources/read", json!({"uri": uri})).await;
    assert!(own["result"]["contents"].is_array(), "{uri}: {:.200}", own.to_string());
    let stolen = caller("eve").ask("resources/read", json!({"uri": uri})).await;
    assert!(stolen["error"].is_object(), "{:.200}", stolen.to_string());
}

/// Clients would log in for ever.
#[tokio::test]
async fn a_refusal_of_a_server_is_never_ours() {
    let site = tools(&["echo"]).over_http(WebManners::default()).await;
    let gate = Gate::empty()
        .remote("one", &site.url("/mcp"))
        .remote("two", &site.url("/status/403"))
        .role("coder", &["one", "two"])
        .subject("a", "ada", &["coder"], in_an_hour())
        .resource("https://gate.example.com", &["mcp"])
        .run()
        .await;
    let ada = caller(&gate, "a");
    assert_eq!(ada.call("one__echo", json!({})).await["result"]["content"][0]["text"], "echo");
    site.let_in_only("something else");
    for tool in ["one__echo", "two__echo"] {
        let reply = ada.calling(tool, json!({})).await;
        assert!(
            !matches!(reply.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN),
            "{tool}: {}",
            reply.status
        );
        assert_eq!(reply.header("www-authenticate"), None, "{tool}");
        let answer: Value = reply.answer().await;
        assert_ne!(answer["result"]["content"][0]["text"], "echo", "{answer}");
    }
    for visit in site.visits() {
        assert_eq!(visit.header("authorization"), "", "a caller's token stays here");
    }
}
