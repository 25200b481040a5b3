//! More and more records: what searching them takes, within a program and by the command, and making rows of
//! them.

mod made_up;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use toolgate_store::{AuditLog as _, AuditQuery, SqliteStore};

use self::made_up::{COMMON_TEXT, MadeUpRecords, RARE_TEXT};
use super::curve::GrowthTable;
use crate::bench::middle;
use crate::process::cpu_of;
use crate::{Extent, Failure, Run};

/// As `toolgate audit` asks: the newest, twice as many as it shows.
const LIMIT: usize = 100;

pub(super) fn measure(run: &Run) -> Result<Vec<GrowthTable>, Failure> {
    let most = run.records.unwrap_or(match run.extent {
        Extent::Whole => 1_000_000,
        Extent::Tenth => 20_000,
    });
    let sizes = [most / 100, most / 10, most];
    let (times, commands) = if run.extent == Extent::Whole { (40, 20) } else { (3, 1) };
    let home = run.folder.path().join("records");
    let state = home.join(".local/state/toolgate");
    std::fs::create_dir_all(&state)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut records = MadeUpRecords::default();
    let mut table = GrowthTable::new("records", &sizes);
    for size in sizes {
        let store = SqliteStore::open(&state)?;
        let more = size - records.made();
        while records.made() < size {
            let some = records.next_some((size - records.made()).min(1_000));
            runtime.block_on(store.append_audit(&some))?;
        }
        let used = cpu_of(std::process::id())?;
        runtime.block_on(store.audit(AuditQuery { limit: 0, ..AuditQuery::default() }))?;
        let rows = (cpu_of(std::process::id())? - used).as_secs_f64() * 1e6 / more as f64;
        for (what, query) in questions(records.now(), most) {
            let query = AuditQuery { limit: LIMIT, newest_first: true, ..query };
            let mut took = Vec::new();
            for _ in 0..times {
                let began = Instant::now();
                runtime.block_on(store.audit(query.clone()))?;
                took.push(began.elapsed().as_secs_f64() * 1e3);
            }
            table.add(what, "ms", middle(took.into_iter()));
        }
        drop(store);
        for (what, words) in [
            ("the command: `--outcome`, a few", &["--outcome", "task"][..]),
            ("the command: `--grep`, nowhere", &["--grep", "no such thing anywhere"][..]),
        ] {
            let mut took = Vec::new();
            for _ in 0..commands {
                took.push(command(run, &home, words)?);
            }
            table.add(what, "ms", middle(took.into_iter()));
        }
        table.add("making a row of what is new, CPU", "µs", rows);
        let bytes = std::fs::metadata(state.join("state.db"))?.len();
        table.add("the database, bytes a record", "", bytes as f64 / size as f64);
    }
    table.note = "The middle of each search in one process, the newest 100 that fit; *a few* are five of all, \
                  *nowhere* none."
        .to_owned();
    Ok(vec![table])
}

fn questions(now: u64, most: usize) -> Vec<(&'static str, AuditQuery)> {
    let all = AuditQuery::default;
    let some = |text: &str| Some(text.to_owned());
    // A record is made each millisecond.
    let long_ago = now.saturating_sub(most as u64 * 2);
    vec![
        ("server, everywhere", AuditQuery { server: some("server-3"), ..all() }),
        ("server, a few", AuditQuery { server: some("rare"), ..all() }),
        ("server, nowhere", AuditQuery { server: some("nobody"), ..all() }),
        ("outcome, everywhere", AuditQuery { outcome: some("done"), ..all() }),
        ("outcome, a few", AuditQuery { outcome: some("task"), ..all() }),
        ("outcome, nowhere", AuditQuery { outcome: some("aborted"), ..all() }),
        ("time, the last 1 000", AuditQuery { since: Some(now.saturating_sub(1_000)), ..all() }),
        ("time, nowhere", AuditQuery { until: Some(long_ago), ..all() }),
        ("text, everywhere", AuditQuery { grep: some(COMMON_TEXT), ..all() }),
        ("text, a few", AuditQuery { grep: some(RARE_TEXT), ..all() }),
        ("text, nowhere", AuditQuery { grep: some("no such thing anywhere"), ..all() }),
        ("text of three letters, nowhere", AuditQuery { grep: some("zqx"), ..all() }),
        ("text of four letters, nowhere", AuditQuery { grep: some("zqxv"), ..all() }),
        (
            "server and outcome, never together",
            AuditQuery { server: some("rare"), outcome: some("task"), ..all() },
        ),
        ("one call", AuditQuery { correlation: some("0123456789ab-4d"), ..all() }),
    ]
}

/// The whole command, from its start to its end, in milliseconds.
fn command(run: &Run, home: &Path, words: &[&str]) -> Result<f64, Failure> {
    let began = Instant::now();
    let status = Command::new(&run.gate)
        .args(["audit", "--json"])
        .args(words)
        .current_dir(home)
        .env_clear()
        .env("HOME", home)
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()?;
    match status.success() {
        true => Ok(began.elapsed().as_secs_f64() * 1e3),
        false => Err(format!("`toolgate audit {}` failed", words.join(" ")).into()),
    }
}
