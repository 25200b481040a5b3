//! A host that is killed in the middle of its calls: what had begun is known.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use toolgate_store::{AuditKind, AuditLog as _, AuditQuery, AuditRow, AuditVerdict, SqliteStore};

use crate::gate::peer_path;

/// Whoever wants more than the hundred of every run: `TOOLGATE_KILL_AFTER=1000`.
fn kill_after() -> usize {
    std::env::var("TOOLGATE_KILL_AFTER").ok().and_then(|text| text.parse().ok()).unwrap_or(100)
}

#[tokio::test]
async fn of_every_call_that_had_begun_when_the_host_was_killed_there_is_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = Command::new(peer_path().with_file_name("toolgate-host-caller"))
        .arg(folder.path())
        .arg((kill_after() * 10).to_string())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(host.stderr.take().unwrap()).lines();
    let begun: Vec<String> = lines.by_ref().take(kill_after()).map(Result::unwrap).collect();
    host.kill().unwrap();
    host.wait().unwrap();
    // What it said between the last line we waited for and its end.
    let begun = begun.into_iter().chain(lines.map_while(Result::ok));
    let begun = begun.filter(|line| line.starts_with("started")).count();
    assert!(begun >= kill_after(), "{begun}");
    let store = SqliteStore::open(folder.path()).unwrap();
    let rows = store.audit(AuditQuery::default()).await.unwrap();
    let is_opened = |row: &&AuditRow| row.entry.kind == AuditKind::Open || row.was_opened;
    let opened = rows.iter().filter(is_opened).count();
    assert!(opened >= begun, "{opened} records of {begun} calls");
    assert!(opened <= begun + 1, "and none that was never made, but the one under way");
    let verdict = store.verify_audit(None).await.unwrap();
    assert!(matches!(verdict, AuditVerdict::Whole { .. }), "{verdict:?}");
}
