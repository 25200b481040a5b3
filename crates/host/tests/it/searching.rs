//! What serves a caller well is found a little sooner, and nothing is found for that alone.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use toolgate_host::{Call, CallOptions, CallTarget};
use toolgate_store::SqliteStore;
use toolgate_testkit::{Act, Script};
use toolgate_types::config::BundleMode;
use toolgate_types::{Caller, OperationOutcome, Principal};

use crate::bundles::{bundle, bundle_id};
use crate::gate::{Gate, Running, id, json, within};

/// Tools that fit alike, and one that fits less and always succeeds.
fn notes() -> Script {
    let tools = r#"{"tools":[{"name":"search_notes","description":"Searches notes."},{"name":"delete_all","description":"Deletes all notes."}]}"#;
    Script::legacy()
        .on("tools/list", [Act::answer(tools)])
        .on_call("search_notes", [Act::say("found")])
        .on_call("delete_all", [Act::say("gone")])
}

fn failing() -> Script {
    let tools = r#"{"tools":[{"name":"search_notes","description":"Searches notes, slowly and badly, in a list of all."}]}"#;
    let failed = r#"{"content":[{"type":"text","text":"no"}],"isError":true}"#;
    Script::legacy()
        .on("tools/list", [Act::answer(tools)])
        .on_call("search_notes", [Act::answer(failed)])
}

struct NoteServers {
    gate: Running,
    workspace: std::path::PathBuf,
}

impl NoteServers {
    fn run(folder: &Path) -> Self {
        let store = Arc::new(SqliteStore::open(folder).unwrap());
        let (kept, log) = (Arc::clone(&store), store);
        let workspace = folder.to_owned();
        let gate = Gate::open()
            .server("a", notes())
            .server("b", notes())
            .server("z", failing())
            .configured(|config| {
                for name in ["a", "b", "z"] {
                    bundle(config, name, name, BundleMode::Meta, &["*"]);
                }
            })
            .building(|host| host.store(kept).audit(log).workspace(folder))
            .run();
        Self { gate, workspace }
    }

    fn options(&self, principal: &str) -> CallOptions {
        let caller = Caller::new(Principal::named(principal), self.workspace.clone());
        CallOptions { caller: Some(caller.into()), ..CallOptions::default() }
    }

    async fn call(&self, principal: &str, server: &str, tool: &str) {
        let target = CallTarget::exact(id(server), tool.to_owned());
        let call = Call::new(target).arguments(json("{}")).options(self.options(principal));
        within(self.gate.host.call(call)).await.unwrap();
    }

    async fn found(&self, principal: &str, query: &str) -> Vec<String> {
        let bundles = ["a", "b", "z"].map(bundle_id);
        let view = within(self.gate.host.resolve_tools(&bundles)).await.unwrap().tools;
        let entry = Arc::clone(view.resolve("mcp.searchTools").unwrap());
        let query = json(&serde_json::json!({ "query": query, "limit": 3 }).to_string());
        let call = Call::new(CallTarget::Listed(entry)).arguments(query);
        let outcome = within(self.gate.host.call(call.options(self.options(principal)))).await;
        let Ok(OperationOutcome::Done(done)) = outcome else { panic!("{outcome:?}") };
        let result: Value = serde_json::from_str(done.result.get()).unwrap();
        let tools = result["structuredContent"]["tools"].as_array().unwrap().clone();
        let text = |tool: &Value, key: &str| tool[key].as_str().unwrap().to_owned();
        tools.iter().map(|tool| text(tool, "serverId") + "/" + &text(tool, "toolName")).collect()
    }
}

#[tokio::test]
async fn past_success_decides_between_tools_that_fit_alike_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let gate = NoteServers::run(folder.path());
    let (first, second) = ("a/search_notes", "b/search_notes");
    assert_eq!(gate.found("ada", "search my notes").await[..2], [first, second]);
    gate.call("ada", "b", "search_notes").await;
    assert_eq!(gate.found("ada", "search my notes").await[..2], [second, first]);
    assert_eq!(gate.found("bob", "search my notes").await[..2], [first, second], "not his");
    // Whoever always succeeds at something else, or fails, does not come forward.
    for _ in 0..80 {
        gate.call("ada", "a", "delete_all").await;
        gate.call("ada", "z", "search_notes").await;
    }
    assert_eq!(gate.found("ada", "search my notes").await[..2], [second, first]);
    gate.gate.host.close_all().await;
    // The next host knows it from the records.
    let same = NoteServers::run(folder.path());
    assert_eq!(same.found("ada", "search my notes").await[..2], [second, first]);
    assert_eq!(same.found("ada", "delete").await[..2], ["a/delete_all", "b/delete_all"]);
    same.call("ada", "b", "delete_all").await;
    assert_eq!(same.found("ada", "delete").await[..1], ["a/delete_all"], "eighty to one");
}
