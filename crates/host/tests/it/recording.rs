//! What is written down of calls, and when.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use toolgate_host::{Call, CallOptions, CallTarget, Guard};
use toolgate_store::{AuditKind, AuditLog, AuditQuery, AuditRow, AuditVerdict, SqliteStore};
use toolgate_testkit::{Act, Script};
use toolgate_types::config::{Durability, Transport};
use toolgate_types::{
    Caller, Code, EntryStanding, Era, LayerGrade, Pattern, Principal, SessionId, Trust,
};

use crate::filling_disk::FillingDisk;
use crate::gate::{Gate, Running, entry, id, json, server, within};
use crate::rounds::{Someone, wants_a_name};

/// A server with a tool that only reads, one that changes something and one that never ends.
fn desk() -> Script {
    let tools = r#"{"tools":[{"name":"read","annotations":{"readOnlyHint":true}},{"name":"write"},{"name":"wait"}]}"#;
    Script::legacy()
        .on("tools/list", [Act::answer(tools)])
        .on_call("read", [Act::say("text")])
        .on_call("write", [Act::say("done")])
        .on_call("wait", [Act::hold("never")])
}

/// Polls once, and lets others go on.
async fn poll_once<T>(mut future: std::pin::Pin<&mut impl Future<Output = T>>) -> Option<T> {
    tokio::task::yield_now().await;
    std::future::poll_fn(|context| match future.as_mut().poll(context) {
        std::task::Poll::Ready(done) => std::task::Poll::Ready(Some(done)),
        std::task::Poll::Pending => std::task::Poll::Ready(None),
    })
    .await
}

struct Desk {
    gate: Running,
    store: Arc<SqliteStore>,
    _folder: tempfile::TempDir,
}

impl Desk {
    fn of(gate: Gate) -> Self {
        Self::around(gate.server("desk", desk()))
    }

