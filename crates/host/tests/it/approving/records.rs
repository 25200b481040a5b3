//! What is written down of an approval.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use toolgate_host::{
    ApprovalChoice, ApprovalQueue, ApprovalVerdict, Approver, Call, CallOptions, CallTarget,
    ResultReader,
};
use toolgate_store::{AuditKind, AuditLog as _, AuditQuery, AuditRow, SqliteStore};
use toolgate_testkit::{Act, Script};
use toolgate_types::{
    CallEnding, CallRef, HostEvent, HostListener, Milliseconds, OperationOutcome, since_1970,
};

use super::{
    DENY, ONCE, Says, Shop, asking, call_in, caller, git, options, push, say_seen,
    waving_poke_through, word,
};
use crate::gate::{Gate, id, json, list, within};

/// A shop whose calls are written down.
struct Ledger {
    shop: Shop,
    store: Arc<SqliteStore>,
    _folder: tempfile::TempDir,
}

impl Ledger {
    fn of(says: Says) -> Self {
        Self::around(says, asking())
    }

    fn around(says: Says, gate: Gate) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
        let (kept, log) = (Arc::clone(&store), Arc::clone(&store));
        let gate = gate
            .server_with("git", git(), waving_poke_through)
            .building(|host| host.store(kept).audit(log));
        let shop = Shop::at(ApprovalQueue::new(None), says, gate).with_queue();
        Self { shop, store, _folder: folder }
    }

    /// Waits until so many rows of this kind are written.
    async fn rows(&self, kind: AuditKind, count: usize) -> Vec<AuditRow> {
        let mut rows = Vec::new();
        within(async {
            while rows.len() < count {
                self.shop.host.settle().await;
                let all = AuditQuery { limit: 1000, ..AuditQuery::default() };
                rows = self.store.audit(all).await.unwrap();
                rows.retain(|row| row.entry.kind == kind);
            }
        })
        .await;
        assert_eq!(rows.len(), count, "{rows:?}");
        rows.sort_by_key(|row| row.sequence);
        rows
    }

    async fn decision(&self) -> (AuditRow, serde_json::Value) {
        let row = self.rows(AuditKind::Decision, 1).await.remove(0);
        let body = serde_json::from_str(&row.entry.body).unwrap();
        (row, body)
    }
}

/// Shows: S3-25, S3-50.
#[tokio::test]
async fn an_approval_is_written_down_with_who_when_what_and_how() {
    let before = since_1970(SystemTime::now());
    let ledger = Ledger::of(ONCE);
    assert_eq!(ledger.shop.call(push()).await, "done");
    let waited = ledger.shop.asked().await;
    let reference = waited.reference;
    let caller = waited.request.caller.clone().expect("whose call it is");
    assert_eq!((caller.principal.as_str(), caller.workspace.to_str()), ("ada", Some("/code")));
    let (row, body) = ledger.decision().await;
    let entry = &row.entry;
    assert_eq!(entry.workspace.as_deref(), Some("/code"));
    assert!((before..=since_1970(SystemTime::now())).contains(&entry.at), "{entry:?}");
    assert_eq!(entry.session.as_deref(), Some("s"));
    assert_eq!((entry.principal.as_str(), entry.client.as_deref()), ("ada", Some("codex")));
    assert_eq!((entry.server.as_deref(), entry.tool.as_deref()), (Some("git"), Some("push")));
    assert_eq!(entry.outcome.as_deref(), Some("approved"));
    assert_eq!(body["approval"]["ref"], reference.as_str());
    assert_eq!(body["approval"]["choice"], "once");
    assert_eq!(body["approval"]["channel"], "agent");
    assert_eq!(body["decision"], "ask");
    let end = ledger.rows(AuditKind::End, 1).await.remove(0);
    assert_eq!(end.entry.correlation, entry.correlation, "one call");
    let whole: serde_json::Value = serde_json::from_str(&end.entry.body).unwrap();
    let hash = body["arguments_hash"].as_str().expect("a hash of the arguments");
    assert_eq!(whole["arguments_hash"], hash);
    assert!(!entry.body.contains("1.50"), "and not themselves: {}", entry.body);
}

/// Shows: S3-25.
#[tokio::test]
async fn a_no_is_written_down_with_who_said_it() {
    let ledger = Ledger::of(Says::Waits);
    let call = ledger.shop.begin(push());
    let waiting = ledger.shop.asked().await;
    let approver = Approver { processes: Some("bash 7".to_owned()), ..Approver::over("queue") };
    let reason = Some("not today".to_owned());
    let verdict = ApprovalVerdict { choice: ApprovalChoice::Deny, approver, reason, seen: None };
    ledger.shop.approvals.answer(&waiting.reference, verdict).unwrap();
    assert_eq!(word(&within(call).await.unwrap()), "denied");
    let (row, body) = ledger.decision().await;
    assert_eq!(row.entry.outcome.as_deref(), Some("denied"));
    let approval = &body["approval"];
    assert_eq!((&approval["choice"], &approval["channel"]), (&"deny".into(), &"queue".into()));
    assert_eq!(approval["processes"], "bash 7");
    assert_eq!(approval["said"], "not today");
}

