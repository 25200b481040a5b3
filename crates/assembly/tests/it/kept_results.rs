//! Results that are too long, from a server through a whole host to the tools that read them.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tempfile::TempDir;
use toolgate_host::{
    ApprovalMode, Call, CallError, CallOptions, CallTarget, Host, OutputPart, Tool, ToolOutput,
};
use toolgate_servers::WorkflowServer;
use toolgate_store::{ArtifactStore, SqliteStore, WorkBook};
use toolgate_types::config::{Config, LimitsSection};
use toolgate_types::{Caller, OperationOutcome, Principal, ServerId};

/// Says as many lines as it is asked for.
struct Talker(Box<RawValue>);

#[async_trait]
impl Tool for Talker {
    fn name(&self) -> &str {
        "talk"
    }

    fn description(&self) -> &str {
        "Talks."
    }

    fn parameters(&self) -> &RawValue {
        &self.0
    }

    async fn call(&self, arguments: Box<RawValue>) -> Result<ToolOutput, CallError> {
        let arguments: Value = serde_json::from_str(arguments.get()).unwrap();
        let text = said(arguments["lines"].as_u64().unwrap());
        Ok(ToolOutput { is_error: false, parts: vec![OutputPart::Text(text)] })
    }
}

fn said(lines: u64) -> String {
    (0..lines).map(|line| format!("This is line {line} of what it says.\n")).collect()
}

struct House(Host);

impl House {
    fn at(workspace: &TempDir, store: &Arc<SqliteStore>, limits: LimitsSection) -> Self {
        let schema = json!({ "type": "object" });
        let schema = serde_json::value::to_raw_value(&schema).unwrap();
        let (book, artifacts) =
            (Arc::clone(store) as Arc<dyn WorkBook>, Arc::clone(store) as Arc<dyn ArtifactStore>);
        let folder = workspace.path().to_owned();
        let workflow = WorkflowServer::new(folder, book, Arc::clone(&artifacts), None);
        let config = Config { limits, ..Config::default() };
        let talker: Arc<dyn Tool> = Arc::new(Talker(schema));
        let host = Host::builder()
            .config(config)
            .workspace(workspace.path())
            .artifacts(artifacts)
            .own_tools(id("talker"), ApprovalMode::Approve, vec![talker])
            .own_tools(id("workflow"), ApprovalMode::Approve, workflow.tools());
        Self(host.build())
    }

    async fn call(&self, who: &str, server: &str, tool: &str, arguments: Value) -> Value {
        let caller = Caller::new(Principal::named(who), "/");
        let options = CallOptions { caller: Some(caller.into()), ..CallOptions::default() };
        let arguments = serde_json::value::to_raw_value(&arguments).unwrap();
        let call = Call::new(CallTarget::exact(id(server), tool));
        let outcome = self.0.call(call.arguments(arguments).options(options)).await.unwrap();
        let OperationOutcome::Done(done) = outcome else { panic!("it asks nobody") };
        assert!(done.result.get().len() < 64 << 10, "{} bytes", done.result.get().len());
        serde_json::from_str(done.result.get()).unwrap()
    }
}

fn id(name: &str) -> ServerId {
    ServerId::parse(name).unwrap()
}

fn artifact_in(result: &Value) -> String {
    let text = result.to_string();
    let at = text.find("toolgate://artifact/").expect("a reference");
    text[at..at + "toolgate://artifact/".len() + 32].to_owned()
}

/// Shows: C26, S2-4.
#[tokio::test]
async fn thirty_one_megabytes_are_read_to_the_last_byte_by_the_tools() {
    let (state, workspace, elsewhere) =
        (TempDir::new().unwrap(), TempDir::new().unwrap(), TempDir::new().unwrap());
    let store = Arc::new(SqliteStore::open(state.path()).unwrap());
    let house = House::at(&workspace, &store, LimitsSection::default());
    let lines = 900_000;
    let text = said(lines);
    assert!(text.len() > 31_000_000);
    // The tool has to be listed for it to be named.
    house.0.tools().await;
    let result = house.call("ada", "talker", "talk", json!({ "lines": lines })).await;
    assert!(result.to_string().contains("artifact_read"), "{result}");
    let uri = artifact_in(&result);
    let (mut whole, mut next) = (String::new(), json!(0));
    while !next.is_null() {
        let arguments = json!({ "artifact": uri, "start_byte": next });
        let part = house.call("ada", "workflow", "artifact_read", arguments).await;
        let part = &part["structuredContent"];
        whole.push_str(part["text"].as_str().unwrap());
        next = part["next_byte"].clone();
    }
    let whole: Value = serde_json::from_str(&whole).unwrap();
    assert!(whole["content"][0]["text"] == text, "every byte of it");

    let search = json!({ "artifact": uri, "pattern": "line 899999 " });
    let found = house.call("ada", "workflow", "artifact_search", search.clone()).await;
    assert_eq!(found["structuredContent"]["matches"].as_array().unwrap().len(), 1, "{found}");
    let other = House::at(&elsewhere, &store, LimitsSection::default());
    for (house, who) in [(&house, "bob"), (&other, "ada")] {
        let result = house.call(who, "workflow", "artifact_search", search.clone()).await;
        assert_eq!(result["isError"], true, "{result}");
    }
    house.0.close_all().await;
    other.0.close_all().await;
}

#[tokio::test]
async fn ten_thousand_artifacts_stay_within_the_quota() {
    let (state, workspace) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let store = Arc::new(SqliteStore::open(state.path()).unwrap());
    let limits =
        LimitsSection { result_bytes: 200, artifact_bytes: 100_000, ..LimitsSection::default() };
    let house = House::at(&workspace, &store, limits);
    let mut last = Value::Null;
    for number in 0..10_000 {
        last = house.call("ada", "talker", "talk", json!({ "lines": 10 })).await;
        if number % 100 == 0 {
            assert!(store.artifact_bytes().await.unwrap() <= 100_000);
        }
    }
    let kept = store.artifact_bytes().await.unwrap();
    assert!((80_000..=100_000).contains(&kept), "{kept} bytes");
    let files = std::fs::read_dir(state.path().join("artifacts")).unwrap().count();
    assert!(files < 400, "{files} files");
    let arguments = json!({ "artifact": artifact_in(&last), "start_line": 1, "end_line": 1 });
    let read = house.call("ada", "workflow", "artifact_read", arguments).await;
    assert_ne!(read["isError"], true, "the newest is there: {read}");
    house.0.close_all().await;
}
