//! Calls that wait for callers who can only come back: for how long, how many, and what is known of
//! them. What goes over the wire is shown with the gateway.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use tokio::time::Instant;
use toolgate_host::{Attendant, Audience, AudienceAddress, Call, CallOptions, CallTarget};
use toolgate_store::{AuditKind, AuditLog, AuditQuery, SqliteStore};
use toolgate_testkit::{Act, Answering, Script};
use toolgate_types::config::BundleMode;
use toolgate_types::{
    Asker, CallError, Caller, Code, InputRequest, InputRequired, OperationOutcome, Principal,
    QuestionAnswer, QuestionKind, RetryAnswers, ServerQuestion, SessionId,
};

use crate::bundles::{bundle, bundle_id};
use crate::filling_disk::FillingDisk;
use crate::gate::{Gate, Running, id, json, list, within};

/// A caller who is asked by being sent away.
pub(crate) struct ComesBack;

#[async_trait]
impl Asker for ComesBack {
    fn answers(&self, _: QuestionKind) -> bool {
        true
    }

    async fn ask(&self, ServerQuestion { kind, params, .. }: ServerQuestion) -> QuestionAnswer {
        QuestionAnswer::Defer(InputRequest { kind, params })
    }

    fn defers(&self) -> bool {
        true
    }
}