/// Shows: S3-25, G4.
#[tokio::test]
async fn that_nobody_answered_or_could_is_written_down_too() {
    let soon =
        asking().configured(|config| config.approval.timeout = Milliseconds::at_least_one(1));
    let ledger = Ledger::around(Says::Waits, soon);
    assert_eq!(ledger.shop.call(push()).await, "expired");
    let (row, body) = ledger.decision().await;
    assert_eq!(row.entry.outcome.as_deref(), Some("expired"));
    assert!(body["approval"].get("channel").is_none(), "{body}");
    let only_agents = asking().configured(|config| {
        config.approval.channels = vec![toolgate_types::config::Channel::Agent];
    });
    let ledger = Ledger::around(Says::NoChannel, only_agents);
    assert_eq!(ledger.shop.call(push()).await, "no_channel");
    let (row, body) = ledger.decision().await;
    assert_eq!(row.entry.outcome.as_deref(), Some("denied"));
    assert_eq!(body["approval"]["said"], "there was nobody to ask");
}

/// However it ends: given up by its caller, or dropped with it.
#[tokio::test]
async fn a_call_that_is_given_up_while_it_is_held_is_withdrawn() {
    for is_dropped in [false, true] {
        let ledger = Ledger::of(Says::Waits);
        let mut call = push();
        let cancel = call.options.cancel.insert(CancellationToken::new()).clone();
        let call = ledger.shop.begin(call);
        ledger.shop.asked().await;
        if is_dropped {
            call.abort();
            assert!(within(call).await.unwrap_err().is_cancelled());
        } else {
            cancel.cancel();
            assert_eq!(word(&within(call).await.unwrap()), "cancelled");
        }
        assert!(ledger.shop.approvals.waiting().is_empty());
        let (row, _) = ledger.decision().await;
        assert_eq!(row.entry.outcome.as_deref(), Some("withdrawn"));
        let end = ledger.rows(AuditKind::End, 1).await.remove(0);
        let expected = if is_dropped { "aborted" } else { "failed" };
        assert_eq!(end.entry.outcome.as_deref(), Some(expected));
        assert_eq!(ledger.shop.calls(), 0);
    }
}

