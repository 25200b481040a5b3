//! A whole day under profile `production-http`: a remote server that wants a login, and an agent's runs.

use serde_json::{Value, json};
use toolgate_testkit::{Act, IdentityProvider, Script, Site};

use crate::approvals::asking::{person, reference, taken_at_once};
use crate::daemon::house::{Daemon, Ends, Window, house};
use crate::login::log_in;
use crate::serve::gate::Gate;
use crate::support::{World, served};

/// A tool that works, one that fails, one that never ends and one that a person is asked about.
fn workshop() -> Script {
    let tools = ["work", "fail", "wait", "risk"]
        .map(|name| format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#));
    let failed = r#"{"content":[{"type":"text","text":"no wood"}],"isError":true}"#;
    Script::legacy()
        .on("tools/list", [Act::answer(format!(r#"{{"tools":[{}]}}"#, tools.join(",")))])
        .on_call("work", [Act::say("done")])
        .on_call("fail", [Act::answer(failed)])
        .on_call("wait", [Act::hold("never")])
        .on_call("risk", [Act::say("risked")])
}

struct Shop {
    world: World,
    site: Site,
    runtime: tokio::runtime::Runtime,
    _provider: IdentityProvider,
}

impl Shop {
    /// Nobody is logged in yet.
    fn new() -> Self {
        let (runtime, site) = served(workshop());
        let provider = runtime.block_on(IdentityProvider::start());
        site.let_in_by(&provider);
        let world = house();
        let settings = "profile = \"production-http\"\n\
                        gateway = { tls_proxies = [\"127.0.0.1\"] }\nlimits = { list_wait_ms = 20000 }\n";
        world.write(World::GLOBAL, &format!("{settings}{}", taken_at_once("")));
        let url = site.url("/mcp");
        let asks = "tools = { risk = { approval = \"prompt\" } }";
        world.server("shop", &format!("url = {url:?}\napproval = \"approve\"\n{asks}"));
        Self { world, site, runtime, _provider: provider }
    }

    /// What came with these words and a token, once it did.
    fn came(&self, words: &str) -> toolgate_testkit::Visit {
        let is_it = |visit: &toolgate_testkit::Visit| {
            visit.body.contains(words) && visit.header("authorization").starts_with("Bearer ")
        };
        self.runtime.block_on(self.site.visited(is_it))
    }
}

fn call(tool: &str) -> Value {
    json!({"name": format!("shop__{tool}"), "arguments": {}})
}

/// Shows: S1-97, S1-100, S1-14, S1-4.
#[test]
fn a_remote_server_that_wants_a_login_is_used_by_an_agent_in_production() {
    let shop = Shop::new();
    let world = &shop.world;
    let _ends = Ends(world);
    world.run(&["config", "check", "--strict"]).ok();
    let refused = world.run(&["call", "shop", "work"]).fails_with(3);
    assert!(refused.stderr.contains("toolgate login shop"), "{refused:#?}");
    log_in(world, "shop", true).ok();

    let mut run = Window::open(world);
    let listed = run.tools();
    assert!(
        ["work", "fail", "wait", "risk"]
            .iter()
            .all(|tool| listed.contains(&format!("shop__{tool}"))),
        "{listed:?}"
    );
    shop.came("\"initialize\"");
    shop.came("notifications/initialized");
    let asked = shop.came("tools/list");
    assert_eq!(asked.header("mcp-protocol-version"), "2025-11-25");
    assert!(!asked.header("mcp-session-id").is_empty());

    assert_eq!(run.call("shop__work"), "done");
    let failed = &run.ask("tools/call", call("fail"))["result"];
    assert_eq!(
        (&failed["isError"], &failed["content"][0]["text"]),
        (&json!(true), &json!("no wood"))
    );
    let waits = run.send("tools/call", call("wait"));
    shop.came("\"wait\"");
    run.cancel(waits);
    shop.came("notifications/cancelled");

    let risked = run.send("tools/call", call("risk"));
    person(world, &["approve", &reference(world)]).ok();
    assert_eq!(run.answer(risked)["result"]["content"][0]["text"], "risked");
    let denied = run.send("tools/call", call("risk"));
    person(world, &["deny", &reference(world)]).ok();
    let denied = &run.answer(denied)["result"];
    assert_eq!(
        (&denied["isError"], &denied["_meta"]["toolgate/reason"]),
        (&json!(true), &json!("denied"))
    );

    // What was logged in once is still there for the next daemon, and for callers over HTTP.
    drop(run);
    let before = Daemon::of(world);
    world.run(&["stop"]).ok();
    before.ended();
    let gate = Gate::on_free_port(world);
    assert_eq!(gate.call("/mcp", "shop__work", &json!({}))["result"]["content"][0]["text"], "done");
}
