//! Results that fit: what is too long is cut, kept and read again, by the one it was made for.

use std::sync::Arc;

use toolgate_host::{Call, Options, Target};
use toolgate_store::{Artifacts as _, SqliteStore};
use toolgate_testkit::{Act, Script};
use toolgate_types::config::ToolSettings;
use toolgate_types::{Caller, Code, Outcome, Principal};

use crate::gate::{Gate, Running, id, json, list, within};

fn long_text() -> String {
    (1..=20_000).map(|line| format!("line {line} é\n")).collect()
}

fn gate(keeps: bool) -> (Running, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["long", "short", "small"]))])
        .on_call("long", [Act::say(&long_text())])
        .on_call("small", [Act::say(&"x".repeat(200))])
        .on_call("short", [Act::say("short")]);
    let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
    let gate = Gate::open()
        .server_with("one", script, |server| {
            let small = ToolSettings { result_bytes: Some(100), ..ToolSettings::default() };
            server.tool_settings.insert("small".to_owned(), small);
        })
        .building(|host| if keeps { host.artifacts(store) } else { host })
        .run();
    (gate, folder)
}

fn of(principal: &str) -> Options {
    let principal = Principal::named(principal);
    let caller = Caller { principal, session: None, workspace: "/".into() };
    Options { caller: Some(caller), ..Options::default() }
}

async fn call(gate: &Running, target: Target, arguments: &str, who: &str) -> Result<String, Code> {
    let call = Call::new(target).arguments(json(arguments)).options(of(who));
    match within(gate.host.call(call)).await {
        Ok(Outcome::Done(done)) => Ok(done.result.get().to_owned()),
        Ok(other) => panic!("{other:?}"),
        Err(error) => Err(error.code),
    }
}

/// Shows: S1-84, C26.
#[tokio::test]
async fn a_long_result_becomes_its_beginning_and_a_reference_to_the_whole() {
    let (gate, _folder) = gate(true);
    let tool = |name: &str| Target::exact(id("one"), name);
    let cut = call(&gate, tool("long"), "{}", "ada").await.unwrap();
    assert!(cut.len() < 20_000, "{}", cut.len());
    assert!(cut.contains("line 1 é") && !cut.contains("line 19999"));
    let at = cut.find("toolgate://artifact/").unwrap();
    let uri = &cut[at..at + "toolgate://artifact/".len() + 32];
    let read = async |query: &str, who: &str| {
        let arguments = format!(r#"{{"uri":"{uri}{query}"}}"#);
        call(&gate, Target::named("mcp_resource_read"), &arguments, who).await
    };
    let some = read("?lines=19999-20000", "ada").await.unwrap();
    assert!(some.contains("line 19999 é\\nline 20000 é\\n"), "{some}");
    assert!(!some.contains("line 19998"));
    assert_eq!(read("", "bob").await, Err(Code::NotFound), "to anybody else it does not exist");
    assert_eq!(read("?lines=1", "ada").await, Err(Code::NotFound));
    let short = call(&gate, tool("short"), "{}", "ada").await.unwrap();
    assert_eq!(short, r#"{"content":[{"type":"text","text":"short"}]}"#, "what fits is untouched");
    let small = call(&gate, tool("small"), "{}", "ada").await.unwrap();
    assert!(small.contains("toolgate://artifact/"), "a tool may have a limit of its own: {small}");
}

#[tokio::test]
async fn where_nothing_is_kept_nothing_is_lost() {
    let (gate, _folder) = gate(false);
    let whole = call(&gate, Target::exact(id("one"), "long"), "{}", "ada").await.unwrap();
    assert!(whole.contains("line 20000"));
}

#[tokio::test]
async fn what_was_kept_too_long_ago_goes_when_something_new_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
    let old = toolgate_store::NewArtifact {
        principal: "ada".to_owned(),
        mime: "text/plain".to_owned(),
        bytes: b"old".to_vec(),
        created_at: 1,
        server: None,
        tool: None,
        correlation: "c".to_owned(),
    };
    let old = store.keep_artifact(old).await.unwrap();
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["long"]))])
        .on_call("long", [Act::say(&long_text())]);
    let kept = Arc::clone(&store);
    let gate = Gate::open().server("one", script).building(|host| host.artifacts(kept)).run();
    call(&gate, Target::exact(id("one"), "long"), "{}", "ada").await.unwrap();
    assert_eq!(store.artifact(&old.id, "ada").await.unwrap(), None);
}
