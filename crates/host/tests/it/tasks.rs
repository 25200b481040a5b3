//! Tasks: a call that goes on after its answer. What comes of it is screened, recorded and decided about
//! as a call is, and the next run of this program knows whose it is.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use toolgate_host::{Attendant, Call, CallOptions, CallTarget, Guard, ResultReader};
use toolgate_store::{AuditLog as _, AuditQuery, AuditRow, SqliteStore};
use toolgate_testkit::{Act, Script};
use toolgate_types::config::{ApprovalMode, Config, Server, ToolSettings};
use toolgate_types::{
    CallError, Caller, Code, NobodyToAsk, OperationOutcome, Principal, TaskReport, TaskRequest,
    TaskState,
};

use crate::gate::{Gate, Running, id, json, list, within};
use crate::policy::{deny, written};

const BEGUN: &str = r#"{"resultType":"task","taskId":"t-1","status":"working","ttlMs":60000}"#;

fn report(status: &str, members: &str) -> String {
    format!(
        r#"{{"resultType":"complete","taskId":"t-1","status":"{status}","ttlMs":60000{members}}}"#
    )
}

fn done(content: &str) -> String {
    report("completed", &format!(r#","result":{{"content":[{content}]}}"#))
}

fn text(text: &str) -> String {
    format!(r#"{{"type":"text","text":{}}}"#, serde_json::to_string(text).unwrap())
}

/// A server whose tool `build` becomes a task, of which these reports are given in turn.
fn building(reports: &[&str]) -> Script {
    let reports = reports.iter().map(|report| Act::answer(*report)).collect();
    Script::modern()
        .on("tools/list", [Act::answer(list(&["build"]))])
        .on_call("build", [Act::answer(BEGUN)])
        .on("tasks/get", [Act::InTurn(reports)])
        .on("tasks/cancel", [Act::answer(r#"{"resultType":"complete"}"#)])
}

/// A caller that takes tasks.
fn of(principal: &str, workspace: &str) -> CallOptions {
    let able = r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;
    let attendant = Attendant {
        asker: Arc::new(NobodyToAsk),
        capabilities: Some(json(able).into()),
        party: None,
        takes_logs: false,
    };
    let caller = Caller::new(Principal::named(principal), workspace);
    CallOptions {
        caller: Some(caller.into()),
        attendant: Some(attendant),
        ..CallOptions::default()
    }
}

fn ada() -> CallOptions {
    of("ada", "/")
}

async fn begin(gate: &Running) -> String {
    let call = Call::new(CallTarget::exact(id("ci"), "build")).options(ada());
    match within(gate.host.call(call)).await.unwrap() {
        OperationOutcome::Task(TaskReport { id, .. }) => id,
        other => panic!("{other:?}"),
    }
}

async fn get(gate: &Running, id: &str, options: CallOptions) -> Result<TaskReport, CallError> {
    match within(gate.host.task(id, TaskRequest::Get, options)).await?.outcome {
        OperationOutcome::Task(report) => Ok(report),
        other => panic!("{other:?}"),
    }
}

fn read(report: &TaskReport) -> Value {
    serde_json::from_str(report.whole().unwrap().get()).unwrap()
}

/// Shows: S1-16, S1-84.
#[tokio::test]
async fn the_result_of_a_task_is_cut_and_kept_as_that_of_a_call() {
    let long: String = (1..=20_000).map(|line| format!("line {line}\n")).collect();
    let image = r#"{"type":"image","mimeType":"image/png","data":"aGVsbG8="}"#;
    let whole = done(&format!("{},{image}", text(&long)));
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
    for (message, how) in [(u64::MAX, "held"), (64 << 10, "spilled")] {
        let gate = Gate::open()
            .server("ci", building(&[&whole]))
            .configured(|config| {
                config.limits.message_bytes = message.min(config.limits.message_bytes);
                config.limits.result_spill_bytes = 4 << 20;
            })
            .building(|host| host.artifacts(Arc::clone(&store) as _))
            .run();
        let task = begin(&gate).await;
        let reader = ResultReader { takes_media: false, ..ResultReader::default() };
        let report = get(&gate, &task, CallOptions { reader, ..ada() }).await.unwrap();
        let whole = read(&report);
        let told = whole.to_string();
        assert_eq!(whole["taskId"], task.as_str(), "{how}");
        assert_eq!(whole["status"], "completed", "{how}");
        assert!(told.len() < 60_000, "{how}: {}", told.len());
        assert!(told.contains("line 1\\n") && !told.contains("line 19999"), "{how}");
        assert!(told.contains("toolgate://artifact/"), "{how}: {told}");
        assert!(!told.contains("aGVsbG8="), "{how}");
    }
}

/// What may stand beside a result is bounded by what a result may be.
#[tokio::test]
async fn what_a_task_says_of_itself_is_no_way_around_the_limit_of_results() {
    let long = "x".repeat(20_000);
    let message = format!(r#","statusMessage":"{long}""#);
    let error = format!(r#","error":{{"code":1,"message":"{long}"}}"#);
    for odd in [report("working", &message), report("failed", &error)] {
        let gate = Gate::open()
            .server_with("ci", building(&[&odd]), |ci| {
                let own = ToolSettings { result_bytes: Some(9_000), ..ToolSettings::default() };
                ci.tool_settings.insert("build".to_owned(), own);
            })
            .run();
        let task = begin(&gate).await;
        let refused = get(&gate, &task, ada()).await.unwrap_err();
        assert_eq!(refused.code, Code::Internal, "{refused:?}");
        assert!(refused.to_string().len() < 1000, "{refused}");
    }
}

fn kept(folder: &Path, gate: Gate) -> (Running, Arc<SqliteStore>) {
    let store = Arc::new(SqliteStore::open(folder).unwrap());
    let (host, log) = (Arc::clone(&store), Arc::clone(&store));
    (gate.building(|builder| builder.store(host).audit(log)).run(), store)
}

async fn rows(gate: &Running, store: &SqliteStore) -> Vec<AuditRow> {
    gate.host.close_all().await;
    let all = AuditQuery { limit: 1000, ..AuditQuery::default() };
    let mut rows = store.audit(all).await.unwrap();
    rows.sort_by_key(|row| row.sequence);
    rows.retain(|row| row.entry.outcome.is_some());
    rows
}

/// Shows: S1-16, S3-45.
#[tokio::test]
async fn a_task_is_written_down_when_it_begins_asks_and_ends_in_one_chain() {
    let asks = r#","inputRequests":{"w":{"method":"elicitation/create","params":{"message":"?"}}}"#;
    let failed = r#","error":{"code":-32603,"message":"API rate limit"}"#;
    let (working, asks) = (report("working", ""), report("input_required", asks));
    let (failed, cancelled) = (report("failed", failed), report("cancelled", ""));
    let bad = report("completed", r#","result":{"content":[],"isError":true}"#);
    let ok = done(&text("ok"));
    let folder = tempfile::tempdir().unwrap();
    let script = building(&[&working, &working, &asks, &ok, &bad, &failed, &cancelled]);
    let (gate, store) = kept(folder.path(), Gate::open().server("ci", script));
    let task = begin(&gate).await;
    for _ in 0..7 {
        get(&gate, &task, ada()).await.unwrap();
    }
    within(gate.host.task(&task, TaskRequest::Cancel, ada())).await.unwrap();
    let refused = get(&gate, "t-1", ada()).await.unwrap_err();
    assert_eq!((refused.code, &*refused.message), (Code::NotFound, "there is no such task"));
    let rows = rows(&gate, &store).await;
    let told: Vec<_> = rows
        .iter()
        .map(|row| {
            let body: Value = serde_json::from_str(&row.entry.body).unwrap();
            let word = body["operation"].as_str().or(body["word"].as_str()).unwrap_or("");
            let outcome = row.entry.outcome.clone().unwrap();
            (word.to_owned(), outcome, row.entry.tool.clone(), body["chain"].clone())
        })
        .collect();
    let outcomes: Vec<_> = told.iter().map(|(_, outcome, ..)| outcome.as_str()).collect();
    // That it still works is not written down each time.
    let expected =
        ["task", "input_required", "done", "tool_error", "failed", "failed", "done", "failed"];
    assert_eq!(outcomes, expected, "{told:?}");
    let first = &rows[0].entry.correlation;
    for (_, _, tool, chain) in &told[..7] {
        assert_eq!(tool.as_deref(), Some("build"), "{told:?}");
        assert_eq!(chain.as_str(), Some(first.as_str()), "{told:?}");
    }
    assert!(rows[4].entry.body.contains("API rate limit"), "{}", rows[4].entry.body);
}

/// Shows: S1-16.
#[tokio::test]
async fn an_id_holds_in_the_next_run_for_the_same_caller_in_the_same_place_at_the_same_server() {
    let folder = tempfile::tempdir().unwrap();
    let script = || building(&[&done(&text("ok"))]);
    let (gate, _) = kept(folder.path(), Gate::open().server("ci", script()));
    let task = begin(&gate).await;
    gate.host.close_all().await;
    drop(gate);
    let (gate, _) = kept(folder.path(), Gate::open().server("ci", script()));
    let report = get(&gate, &task, ada()).await.unwrap();
    assert!(matches!(report.state, TaskState::Completed(_)), "{report:?}");
    for other in [of("bob", "/"), of("ada", "/elsewhere")] {
        let refused = get(&gate, &task, other).await.unwrap_err();
        assert_eq!((refused.code, &*refused.message), (Code::NotFound, "there is no such task"));
    }
    drop(gate);
    // Another installation, and a host where the server is another.
    let elsewhere = tempfile::tempdir().unwrap();
    let (other, _) = kept(elsewhere.path(), Gate::open().server("ci", script()));
    assert_eq!(get(&other, &task, ada()).await.unwrap_err().code, Code::NotFound);
    let (other, _) = kept(folder.path(), Gate::open().server("cd", script()));
    assert_eq!(get(&other, &task, ada()).await.unwrap_err().code, Code::NotFound);
}

/// What a person approved once is not asked again each time somebody looks how it is doing; what a caller
/// may not see any more is not there.
#[tokio::test]
async fn a_task_is_decided_about_by_its_tool() {
    let folder = tempfile::tempdir().unwrap();
    let (gate, _) = kept(folder.path(), Gate::open().server("ci", building(&[&done("")])));
    let task = begin(&gate).await;
    gate.host.close_all().await;
    drop(gate);
    let under = |change: fn(&mut Config)| {
        let gate = Gate::guarded(Guard::default());
        let script = building(&[&done("")]);
        let prompt = |ci: &mut Server| ci.approval = Some(ApprovalMode::Prompt);
        kept(folder.path(), gate.server_with("ci", script, prompt).configured(change)).0
    };
    let asks = under(|_| {});
    let report = get(&asks, &task, ada()).await.unwrap();
    assert!(matches!(report.state, TaskState::Completed(_)), "{report:?}");
    drop(asks);
    let hides = under(|config| config.policies.push(written("one", deny("build"))));
    let refused = get(&hides, &task, ada()).await.unwrap_err();
    assert_eq!((refused.code, &*refused.message), (Code::NotFound, "there is no such task"));
    assert_eq!(hides.peers.received("ci", "tasks/get"), 0);
}

/// Where a call could only fail it is not made, and its caller learns why.
///
/// Shows: S1-16.
#[tokio::test]
async fn a_tool_that_is_a_task_of_the_older_revision_or_nothing_is_not_called() {
    let tools = r#"{"tools":[{"name":"must","execution":{"taskSupport":"required"}},{"name":"may","execution":{"taskSupport":"optional"}}]}"#;
    let script = |capabilities: &str| {
        Script::legacy()
            .offering(capabilities)
            .on("tools/list", [Act::answer(tools)])
            .on("tools/call", [Act::say("done")])
    };
    let declared = r#"{"tools":{},"tasks":{"requests":{"tools":{"call":{}}}}}"#;
    let gate = Gate::open()
        .server("ci", script(declared))
        .server("plain", script(r#"{"tools":{}}"#))
        .run();
    let call = async |server: &str, tool: &str| {
        let call = Call::new(CallTarget::exact(id(server), tool)).options(ada());
        within(gate.host.call(call)).await
    };
    let refused = call("ci", "must").await.unwrap_err();
    assert_eq!(refused.code, Code::Unavailable, "{refused:?}");
    assert!(refused.message.contains("only as a task"), "{refused}");
    assert_eq!(gate.peers.received("ci", "tools/call"), 0);
    // Without the capability the word means nothing.
    for (server, tool) in [("ci", "may"), ("plain", "must"), ("plain", "may")] {
        assert!(call(server, tool).await.is_ok(), "{server} {tool}");
    }
}