/// Shows: S3-25, S3-26.
#[tokio::test]
async fn what_is_done_by_an_earlier_answer_names_it_and_asks_nobody() {
    let ledger = Ledger::of(Says::Waits);
    let call = ledger.shop.begin(push());
    ledger.shop.answer(ApprovalChoice::Session).await;
    assert_eq!(word(&within(call).await.unwrap()), "done");
    assert_eq!(ledger.shop.call(push()).await, "done");
    let (_, body) = ledger.decision().await;
    assert_eq!(body["approval"]["choice"], "session");
    let ends = ledger.rows(AuditKind::End, 2).await;
    assert!(ends[1].entry.body.contains(r#""decision":"allow""#), "{}", ends[1].entry.body);
    ledger.shop.person.says(DENY);
    assert_eq!(ledger.shop.call(call_in(Some("s"), "pull")).await, "denied");
    ledger.rows(AuditKind::Decision, 2).await;
}

/// The steps before are taken twice, and each is named once: a person's time among them.
#[tokio::test]
async fn a_persons_time_is_counted_as_that() {
    let ledger = Ledger::of(Says::Waits);
    let call = ledger.shop.begin(push());
    let waiting = ledger.shop.asked().await;
    // Somebody thinks about it for at least as long.
    tokio::time::sleep(Duration::from_millis(20)).await;
    say_seen(&ledger.shop.approvals, &waiting.reference, ApprovalChoice::Once).unwrap();
    assert_eq!(word(&within(call).await.unwrap()), "done");
    let end = ledger.rows(AuditKind::End, 1).await.remove(0);
    for step in ["resolve", "check", "decide", "approve", "perform"] {
        assert_eq!(
            end.entry.body.matches(&format!("\"{step}\":")).count(),
            1,
            "{}",
            end.entry.body
        );
    }
    let body: serde_json::Value = serde_json::from_str(&end.entry.body).unwrap();
    assert!(body["steps_us"]["approve"].as_u64().unwrap() >= 20_000, "{body}");
}

/// A call that began, or that ended after so long.
#[derive(Clone)]
struct ToldCall(Arc<CallRef>, Option<(Duration, CallEnding)>);

/// What is told of calls.
#[derive(Default)]
struct CallNews(watch::Sender<Vec<ToldCall>>);

impl HostListener for CallNews {
    fn happened(&self, event: HostEvent) {
        let told = match event {
            HostEvent::CallBegan { call } => ToldCall(call, None),
            HostEvent::CallEnded { call, duration, ending } => {
                ToldCall(call, Some((duration, ending)))
            }
            _ => return,
        };
        self.0.send_modify(|all| all.push(told));
    }
}

/// Shows: S4-18, S4-23.
#[tokio::test]
async fn a_call_takes_its_steps_in_order_and_its_begin_and_end_say_which_and_how_long() {
    let image = r#"{"content":[{"type":"text","text":"a cat"},{"type":"image","mimeType":"image/png","data":"aGVsbG8gd29ybGQ="}]}"#;
    let camera = Script::legacy()
        .on("tools/list", [Act::answer(list(&["look"]))])
        .on_call("look", [Act::hold("go"), Act::answer(image)]);
    let news = Arc::new(CallNews::default());
    let listener = Arc::clone(&news) as Arc<dyn HostListener>;
    let gate = asking().server("camera", camera).building(|host| host.listener(listener));
    let ledger = Ledger::around(Says::Waits, gate);
    let reader = ResultReader { takes_media: false, ..ResultReader::default() };
    let options = CallOptions { reader, ..options(caller(Some("s"))) };
    let target = CallTarget::exact(id("camera"), "look");
    let started = Instant::now();
    let call = Call::new(target).arguments(json(r#"{"at":"cats"}"#)).options(options);
    let running = ledger.shop.begin(call);
    let waiting = ledger.shop.asked().await;
    assert!(news.0.borrow().is_empty(), "nothing has begun while a person is asked");
    assert_eq!(ledger.shop.gate.peers.received("camera", "tools/call"), 0);
    say_seen(&ledger.shop.approvals, &waiting.reference, ApprovalChoice::Once).unwrap();
    within(news.0.subscribe().wait_for(|told| told.len() == 1)).await.unwrap();
    let least = Duration::from_millis(20);
    tokio::time::sleep(least).await;
    ledger.shop.gate.peers.last("camera").signal("go");
    let outcome = within(running).await.unwrap().unwrap();
    let OperationOutcome::Done(done) = outcome else { panic!("{outcome:?}") };
    let output = done.result.get();
    assert!(output.contains("a cat") && output.contains("image/png"), "{output}");
    assert!(!output.contains("aGVsbG8"), "who takes no images gets none: {output}");
    let told = news.0.borrow().clone();
    let [ToldCall(began, None), ToldCall(ended, Some((duration, CallEnding::Done)))] = &told[..]
    else {
        panic!("one begin and one end")
    };
    for call in [began, ended] {
        assert_eq!((&call.server, call.word), (&Some(id("camera")), "call"));
        assert_eq!((&*call.target, &call.correlation), ("look", &began.correlation));
    }
    assert!((least..=started.elapsed()).contains(duration), "{duration:?}");
    let end = ledger.rows(AuditKind::End, 1).await.remove(0).entry;
    assert_eq!(end.correlation, began.correlation.to_string());
    let (_, steps) = end.body.split_once(r#""steps_us":{"#).unwrap();
    let (steps, _) = steps.split_once('}').unwrap();
    let steps: Vec<_> = steps.split(',').map(|step| step.split('"').nth(1).unwrap()).collect();
    let order = ["resolve", "check", "decide", "approve", "record", "perform", "screen"];
    assert_eq!(steps, order, "{}", end.body);
}

/// How long a person took, and that a machine answered before them.
#[tokio::test]
async fn the_milliseconds_of_an_answer_are_written_down_and_a_machines_answer_as_one() {
    let slow = asking().configured(|config| {
        config.approval.fastest_answer = Duration::from_secs(3600);
    });
    let ledger = Ledger::around(ONCE, slow);
    let call = ledger.shop.begin(push());
    let waiting = ledger.shop.asked().await;
    ledger.rows(AuditKind::Decision, 1).await;
    let approver = Approver::over("queue").after(Duration::from_millis(1234));
    let seen = Some(waiting.request.shown.digest());
    let choice = ApprovalChoice::Once;
    let verdict = ApprovalVerdict { choice, approver, reason: None, seen };
    ledger.shop.approvals.answer(&waiting.reference, verdict).unwrap();
    assert_eq!(word(&within(call).await.unwrap()), "done");
    let rows = ledger.rows(AuditKind::Decision, 2).await;
    let body =
        |row: &AuditRow| -> serde_json::Value { serde_json::from_str(&row.entry.body).unwrap() };
    assert_eq!(rows[0].entry.outcome.as_deref(), Some("ignored"));
    assert_eq!(body(&rows[0])["approval"]["channel"], "agent");
    assert!(body(&rows[0])["approval"]["after_ms"].is_u64(), "{}", rows[0].entry.body);
    assert_eq!(rows[1].entry.outcome.as_deref(), Some("approved"));
    assert_eq!(body(&rows[1])["approval"]["after_ms"], 1234);
}