    fn around(gate: Gate) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
        let (kept, log) = (Arc::clone(&store), Arc::clone(&store));
        let gate = gate.building(|host| host.store(kept).audit(log)).run();
        Self { gate, store, _folder: folder }
    }

    async fn call(&self, tool: &str) -> Result<(), Code> {
        let target = CallTarget::exact(id("desk"), tool.to_owned());
        let caller = Caller {
            session: Some(SessionId("s-1".to_owned())),
            client: Some("codex".to_owned()),
            era: Some(Era::Modern),
            ..Caller::new(Principal::named("ada"), "/home/ada")
        };
        let options = CallOptions { caller: Some(caller.into()), ..CallOptions::default() };
        let call = Call::new(target).arguments(json(r#"{"path":"a.txt"}"#)).options(options);
        within(self.gate.host.call(call)).await.map(|_| ()).map_err(|error| error.code)
    }

    async fn rows(&self) -> Vec<AuditRow> {
        self.gate.host.close_all().await;
        let all = AuditQuery { limit: 1000, ..AuditQuery::default() };
        let mut rows = self.store.audit(all).await.unwrap();
        rows.sort_by_key(|row| row.sequence);
        rows
    }
}

/// Grants, pins, snapshots and whose call it is are in memory, and records go to a file.
#[tokio::test]
async fn a_call_asks_the_database_nothing_once_everything_was_used() {
    let desk = Desk::of(Gate::open());
    for tool in ["read", "write"] {
        desk.call(tool).await.unwrap();
    }
    let before = desk.store.times_asked();
    assert!(before > 0);
    for _ in 0..20 {
        for tool in ["read", "write"] {
            desk.call(tool).await.unwrap();
        }
    }
    assert_eq!(desk.store.times_asked(), before);
    let ends = desk.rows().await;
    let ends = ends.iter().filter(|row| row.entry.kind == AuditKind::End).count();
    assert_eq!(ends, 42);
}

/// Shows: S3-45, S3-50.
#[tokio::test]
async fn a_call_is_written_down_before_it_runs_and_again_when_it_ended() {
    let desk = Desk::of(Gate::open());
    let mut waiting = Box::pin(desk.call("wait"));
    // It runs, and does not end.
    let running = loop {
        assert!(poll_once(waiting.as_mut()).await.is_none());
        let rows = desk.store.audit(AuditQuery::default()).await.unwrap();
        if let [running] = &rows[..] {
            break running.clone();
        }
    };
    assert_eq!((running.entry.kind, running.entry.outcome), (AuditKind::Open, None));
    let begun: serde_json::Value = serde_json::from_str(&running.entry.body).unwrap();
    for known in ["word", "era", "decision", "rule", "policy", "arguments_hash", "bytes_in"] {
        assert!(!begun[known].is_null(), "{known}: {begun}");
    }
    for later in ["bytes_out", "steps_us"] {
        assert!(begun[later].is_null(), "{later}: {begun}");
    }
    drop(waiting);
    desk.call("write").await.unwrap();
    let rows = desk.rows().await;
    let [_, aborted, end] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!(aborted.entry.correlation, running.entry.correlation);
    assert_eq!(aborted.entry.outcome.as_deref(), Some("aborted"));
    // Beginning and end are one row where both were there when it was made.
    assert_eq!((end.entry.kind, end.was_opened), (AuditKind::End, true));
    let entry = &end.entry;
    assert_eq!(entry.principal, "ada");
    assert_eq!(entry.session.as_deref(), Some("s-1"));
    assert_eq!(entry.workspace.as_deref(), Some("/home/ada"));
    assert_eq!(entry.client.as_deref(), Some("codex"));
    assert_eq!((entry.server.as_deref(), entry.tool.as_deref()), (Some("desk"), Some("write")));
    assert_eq!(entry.outcome.as_deref(), Some("done"));
    assert!(entry.duration_us.is_some());
    for word in [
        "arguments_hash",
        "\"decision\":\"allow\"",
        "bytes_out",
        "steps_us",
        "perform",
        "timeout_ms",
        "\"era\":\"modern\"",
        "\"policy\":\"",
    ] {
        assert!(entry.body.contains(word), "{word}: {}", entry.body);
    }
    assert!(!entry.body.contains("a.txt"), "arguments are kept only on request: {}", entry.body);
    let verdict = desk.store.verify_audit(None).await.unwrap();
    assert!(matches!(verdict, AuditVerdict::Whole { .. }), "{verdict:?}");
}

#[tokio::test]
async fn what_only_reads_is_written_down_once_and_arguments_where_they_are_wanted() {
    let wanted = Gate::open().configured(|config| config.audit.arguments = true);
    let desk = Desk::of(wanted);
    desk.call("read").await.unwrap();
    let rows = desk.rows().await;
    let [end] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!((end.entry.kind, end.was_opened), (AuditKind::End, false));
    assert!(end.entry.body.contains("a.txt"), "{}", end.entry.body);
}

#[tokio::test]
async fn what_is_older_than_it_is_kept_goes_when_the_next_run_writes() {
    let desk = Desk::of(Gate::open().configured(|config| config.audit.retention_days = 1));
    let old = toolgate_store::AuditEntry {
        at: 1,
        kind: AuditKind::End,
        correlation: "old".to_owned(),
        round: 0,
        principal: "ada".to_owned(),
        client: None,
        role: None,
        session: None,
        workspace: None,
        server: None,
        tool: None,
        outcome: None,
        code: None,
        duration_us: None,
        body: "{}".to_owned(),
    };
    desk.store.append_audit(&[old]).await.unwrap();
    // A row from then on, as everything of an earlier run is.
    assert_eq!(desk.store.audit(AuditQuery::default()).await.unwrap().len(), 1);
    desk.call("read").await.unwrap();
    let rows = desk.rows().await;
    assert!(rows.iter().all(|row| row.entry.correlation != "old"), "{rows:?}");
    let verdict = desk.store.verify_audit(None).await.unwrap();
    assert!(matches!(verdict, AuditVerdict::Whole { .. }), "{verdict:?}");
}

#[tokio::test]
async fn refused_failed_and_abandoned_calls_are_written_down_too() {
    let desk = Desk::of(Gate::guarded(Guard::default()));
    assert_eq!(desk.call("write").await, Err(Code::PermissionDenied));
    assert_eq!(desk.call("absent").await, Err(Code::NotFound));
    let rows = desk.rows().await;
    let told: Vec<_> = rows
        .iter()
        .map(|row| (row.entry.outcome.as_deref().unwrap(), row.entry.code.as_deref().unwrap_or("")))
        .collect();
    assert_eq!(told, [("denied", ""), ("failed", "permission_denied"), ("failed", "not_found")]);
    assert!(rows[0].entry.body.contains("\"decision\":\"ask\""), "{}", rows[0].entry.body);
    let desk = Arc::new(Desk::of(Gate::open()));
    let waiting = Arc::clone(&desk);
    let call = tokio::spawn(async move { waiting.call("wait").await });
    desk.gate.events.heard("began call wait").await;
    call.abort();
    desk.gate.events.heard("ended call wait").await;
    within(call).await.unwrap_err();
    let rows = desk.rows().await;
    assert_eq!(rows.last().unwrap().entry.outcome.as_deref(), Some("aborted"), "{rows:?}");
}

/// Where it was promised that a call is written down first, and it cannot be, it is not made.
#[tokio::test]
async fn a_call_that_cannot_be_written_down_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    drop(SqliteStore::open(folder.path()).unwrap());
    let store = Arc::new(SqliteStore::open_read_only(folder.path()).unwrap());
    let (kept, log) = (Arc::clone(&store), Arc::clone(&store));
    let gate = Gate::open()
        .server("desk", desk())
        .configured(|config| config.audit.durability = Durability::BeforeCall)
        .building(|host| host.store(kept).audit(log))
        .run();
    let target = CallTarget::exact(id("desk"), "read".to_owned());
    let error = within(gate.host.call(Call::new(target))).await.unwrap_err();
    assert_eq!(error.code, Code::Unavailable);
    assert_eq!(gate.peers.received("desk", "tools/call"), 0);
}

