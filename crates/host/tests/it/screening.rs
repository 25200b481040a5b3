//! Results that fit: what is too long is cut, kept and read again, by the one it was made for.

mod at_length;
mod media;
mod reading;
mod spilled;
mod structured;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use toolgate_host::{Call, CallOptions, CallTarget, ResultReader};
use toolgate_store::{
    Artifact, ArtifactId, ArtifactStore, KeptFor, MemoryStore, NewArtifact, SqliteStore,
};
use toolgate_testkit::{Act, Script};
use toolgate_types::config::ToolSettings;
use toolgate_types::{CallError, Caller, Code, OperationOutcome, Principal};

use crate::gate::{Gate, Running, id, json, list, within};

const SCHEME: &str = "toolgate://artifact/";

fn long_text() -> String {
    (1..=20_000).map(|line| format!("line {line} é\n")).collect()
}

/// Where results are kept: really, or only in memory.
fn stores() -> (tempfile::TempDir, [Arc<dyn ArtifactStore>; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let real = SqliteStore::open(folder.path()).unwrap();
    (folder, [Arc::new(real), Arc::new(MemoryStore::default())])
}

/// A server `one` whose tools give these results.
fn giving(results: &[(&str, &str)]) -> Script {
    let names: Vec<_> = results.iter().map(|(name, _)| *name).collect();
    let script = Script::legacy().on("tools/list", [Act::answer(list(&names))]);
    results.iter().fold(script, |script, (name, result)| {
        script.on_call(name, [Act::answer((*result).to_owned())])
    })
}

fn text_item(text: &str) -> String {
    format!(r#"{{"type":"text","text":{}}}"#, serde_json::to_string(text).unwrap())
}

fn keeping(gate: Gate, store: &Arc<dyn ArtifactStore>) -> Running {
    let store = Arc::clone(store);
    gate.building(|host| host.artifacts(store)).run()
}

fn gate(keeps: bool) -> (Running, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["long", "short", "small", "wide"]))])
        .on_call("long", [Act::say(&long_text())])
        .on_call("small", [Act::say(&"x".repeat(200))])
        .on_call("wide", [Act::say(&"w".repeat(60_000))])
        .on_call("short", [Act::say("short")]);
    let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
    let gate = Gate::open()
        .server_with("one", script, |server| {
            for (tool, bytes) in [("small", 100), ("wide", 100_000)] {
                let own = ToolSettings { result_bytes: Some(bytes), ..ToolSettings::default() };
                server.tool_settings.insert(tool.to_owned(), own);
            }
        })
        .building(|host| if keeps { host.artifacts(store) } else { host })
        .run();
    (gate, folder)
}

/// Whose everything is that is kept here.
fn adas() -> KeptFor {
    KeptFor::new("ada", "/")
}

fn of(principal: &str) -> CallOptions {
    let principal = Principal::named(principal);
    let caller = Caller::new(principal, "/");
    CallOptions { caller: Some(caller.into()), ..CallOptions::default() }
}

fn without_media(principal: &str) -> CallOptions {
    let reader = ResultReader { takes_media: false, ..ResultReader::default() };
    CallOptions { reader, ..of(principal) }
}

#[expect(clippy::result_large_err, reason = "handed on once, in a test")]
fn result(outcome: Result<OperationOutcome, CallError>) -> Result<String, CallError> {
    match outcome? {
        OperationOutcome::Done(done) => Ok(done.result.get().to_owned()),
        other => panic!("{other:?}"),
    }
}

async fn call(
    gate: &Running,
    target: CallTarget,
    arguments: &str,
    who: &str,
) -> Result<String, Code> {
    let call = Call::new(target).arguments(json(arguments)).options(of(who));
    result(within(gate.host.call(call)).await).map_err(|error| error.code)
}

async fn called(gate: &Running, tool: &str, options: CallOptions) -> String {
    let call = Call::new(CallTarget::exact(id("one"), tool)).options(options);
    result(within(gate.host.call(call)).await).unwrap()
}

