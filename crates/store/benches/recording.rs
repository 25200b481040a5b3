//! `cargo bench -p toolgate-store --bench recording`: what a call's two entries cost where they are appended,
//! and what it costs to make a row of them later. The first word is how many calls; `--tenth` makes a tenth of them.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "it prints a measurement")]

use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, Instant};

use toolgate_store::{AuditEntry, AuditKind, AuditLog, AuditQuery, SqliteStore};

const CALLS: usize = 100_000;

/// So many callers have a call under way.
const AT_ONCE: usize = 8;

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let calls = words.iter().find_map(|word| word.parse().ok()).unwrap_or(CALLS);
    let is_tenth = words.iter().any(|word| word == "--tenth");
    let calls = if is_tenth { calls / 10 } else { calls };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let store = SqliteStore::open(folder.path()).unwrap();
    let entries = entries(calls);
    println!("| | CPU a call | time a call |\n|---|---|---|");
    let append = async || {
        for entry in &entries {
            store.append_audit(std::slice::from_ref(entry)).await.unwrap();
        }
    };
    report("append", calls, || runtime.block_on(append()));
    let all = AuditQuery { limit: 1, newest_first: true, ..AuditQuery::default() };
    let rows = || {
        let last = runtime.block_on(store.audit(all)).unwrap();
        assert!(last[0].sequence >= calls as u64);
    };
    report("make rows", calls, rows);
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
    let bytes = size(&folder.path().join("state.db")) / calls as u64;
    println!("\n{bytes} bytes a row in `state.db`");
}

fn report(what: &str, calls: usize, work: impl FnOnce()) {
    let (cpu, began) = (cpu(), Instant::now());
    work();
    let (cpu, took) = (self::cpu().saturating_sub(cpu), began.elapsed());
    let a_call = |time: Duration| time.as_secs_f64() * 1e6 / calls as f64;
    println!("| {what} | {:.1} µs | {:.1} µs |", a_call(cpu), a_call(took));
}

/// Of all threads, in hundredths of a second.
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let (_, fields) = stat.rsplit_once(')').unwrap_or_default();
    let ticks =
        fields.split_whitespace().skip(11).take(2).filter_map(|text| text.parse::<u64>().ok());
    Duration::from_millis(ticks.sum::<u64>() * 10)
}

/// What eight callers leave behind, in the order in which it is written.
fn entries(calls: usize) -> Vec<AuditEntry> {
    let mut running: VecDeque<usize> = VecDeque::new();
    let mut entries = Vec::with_capacity(calls * 2);
    for call in 0..calls {
        if running.len() == AT_ONCE {
            entries.extend(running.pop_front().map(|call| entry(call, AuditKind::End)));
        }
        running.push_back(call);
        entries.push(entry(call, AuditKind::Open));
    }
    entries.extend(running.into_iter().map(|call| entry(call, AuditKind::End)));
    entries
}

/// As a host writes it in its usual settings.
fn entry(call: usize, kind: AuditKind) -> AuditEntry {
    let text = |text: &str| Some(text.to_owned());
    let is_end = kind == AuditKind::End;
    let hash = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    let definition = if is_end { format!(r#""definition":"{hash}","#) } else { String::new() };
    let steps = if is_end { r#","record":21,"perform":182,"screen":9"# } else { "" };
    let body = format!(
        r#"{{"word":"call","era":"modern","decision":"allow","rule":"a trusted server's tool","policy":"0123456789abcdef","arguments_hash":"{hash}",{definition}"timeout_ms":60000,"bytes_in":64,"bytes_out":0,"steps_us":{{"resolve":3,"check":8,"decide":5{steps}}}}}"#
    );
    AuditEntry {
        at: 1_700_000_000_000 + call as u64 / 20,
        kind,
        correlation: format!("8f3a2b17c09d-{call:x}"),
        round: 0,
        principal: "default".to_owned(),
        client: text("bench-client/1.0"),
        role: None,
        session: text("2f1cbb5e-8c3f-4c0a-9b11-7f6d2a9c51aa"),
        workspace: text("/home/person/projects/project"),
        server: text("files"),
        tool: text(["read", "write", "list", "search"][call % 4]),
        outcome: text("done").filter(|_| is_end),
        code: None,
        duration_us: is_end.then_some(231),
        body,
    }
}