#[tokio::test]
async fn a_record_of_a_process_names_its_wall_and_its_folder() {
    let desk = Desk::around(Gate::open().process("desk", &desk()));
    desk.call("read").await.unwrap();
    let rows = desk.rows().await;
    let body = &rows.last().unwrap().entry.body;
    assert!(body.contains(r#""sandbox":"none""#) && body.contains(r#""cwd":"/""#), "{body}");
}

/// Each round of a call that a server interrupts with a question is written down, in order, and
/// before it runs where that was promised.
#[tokio::test]
async fn every_round_of_a_call_has_its_record() {
    let asking = || Gate::open().server("desk", wants_a_name("write"));
    let someone = || Arc::new(Someone::who_answers()) as Arc<dyn toolgate_types::Asker>;
    let told = async |desk: &Desk| {
        desk.call("write").await.unwrap();
        let rows = desk.rows().await;
        let one = &rows[0].entry.correlation;
        assert!(rows.iter().all(|row| &row.entry.correlation == one), "{rows:?}");
        let word = |row: &AuditRow| {
            let outcome = row.entry.outcome.clone().unwrap_or_default();
            let opened = if row.was_opened { "open " } else { "" };
            format!("{} {opened}{} {outcome}", row.entry.round, row.entry.kind.as_str())
        };
        rows.iter().map(word).collect::<Vec<_>>()
    };
    let safe = Desk::around(asking().building(|host| host.asker(someone())));
    assert_eq!(told(&safe).await, ["0 open end input_required", "1 open end done"]);
    let soon = asking().configured(|config| config.audit.durability = Durability::Async);
    let soon = Desk::around(soon.building(|host| host.asker(someone())));
    assert_eq!(told(&soon).await, ["0 end input_required", "1 end done"]);
}

/// A record names the policy it was decided under, and another policy by another name.
#[tokio::test]
async fn a_changed_policy_has_another_name_in_the_records() {
    let desk = Desk::of(Gate::open());
    let policy = async || {
        desk.call("read").await.unwrap();
        let body = desk.rows().await.pop().unwrap().entry.body;
        let (_, rest) = body.split_once("\"policy\":\"").unwrap();
        rest[..16].to_owned()
    };
    let first = policy().await;
    assert_eq!(policy().await, first);
    let mut entry = entry("desk", server(Transport::Builtin), LayerGrade::Person);
    entry.value.tools.deny.push(Pattern::parse("other").unwrap());
    let standing = EntryStanding::Accepted(Trust::Trusted);
    desk.gate.host.set_server(id("desk"), entry, standing).await;
    assert_ne!(policy().await, first);
}

/// Whose it would have been is written down though nobody could be reached.
#[tokio::test]
async fn calls_that_never_reach_a_server_are_written_down_with_its_name() {
    let gone = Script::legacy().on("initialize", [Act::Exit(3)]);
    let desk = Desk::around(Gate::open().process("desk", &gone));
    assert_eq!(desk.call("read").await, Err(Code::Unavailable));
    let nobody = id("nobody");
    let missing = CallTarget::exact(nobody.clone(), "read".to_owned());
    let error = within(desk.gate.host.call(Call::new(missing))).await.unwrap_err();
    assert_eq!(error.code, Code::NotFound);
    let read = desk.gate.host.read_resource(&nobody, "file:///a", CallOptions::default());
    within(read).await.unwrap_err();
    let rows = desk.rows().await;
    let told = |row: &AuditRow| {
        let entry = row.entry.clone();
        [entry.server, entry.tool, entry.code].map(Option::unwrap_or_default).join(" ")
    };
    let told: Vec<_> = rows.iter().map(told).collect();
    let expected = ["desk read unavailable", "nobody read not_found", "nobody file:///a not_found"];
    assert_eq!(told, expected);
}

/// On a full disk what needs a record first is refused; what only reads goes on while its record has room to
/// wait, then it is refused too; and with room on the disk everything that was told is written down.
#[tokio::test]
async fn a_full_disk_refuses_what_must_be_recorded_and_then_what_only_reads_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
    let disk = FillingDisk { store: Arc::clone(&store), is_full: AtomicBool::new(false) };
    let disk = Arc::new(disk);
    let (kept, log) = (Arc::clone(&store), Arc::clone(&disk));
    let gate = Gate::open().server("desk", desk());
    let gate = gate.building(|host| host.store(kept).audit(log)).run();
    let desk = Desk { gate, store, _folder: folder };
    desk.call("read").await.unwrap();
    disk.is_full.store(true, Ordering::Relaxed);
    assert_eq!(desk.call("write").await, Err(Code::Unavailable));
    let mut reads = 1;
    let refused = loop {
        match desk.call("read").await {
            Ok(()) => reads += 1,
            Err(code) => break code,
        }
        assert!(reads < 10_000, "records wait without end");
    };
    assert_eq!(refused, Code::Unavailable);
    assert!(reads > 1_000, "{reads}");
    disk.is_full.store(false, Ordering::Relaxed);
    // Once what waits was written.
    while desk.call("read").await.is_err() {
        tokio::task::yield_now().await;
    }
    desk.gate.host.close_all().await;
    let rows = desk.store.audit(AuditQuery::default()).await.unwrap();
    let done = rows.iter().filter(|row| row.entry.outcome.as_deref() == Some("done")).count();
    assert_eq!(done, reads + 1);
    let failed = rows.iter().filter(|row| row.entry.outcome.as_deref() == Some("failed")).count();
    assert!(failed >= 2, "{failed}");
}