/// The addresses in a result, in order.
fn addresses(result: &str) -> Vec<String> {
    let at = result.match_indices(SCHEME).map(|(at, _)| at);
    let mut all: Vec<_> = at.map(|at| result[at..at + SCHEME.len() + 32].to_owned()).collect();
    all.dedup();
    all
}

async fn kept(store: &Arc<dyn ArtifactStore>, uri: &str) -> (Artifact, Vec<u8>) {
    let id = ArtifactId::parse(uri.strip_prefix(SCHEME).unwrap()).unwrap();
    let artifact = store.artifact(&id, &adas()).await.unwrap().unwrap();
    let bytes = store.read_artifact(&id, &adas(), 0..artifact.size).await.unwrap().unwrap();
    (artifact, bytes)
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow)]
    content: Vec<&'a RawValue>,
}

fn items(result: &str) -> Vec<&str> {
    let Content { content } = serde_json::from_str(result).unwrap();
    content.into_iter().map(RawValue::get).collect()
}

/// Shows: S1-84, C26.
#[tokio::test]
async fn a_long_result_becomes_its_beginning_and_a_reference_to_the_whole() {
    let (gate, _folder) = gate(true);
    let tool = |name: &str| CallTarget::exact(id("one"), name);
    let cut = call(&gate, tool("long"), "{}", "ada").await.unwrap();
    assert!(cut.len() < 20_000, "{}", cut.len());
    assert!(cut.contains("line 1 é") && !cut.contains("line 19999"));
    let uri = &addresses(&cut)[0];
    let read = async |query: &str, who: &str| {
        let arguments = format!(r#"{{"uri":"{uri}{query}"}}"#);
        call(&gate, CallTarget::named("mcp_resource_read"), &arguments, who).await
    };
    let some = read("?lines=19999-20000", "ada").await.unwrap();
    assert!(some.contains("line 19999 é\\nline 20000 é\\n"), "{some}");
    assert!(!some.contains("line 19998"));
    assert_eq!(read("", "bob").await, Err(Code::NotFound), "to anybody else it does not exist");
    assert_eq!(read("?lines=1", "ada").await, Err(Code::InvalidArgument));
    let short = call(&gate, tool("short"), "{}", "ada").await.unwrap();
    assert_eq!(short, r#"{"content":[{"type":"text","text":"short"}]}"#, "what fits is untouched");
}

#[tokio::test]
async fn the_note_at_a_cut_says_where_to_read_on() {
    let (gate, _folder) = gate(true);
    let cut = called(&gate, "long", of("ada")).await;
    let uri = &addresses(&cut)[0];
    let shown = cut.matches("line ").count();
    let from = cut.split("?lines=").nth(1).unwrap().split('-').next().unwrap();
    let from: usize = from.parse().unwrap();
    let read =
        result(gate.host.read_own_resource(&format!("{uri}?lines={from}-{from}"), of("ada")).await);
    assert!(read.unwrap().contains(&format!("line {from} é\\n")));
    assert!(from == shown || from == shown + 1, "{from} follows the {shown} that were shown");
}

#[tokio::test]
async fn the_smaller_limit_of_tool_and_client_holds_and_else_that_of_the_configuration() {
    let (gate, _folder) = gate(true);
    let is_cut = async |tool: &str, bytes: Option<u64>| {
        let reader = ResultReader { result_bytes: bytes, ..ResultReader::default() };
        let result = called(&gate, tool, CallOptions { reader, ..of("ada") }).await;
        result.contains(SCHEME)
    };
    assert!(is_cut("small", None).await, "200 bytes, the tool has 100");
    assert!(is_cut("small", Some(1000)).await, "a client does not widen the tool's limit");
    assert!(!is_cut("wide", None).await, "60000 bytes, the tool has 100000");
    assert!(is_cut("wide", Some(50_000)).await, "nor the tool the client's");
    assert!(is_cut("short", Some(4)).await && !is_cut("short", Some(100)).await);
    assert!(is_cut("long", None).await && !is_cut("long", Some(1 << 20)).await);
}

/// Shows: S1-84.
#[tokio::test]
async fn every_part_stays_in_its_place_and_short_texts_stay_whole() {
    let [first, last] = [text_item("first"), text_item("last")];
    let image = r#"{ "type":"image","mimeType":"image/png","data":"aGk=","x":1.50 }"#;
    let embedded = r#"{"type":"resource","resource":{"uri":"doc:a","text":"inner","y":2.0}}"#;
    let long = text_item(&long_text());
    let whole = format!(r#"{{"content":[{first},{image},{long},{embedded},{last}],"z":1e3}}"#);
    let (_folder, stores) = stores();
    for store in stores {
        let gate = keeping(Gate::open().server("one", giving(&[("mixed", &whole)])), &store);
        let cut = called(&gate, "mixed", of("ada")).await;
        let items = items(&cut);
        assert_eq!(items.len(), 6, "{cut}");
        assert_eq!([items[0], items[1], items[4], items[5]], [&*first, image, embedded, &*last]);
        assert!(items[2].contains("line 1 é") && items[2].contains("cut here"));
        assert!(items[3].contains(r#""type":"resource_link""#), "{}", items[3]);
        assert!(cut.contains(r#""z":1e3"#), "what else is in the result stays");
        let (artifact, bytes) = kept(&store, &addresses(&cut)[0]).await;
        assert_eq!(artifact.mime, "text/plain");
        let texts = format!("first\n{}\ninner\nlast", long_text());
        assert!(bytes == texts.as_bytes(), "all texts are kept");
    }
}

#[tokio::test]
async fn structured_content_that_is_too_long_is_kept_as_json() {
    let rows: Vec<_> = (0..20_000).map(|row| format!(r#"{{"row":{row}}}"#)).collect();
    let structured = format!(r#"{{"rows":[{}]}}"#, rows.join(","));
    let apart = format!(r#"{{"content":[],"structuredContent":{structured}}}"#);
    let text = text_item(&structured);
    let same = format!(r#"{{"content":[{text}],"structuredContent":{structured}}}"#);
    let (_folder, [store, _]) = stores();
    let script = giving(&[("apart", &apart), ("same", &same)]);
    let gate = keeping(Gate::open().server("one", script), &store);
    for (tool, mime) in [("apart", "application/json"), ("same", "text/plain")] {
        let cut = called(&gate, tool, of("ada")).await;
        assert!(cut.len() < 20_000 && !cut.contains("structuredContent"), "{tool}");
        let addresses = addresses(&cut);
        assert!(addresses.iter().all(|uri| *uri == addresses[0]), "{tool} is kept once");
        let (artifact, bytes) = kept(&store, &addresses[0]).await;
        assert_eq!(artifact.mime, mime);
        assert!(bytes == structured.as_bytes(), "{tool}");
    }
}

#[tokio::test]
async fn where_nothing_is_kept_nothing_is_lost() {
    let (gate, _folder) = gate(false);
    let whole = call(&gate, CallTarget::exact(id("one"), "long"), "{}", "ada").await.unwrap();
    assert!(whole.contains("line 20000"));
}

#[tokio::test]
async fn a_disk_that_takes_nothing_costs_no_result() {
    let (gate, folder) = gate(true);
    // In the way of the folder for what is kept.
    std::fs::write(folder.path().join("artifacts"), "").unwrap();
    let whole = called(&gate, "long", of("ada")).await;
    assert!(whole.contains("line 20000") && !whole.contains(SCHEME));
}

#[tokio::test]
async fn results_are_masked_where_the_entry_says_so_and_nowhere_else() {
    const SECRET: &str = "hunter2-of-the-north";
    let short = format!(r#"{{ "content":[{{"type":"text","text":"it is {SECRET}"}}],"n":1.50 }}"#);
    let long = text_item(&format!("{SECRET}\n{}{SECRET}", long_text()));
    let long = format!(r#"{{"content":[{long}]}}"#);
    let (_folder, [store, _]) = stores();
    for mask in [false, true] {
        let script = giving(&[("short", &short), ("long", &long)])
            .offering(r#"{"tools":{},"resources":{}}"#)
            .on("resources/read", [Act::answer(short.replace("content", "contents"))]);
        let gate = Gate::open().server_with("one", script, |server| server.mask_results = mask);
        let variables = BTreeMap::from([("API_TOKEN".to_owned(), SECRET.to_owned())]);
        let gate = keeping(gate.building(|host| host.variables(variables)), &store);
        let shown = called(&gate, "short", of("ada")).await;
        let wanted = if mask { short.replace(SECRET, "***") } else { short.clone() };
        assert_eq!(shown, wanted, "byte for byte but for the secret");
        let read = gate.host.read_resource(&id("one"), "doc:a", of("ada")).await;
        assert_eq!(result(read).unwrap().contains(SECRET), !mask);
        let cut = called(&gate, "long", of("ada")).await;
        assert_eq!(cut.contains(SECRET), !mask);
        let (_, bytes) = kept(&store, &addresses(&cut)[0]).await;
        let bytes = String::from_utf8(bytes).unwrap();
        assert_eq!(bytes.matches(SECRET).count(), if mask { 0 } else { 2 }, "also what is kept");
        assert!(bytes.contains("line 20000"));
    }
}

#[tokio::test]
async fn what_was_kept_too_long_ago_goes_when_something_new_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
    let old = NewArtifact {
        owner: adas(),
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
    call(&gate, CallTarget::exact(id("one"), "long"), "{}", "ada").await.unwrap();
    assert_eq!(store.artifact(&old.id, &adas()).await.unwrap(), None);
}

/// Inside the answer of a meta tool too: a reference to the whole, and never half a document.
#[tokio::test]
async fn what_is_called_through_the_meta_tools_is_kept_where_it_is_too_long() {
    let (_folder, stores) = stores();
    let lines = text_item(&long_text());
    let data = serde_json::to_string(&vec![long_text(); 1]).unwrap();
    let image =
        format!(r#"{{"type":"image","mimeType":"image/png","data":"{}"}}"#, "A".repeat(80_000));
    let results = [
        ("text", format!(r#"{{"content":[{lines}]}}"#)),
        ("both", format!(r#"{{"content":[{lines}],"structuredContent":{{"lines":{data}}}}}"#)),
        ("image", format!(r#"{{"content":[{image}]}}"#)),
    ];
    let given: Vec<_> = results.iter().map(|(name, result)| (*name, result.as_str())).collect();
    for store in &stores {
        let gate = keeping(Gate::open().server("one", giving(&given)), store);
        let exposure = toolgate_types::config::Exposure::Meta;
        let audience = toolgate_host::Audience { exposure, ..toolgate_host::Audience::MODEL };
        for (tool, _) in &given {
            let name = "mcp.callTool".to_owned();
            let target = CallTarget::Named { audience: audience.clone(), name: name.into() };
            let arguments = format!(r#"{{"serverId":"one","toolName":"{tool}"}}"#);
            let call = Call::new(target).arguments(json(&arguments));
            let called = within(gate.host.call(call)).await.unwrap();
            let OperationOutcome::Done(done) = called else { panic!("{called:?}") };
            let answer: serde_json::Value = serde_json::from_str(done.result.get()).unwrap();
            let result = &answer["structuredContent"]["result"];
            assert!(result["content"].is_array(), "{tool}: {result}");
            let text = result.to_string();
            assert!(text.contains(SCHEME) && text.len() <= 64_000, "{tool}: {}", text.len());
        }
    }
}