fn asking(times: usize) -> Script {
    let mut acts = vec![Act::ask("elicitation/create", r#"{"message":"who?"}"#); times];
    acts.push(Act::say("${answer:/result/content/name}"));
    Script::legacy().on("tools/list", [Act::answer(list(&["t"]))]).on_call("t", acts)
}

fn options(retry: Option<RetryAnswers>) -> CallOptions {
    let attendant = Attendant {
        asker: Arc::new(ComesBack),
        capabilities: None,
        party: None,
        takes_logs: false,
    };
    CallOptions { attendant: Some(attendant), retry, ..CallOptions::default() }
}

fn call(retry: Option<RetryAnswers>) -> Call {
    let target = CallTarget::exact(id("one"), "t");
    Call::new(target).arguments(json(r#"{"a":1}"#)).options(options(retry))
}

async fn asked(gate: &Running) -> InputRequired {
    match within(gate.host.call(call(None))).await.unwrap() {
        OperationOutcome::InputRequired(required) => required,
        other => panic!("{other:?}"),
    }
}

fn answers(asked: &InputRequired) -> RetryAnswers {
    let answer = || json(r#"{"action":"accept","content":{"name":"Ada"}}"#);
    let responses = asked.questions.iter().map(|one| (one.key.clone(), answer())).collect();
    RetryAnswers { responses, state: asked.state.clone(), approval: None }
}

async fn retried(gate: &Running, asked: &InputRequired) -> Result<OperationOutcome, CallError> {
    within(gate.host.call(call(Some(answers(asked))))).await
}

fn calls(gate: &Running) -> usize {
    gate.peers.received("one", r#""method":"tools/call""#)
}

#[tokio::test(start_paused = true)]
async fn a_call_that_nobody_answers_in_time_is_cancelled_at_its_server() {
    let gate = Gate::open().server("one", asking(1)).run();
    let required = asked(&gate).await;
    tokio::time::sleep(Duration::from_secs(15 * 60 + 1)).await;
    within(gate.peers.last("one").received("notifications/cancelled")).await;
    let error = retried(&gate, &required).await.unwrap_err();
    assert!(error.message.contains("in time"), "{error}");
    assert_eq!(calls(&gate), 1);
}

/// An hour of thought, in pieces that are each short enough, is no reason to give up.
#[tokio::test(start_paused = true)]
async fn each_question_has_its_own_time() {
    let gate = Gate::open().server("one", asking(6)).run();
    let mut required = asked(&gate).await;
    for _ in 0..5 {
        tokio::time::sleep(Duration::from_secs(14 * 60)).await;
        required = match retried(&gate, &required).await.unwrap() {
            OperationOutcome::InputRequired(required) => required,
            other => panic!("{other:?}"),
        };
    }
    let OperationOutcome::Done(done) = retried(&gate, &required).await.unwrap() else { panic!() };
    assert!(done.result.get().contains("Ada"), "{}", done.result);
    assert_eq!(calls(&gate), 1);
}

#[tokio::test(start_paused = true)]
async fn so_many_wait_and_one_more_is_cancelled_at_its_server() {
    // Over one pipe a question cannot be told to be about one of several calls: a server each.
    let names: Vec<_> = (0..33).map(|number| format!("s{number}")).collect();
    let open = |gate: Gate, name: &String| gate.server(name, asking(1));
    let gate = names.iter().fold(Gate::open(), open).run();
    let call = |server: &str| {
        let target = CallTarget::exact(id(server), "t");
        Call::new(target).options(options(None))
    };
    for name in &names[..32] {
        let outcome = within(gate.host.call(call(name))).await.unwrap();
        assert!(matches!(outcome, OperationOutcome::InputRequired(_)), "{name}: {outcome:?}");
    }
    let error = within(gate.host.call(call("s32"))).await.unwrap_err();
    assert_eq!(error.code, Code::ResourceExhausted, "{error}");
    within(gate.peers.last("s32").received("notifications/cancelled")).await;
}

/// Another run of the program knows of no parked call: it says so, and makes none.
///
/// Shows: E-1.
#[tokio::test]
async fn what_another_run_parked_has_an_unknown_outcome_and_is_not_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
    let run = || {
        let (kept, log) = (Arc::clone(&store), Arc::clone(&store));
        let build = |host: toolgate_host::HostBuilder| host.store(kept).audit(log);
        Gate::open().server("one", asking(1)).building(build).run()
    };
    let before = run();
    let required = asked(&before).await;
    drop(before);
    let after = run();
    let error = retried(&after, &required).await.unwrap_err();
    assert_eq!(error.code, Code::Unavailable);
    assert!(error.message.contains("outcome of this call is not known"), "{error}");
    assert_eq!(calls(&after), 0);
}

/// Shows: S3-45.
#[tokio::test]
async fn each_round_has_a_record_and_all_of_them_the_same_chain() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
    let (kept, log) = (Arc::clone(&store), Arc::clone(&store));
    let gate =
        Gate::open().server("one", asking(2)).building(|host| host.store(kept).audit(log)).run();
    let first = asked(&gate).await;
    let Ok(OperationOutcome::InputRequired(second)) = retried(&gate, &first).await else {
        panic!()
    };
    let Ok(OperationOutcome::Done(_)) = retried(&gate, &second).await else { panic!() };
    gate.host.close_all().await;
    let mut rows = store.audit(AuditQuery { limit: 100, ..AuditQuery::default() }).await.unwrap();
    rows.sort_by_key(|row| row.sequence);
    let ends: Vec<_> = rows.iter().filter(|row| row.entry.kind == AuditKind::End).collect();
    let outcomes: Vec<_> =
        ends.iter().map(|row| (row.entry.round, row.entry.outcome.as_deref().unwrap())).collect();
    assert_eq!(outcomes, [(0, "input_required"), (1, "input_required"), (2, "done")]);
    let chain = |body: &str| -> Option<String> {
        let body: serde_json::Value = serde_json::from_str(body).unwrap();
        body["chain"].as_str().map(str::to_owned)
    };
    for row in &ends {
        assert_eq!(chain(&row.entry.body).as_deref(), Some(ends[0].entry.correlation.as_str()));
        assert_eq!(row.entry.tool.as_deref(), Some("t"));
    }
}

/// The way to tools that are not listed is a way there and back.
#[tokio::test(start_paused = true)]
async fn a_call_through_the_meta_tools_is_parked_and_goes_on() {
    let gate = Gate::open()
        .server("one", asking(1))
        .configured(|config| bundle(config, "all", "one", BundleMode::Meta, &["*"]))
        .run();
    let audience = Audience::at(AudienceAddress::Bundles(vec![bundle_id("all")]));
    let through = |retry| {
        let name = "mcp_call_tool".to_owned();
        let target = CallTarget::Named { audience: audience.clone(), name: name.into() };
        let arguments = json(r#"{"serverId":"one","toolName":"t","args":{"a":1}}"#);
        Call::new(target).arguments(arguments).options(options(retry))
    };
    let required = match within(gate.host.call(through(None))).await {
        Ok(OperationOutcome::InputRequired(required)) => required,
        other => panic!("{other:?}"),
    };
    let retry = Some(answers(&required));
    let outcome = within(gate.host.call(through(retry))).await.unwrap();
    assert!(matches!(outcome, OperationOutcome::Done(_)), "{outcome:?}");
    assert_eq!(calls(&gate), 1);
}

/// A call of somebody, who comes back with answers or gives them at once.
fn call_of(party: &str, tool: &str, asker: Arc<dyn Asker>, retry: Option<RetryAnswers>) -> Call {
    let party = Some(Arc::from(party));
    let attendant = Attendant { asker, capabilities: None, party, takes_logs: false };
    let session = attendant.party.as_deref().map(|party| SessionId(party.to_owned()));
    let caller = Caller { session, ..Caller::new(Principal::local_user(), Path::new("/")) };
    let (caller, attendant) = (Some(Arc::new(caller)), Some(attendant));
    let options = CallOptions { caller, attendant, retry, ..CallOptions::default() };
    Call::new(CallTarget::exact(id("one"), tool)).arguments(json(r#"{"a":1}"#)).options(options)
}

async fn asked_of(gate: &Running, party: &str) -> InputRequired {
    let call = call_of(party, "t", Arc::new(ComesBack), None);
    match within(gate.host.call(call)).await.unwrap() {
        OperationOutcome::InputRequired(required) => required,
        other => panic!("{other:?}"),
    }
}

/// Over one pipe nobody can tell whose question the next one is as long as another's waits. Who does not
/// come back for half a minute loses the call to whoever needs the server.
#[tokio::test(start_paused = true)]
async fn a_question_that_nobody_comes_back_for_gives_way_to_the_next_caller() {
    let gate = Gate::open().server("one", asking(1)).run();
    let abandoned = asked_of(&gate, "ada").await;
    // Whose it is was not clear: it is refused, once.
    let call = call_of("bob", "t", Arc::new(ComesBack), None);
    let outcome = within(gate.host.call(call)).await;
    assert!(!matches!(outcome, Ok(OperationOutcome::InputRequired(_))), "{outcome:?}");
    let began = Instant::now();
    let required = asked_of(&gate, "bob").await;
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    within(gate.peers.last("one").received("notifications/cancelled")).await;
    let call = call_of("bob", "t", Arc::new(ComesBack), Some(answers(&required)));
    let OperationOutcome::Done(done) = within(gate.host.call(call)).await.unwrap() else {
        panic!()
    };
    assert!(done.result.get().contains("Ada"), "{}", done.result);
    let call = call_of("ada", "t", Arc::new(ComesBack), Some(answers(&abandoned)));
    let error = within(gate.host.call(call)).await.unwrap_err();
    assert!(error.message.contains("not answered in time"), "{error}");
}

/// The same where every call has the server to itself already.
#[tokio::test(start_paused = true)]
async fn whoever_answers_within_half_a_minute_loses_nothing_to_the_next_caller() {
    let gate = Gate::open().server("one", asking(1)).run();
    asked_of(&gate, "ada").await;
    let _ = within(gate.host.call(call_of("bob", "t", Arc::new(ComesBack), None))).await;
    let second = asked_of(&gate, "bob").await;
    let host = gate.host.clone();
    let call = call_of("cyd", "t", Arc::new(ComesBack), None);
    let third = tokio::spawn(async move { host.call(call).await });
    tokio::time::sleep(Duration::from_secs(25)).await;
    assert!(!third.is_finished());
    let call = call_of("bob", "t", Arc::new(ComesBack), Some(answers(&second)));
    let outcome = within(gate.host.call(call)).await.unwrap();
    assert!(matches!(outcome, OperationOutcome::Done(_)), "{outcome:?}");
    let third = within(third).await.unwrap().unwrap();
    assert!(matches!(third, OperationOutcome::InputRequired(_)), "{third:?}");
    let began = Instant::now();
    asked_of(&gate, "dan").await;
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}

/// Nobody else can come back with what its calls wait for.
#[tokio::test(start_paused = true)]
async fn the_questions_of_a_session_end_with_it() {
    let gate = Gate::open().server("one", asking(1)).run();
    let began = Instant::now();
    asked_of(&gate, "ada").await;
    gate.host.end_session(&SessionId("bob".to_owned())).await;
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(gate.peers.received("one", "notifications/cancelled"), 0);
    gate.host.end_session(&SessionId("ada".to_owned())).await;
    within(gate.peers.last("one").received("notifications/cancelled")).await;
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}

/// A server that asks for folders while another caller's question waits is told those of whoever is at
/// work: there is nothing in that question that another could overhear.
#[tokio::test(start_paused = true)]
async fn folders_are_asked_of_whoever_is_at_work_while_another_question_waits() {
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["t", "where"]))])
        .on_call("t", [Act::ask("elicitation/create", r#"{"message":"who?"}"#), Act::say("done")])
        .on_call(
            "where",
            [Act::ask("roots/list", "{}"), Act::answer(r#"{"content":[],"told":${answer}}"#)],
        );
    let gate = Gate::open().server("one", script).run();
    asked_of(&gate, "ada").await;
    let own = r#"{"roots":[{"uri":"file:///of/bob"}]}"#;
    let bob = Arc::new(Answering::new().with(QuestionKind::Roots, own));
    let outcome = within(gate.host.call(call_of("bob", "where", bob, None))).await.unwrap();
    let OperationOutcome::Done(done) = outcome else { panic!("{outcome:?}") };
    assert!(done.result.get().contains("file:///of/bob"), "{}", done.result);
}

/// A round that cannot be written down does not happen: its answers are not handed on, the call waits as
/// it did, and with room on the disk the very same answers carry it on. Nothing is made twice.
///
/// Shows: E-1.
#[tokio::test]
async fn a_round_that_cannot_be_recorded_is_refused_and_goes_on_once_it_can() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
    let disk = FillingDisk { store: Arc::clone(&store), is_full: AtomicBool::new(false) };
    let disk = Arc::new(disk);
    let (kept, log) = (Arc::clone(&store), Arc::clone(&disk));
    let gate =
        Gate::open().server("one", asking(2)).building(|host| host.store(kept).audit(log)).run();
    let first = asked(&gate).await;
    disk.is_full.store(true, Ordering::Relaxed);
    for _ in 0..2 {
        let error = retried(&gate, &first).await.unwrap_err();
        assert_eq!(error.code, Code::Unavailable, "{error}");
        assert!(error.message.contains("could not be recorded"), "{error}");
    }
    // Nor is another call begun.
    let another = within(gate.host.call(call(None))).await.unwrap_err();
    assert_eq!(another.code, Code::Unavailable, "{another}");
    assert_eq!(calls(&gate), 1);
    assert_eq!(gate.peers.received("one", r#""action":"accept""#), 0);
    assert_eq!(gate.peers.received("one", "notifications/cancelled"), 0);
    disk.is_full.store(false, Ordering::Relaxed);
    let Ok(OperationOutcome::InputRequired(second)) = retried(&gate, &first).await else {
        panic!()
    };
    disk.is_full.store(true, Ordering::Relaxed);
    let error = retried(&gate, &second).await.unwrap_err();
    assert_eq!(error.code, Code::Unavailable, "{error}");
    disk.is_full.store(false, Ordering::Relaxed);
    let Ok(OperationOutcome::Done(done)) = retried(&gate, &second).await else { panic!() };
    assert!(done.result.get().contains("Ada"), "{}", done.result);
    assert_eq!(calls(&gate), 1);
    assert_eq!(gate.peers.received("one", r#""action":"accept""#), 2);
}

/// It is given up as one is that asks by its results.
#[tokio::test]
async fn a_server_that_asks_forever_is_given_up_and_hears_of_it() {
    let gate = Gate::open().server("one", asking(100)).run();
    let mut required = asked(&gate).await;
    for _ in 0..9 {
        required = match retried(&gate, &required).await.unwrap() {
            OperationOutcome::InputRequired(required) => required,
            other => panic!("{other:?}"),
        };
    }
    let error = retried(&gate, &required).await.unwrap_err();
    assert_eq!(error.code, Code::ResourceExhausted, "{error}");
    within(gate.peers.last("one").received("notifications/cancelled")).await;
    assert_eq!(calls(&gate), 1);
}
