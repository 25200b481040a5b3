//! `cargo bench -p toolgate-audit --bench calls`: what the record of a call costs on its path, beginning and end, in
//! the usual settings. The first word is how many calls; `--tenth` makes a tenth of them.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "it prints a measurement")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use toolgate_audit::{CallJournal, CallStep, CallTerms};
use toolgate_mask::Masker;
use toolgate_store::{AuditLog, SqliteStore, Store};
use toolgate_types::config::AuditSection;
use toolgate_types::{
    CallEnding, Caller, Definition, Digest, Era, NoListener, Principal, Requester, Secret,
    ServerId, SessionId,
};

const CALLS: usize = 100_000;

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let calls = words.iter().find_map(|word| word.parse().ok()).unwrap_or(CALLS);
    let calls = if words.iter().any(|word| word == "--tenth") { calls / 10 } else { calls };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
    let (log, kept) = (Arc::clone(&store) as Arc<dyn AuditLog>, store as Arc<dyn Store>);
    let masker =
        Masker::builder().secret(&Secret::new("a-secret-of-some-server-0815".to_owned())).build();
    let settings = AuditSection::default();
    let listener = Arc::new(NoListener);
    let journal = CallJournal::kept(listener, masker, log, kept, settings);
    runtime.block_on(async {
        record(&journal, 100).await;
        let (cpu, began) = (cpu(), Instant::now());
        record(&journal, calls).await;
        let (cpu, took) = (self::cpu().saturating_sub(cpu), began.elapsed());
        let a_call = |time: Duration| time.as_secs_f64() * 1e6 / calls as f64;
        println!("| | CPU a call | time a call |\n|---|---|---|");
        println!("| begin and finish | {:.2} µs | {:.2} µs |", a_call(cpu), a_call(took));
    });
}

async fn record(journal: &CallJournal, calls: usize) {
    let caller = Arc::new(Caller {
        principal: Principal::local_user(),
        session: Some(SessionId("2f1cbb5e-8c3f-4c0a-9b11-7f6d2a9c51aa".to_owned())),
        workspace: Path::new("/home/person/projects/project").into(),
        client: Some("bench-client/1.0".to_owned()),
        era: Some(Era::Modern),
        requester: Requester::Unknown,
        overrides: None,
    });
    let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
    let definition = Arc::new(Definition::new(
        "write",
        raw(
            r#"{"name":"write","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"text":{"type":"string"}}}}"#,
        ),
    ));
    let arguments = Arc::from(raw(r#"{"path":"src/main.rs","text":"fn main() {}"}"#));
    let server = ServerId::parse("files").unwrap();
    for _ in 0..calls {
        let mut record = journal.open("call", "files__write", Some(Arc::clone(&caller)));
        record.is_for(&server, "write");
        record.of_tool(&definition);
        record.with_arguments(Some(Arc::clone(&arguments)));
        record.took(CallStep::Resolve);
        record.took(CallStep::Check);
        let (policy, timeout) = (Some(Digest([7; 32])), Some(Duration::from_secs(60)));
        record.under(CallTerms { policy, timeout, ..CallTerms::default() });
        record.decided("allow", "a trusted server's tool".into());
        record.took(CallStep::Decide);
        record.begin(true).await.unwrap();
        record.took(CallStep::Perform);
        record.took(CallStep::Screen);
        record.finish(CallEnding::Done, 64, None).await;
    }
}

/// Of this thread alone: rows are made by others.
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = stat.split_whitespace().next().and_then(|text| text.parse().ok());
    Duration::from_nanos(nanos.unwrap_or_default())
}
