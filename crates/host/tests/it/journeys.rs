//! What people do with it, from begin to end, as sentences.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use toolgate_host::{Call, CallOptions, CallTarget};
use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Act, Script};
use toolgate_types::config::Server;
use toolgate_types::{Code, Pattern, Tool};

use crate::gate::{Gate, Running, json, list, peer_path, remote, stdio, within};

/// A server with a tool that works, one that fails and one that never ends.
fn workshop() -> Script {
    Script::legacy()
        .on("tools/list", [Act::answer(list(&["work", "fail", "wait"]))])
        .on_call("work", [Act::say("done")])
        .on_call(
            "fail",
            [Act::answer(r#"{"content":[{"type":"text","text":"no wood"}],"isError":true}"#)],
        )
        .on_call("wait", [Act::hold("never")])
}

/// A run of an agent: the tools it has, called as a model calls them.
struct Run(Vec<Arc<dyn Tool>>);

impl Run {
    async fn of(gate: &Running) -> Self {
        Self(within(gate.host.tools()).await)
    }

    fn tool(&self, name: &str) -> Arc<dyn Tool> {
        let is_it = |tool: &&Arc<dyn Tool>| tool.origin().is_some_and(|origin| origin.name == name);
        Arc::clone(self.0.iter().find(is_it).unwrap())
    }

    async fn calls(&self, name: &str) -> (bool, String) {
        let output = within(self.tool(name).call(json("{}"))).await.unwrap();
        (output.is_error, output.text())
    }
}

/// Cancels the one call of a run that never ends, once the server has it.
async fn cancel_a_call_of(gate: &Running, run: &Run, reached: impl Future<Output = ()>) {
    let cancel = CancellationToken::new();
    let target = CallTarget::named(run.tool("wait").name());
    let options = CallOptions { cancel: Some(cancel.clone()), ..CallOptions::default() };
    let (host, call) = (gate.host.clone(), Call::new(target).options(options));
    let waiting = tokio::spawn(async move { host.call(call).await });
    reached.await;
    cancel.cancel();
    assert_eq!(within(waiting).await.unwrap().unwrap_err().code, Code::Cancelled);
}

/// Shows: S1-91, S1-2.
#[tokio::test]
async fn a_remote_server_is_reached_listed_called_fails_and_is_cancelled() {
    let site = workshop().over_http(WebManners::default()).await;
    let gate = Gate::open().remote("shop", &site.url("/mcp")).run();
    let run = Run::of(&gate).await;
    within(site.visited(|visit| visit.body.contains("\"initialize\""))).await;
    within(site.visited(|visit| visit.body.contains("notifications/initialized"))).await;
    let listed = within(site.visited(|visit| visit.body.contains("tools/list"))).await;
    assert_eq!(listed.header("mcp-protocol-version"), "2025-11-25");
    assert!(!listed.header("mcp-session-id").is_empty());
    assert_eq!(run.calls("work").await, (false, "done".to_owned()));
    assert_eq!(run.calls("fail").await, (true, "no wood".to_owned()));
    let reached =
        async { drop(within(site.visited(|visit| visit.body.contains("\"wait\""))).await) };
    cancel_a_call_of(&gate, &run, reached).await;
    within(site.visited(|visit| visit.body.contains("notifications/cancelled"))).await;
    assert_eq!(run.calls("work").await, (false, "done".to_owned()), "and it goes on");
    within(gate.host.close_all()).await;
}

/// Shows: S1-98, S4-2, S1-15.
#[tokio::test]
async fn a_local_server_is_used_just_the_same_and_told_when_a_run_is_cancelled() {
    let told = workshop()
        .on_call("told", [Act::hold("received notifications/cancelled"), Act::say("yes")]);
    let told =
        told.on_when("tools/list", "", [Act::answer(list(&["work", "fail", "wait", "told"]))]);
    let gate = Gate::open().process("shop", &told).run();
    let run = Run::of(&gate).await;
    assert_eq!(run.calls("work").await, (false, "done".to_owned()));
    assert_eq!(run.calls("fail").await, (true, "no wood".to_owned()));
    // The server itself says whether it was told: this call ends when it was.
    let tool = run.tool("told");
    let says = tokio::spawn(async move { tool.call(json("{}")).await });
    gate.events.heard("began call told").await;
    let reached = async { drop(gate.events.heard("began call wait").await) };
    cancel_a_call_of(&gate, &run, reached).await;
    assert_eq!(within(says).await.unwrap().unwrap().text(), "yes");
    assert!(gate.host.resources().await.is_empty() && gate.host.prompts().await.is_empty());
    within(gate.host.close_all()).await;
}

/// Shows: S2-16.
#[tokio::test]
async fn lists_of_what_is_allowed_and_denied_hold_over_either_transport() {
    let site = workshop().over_http(WebManners::default()).await;
    let local = stdio(peer_path().to_str().unwrap(), &[&workshop().to_argument()]);
    let patterns = |names: &[&str]| -> Vec<Pattern> {
        names.iter().map(|name| Pattern::parse(name).unwrap()).collect()
    };
    let filter = |server: &mut Server| {
        server.tools.allow = Some(patterns(&["work", "fail"]));
        server.tools.deny = patterns(&["fail"]);
    };
    for transport in [local, remote(&site.url("/mcp"))] {
        let gate = Gate::open().entry("shop", transport, filter).run();
        assert_eq!(gate.names().await, ["work"], "what is allowed and not denied");
        let run = Run::of(&gate).await;
        assert_eq!(run.calls("work").await, (false, "done".to_owned()));
        for hidden in ["fail", "wait"] {
            let target = CallTarget::exact(crate::gate::id("shop"), hidden.to_owned());
            let error = within(gate.host.call(Call::new(target))).await.unwrap_err();
            assert_eq!(error.code, Code::NotFound, "{hidden}");
        }
        within(gate.host.close_all()).await;
    }
    assert!(site.visits().iter().any(|visit| visit.posts("tools/call")));
    assert!(!site.visits().iter().any(|visit| visit.body.contains(r#""wait""#)));
}
