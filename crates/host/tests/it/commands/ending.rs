//! However a call ends, nothing of its command is left.

use std::path::Path;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use toolgate_host::CallOptions;
use toolgate_types::{CallError, Code, CommandEnding, CommandPiece};

use super::{Bench, is_there, script};
use crate::gate::within;

/// Ignores every polite word, and has a child of its own session that does too.
const STUBBORN: &str = r#"trap '' TERM HUP INT
setsid sh -c 'trap "" TERM HUP INT; echo $$ > runaway; while :; do sleep 1; done' &
while [ ! -s runaway ]; do sleep 0.01; done
echo $$ > program; echo begun
while :; do sleep 1; done"#;

/// The number that a process of a script wrote down.
fn noted(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

fn is_over(bench: &Bench) {
    for name in ["program", "runaway"] {
        assert!(!is_there(&noted(&bench.work(), name)), "{name}");
    }
}

/// Shows: S3-17, S3-37, S3-38.
#[tokio::test]
async fn what_takes_too_long_is_ended_and_what_it_printed_is_told() {
    let own = [
        script("stubborn", STUBBORN, "timeout_ms = 6000"),
        script("idle", "echo begun; exec sleep 1000", ""),
    ];
    let bench = Bench::open(&own.concat());
    let error = bench.call("stubborn", "{}").await.unwrap_err();
    assert_eq!(error.code, Code::DeadlineExceeded);
    assert!(error.message.contains("6000 ms"), "{error}");
    assert_eq!(error.partial.as_deref(), Some("begun\n"));
    is_over(&bench);
    // The smaller of the two holds: what the caller gives it, or the whole call.
    for options in [
        CallOptions { within: Some(Duration::from_millis(4000)), ..CallOptions::default() },
        CallOptions { deadline: Some(Duration::from_millis(4000)), ..CallOptions::default() },
    ] {
        let error = bench.call_with("idle", "{}", options).await.unwrap_err();
        assert_eq!(error.code, Code::DeadlineExceeded);
        assert_eq!(error.partial.as_deref(), Some("begun\n"));
    }
}

/// A call that is under way, its output, and what ends it.
struct UnderWay {
    call: JoinHandle<Result<serde_json::Value, CallError>>,
    pieces: tokio::sync::mpsc::Receiver<CommandPiece>,
    cancel: CancellationToken,
}

fn begin(bench: &std::sync::Arc<Bench>, tool: &str) -> UnderWay {
    let (sender, pieces) = tokio::sync::mpsc::channel(4);
    let cancel = CancellationToken::new();
    let options = CallOptions {
        output: Some(sender),
        cancel: Some(cancel.clone()),
        ..CallOptions::default()
    };
    let (bench, tool) = (std::sync::Arc::clone(bench), tool.to_owned());
    let call = tokio::spawn(async move { bench.call_with(&tool, "{}", options).await });
    UnderWay { call, pieces, cancel }
}

/// Shows: S3-15, S3-39.
#[tokio::test]
async fn a_call_that_is_cancelled_ends_its_whole_tree() {
    let polite = "trap 'echo told > told; exit 0' TERM; echo $$ > program; echo begun; while :; do sleep 0.1; done";
    let own = [
        script("stubborn", STUBBORN, "streaming = true"),
        script("polite", polite, "streaming = true"),
    ];
    let bench = std::sync::Arc::new(Bench::open(&own.concat()));
    for tool in ["stubborn", "polite"] {
        let UnderWay { call, mut pieces, cancel } = begin(&bench, tool);
        assert!(matches!(within(pieces.recv()).await, Some(CommandPiece::Printed { .. })));
        cancel.cancel();
        let error = within(call).await.unwrap().unwrap_err();
        assert_eq!(error.code, Code::Cancelled);
        let mut last = None;
        while let Some(piece) = within(pieces.recv()).await {
            last = Some(piece);
        }
        assert_eq!(last, Some(CommandPiece::Ended(CommandEnding::Cancelled)));
        assert!(!is_there(&noted(&bench.work(), "program")), "{tool}");
    }
    is_over(&bench);
    assert!(bench.work().join("told").exists(), "it was asked before it was made to");
    let records = bench.records().await;
    assert_eq!(records[0]["command"]["signal"], 9, "{records:#?}");
    assert_eq!(records[1]["command"]["exit_status"], 0, "{records:#?}");
}

#[tokio::test]
async fn what_a_command_leaves_behind_ends_with_the_call() {
    let forks = "setsid sh -c 'echo $$ > runaway; exec sleep 1000' & \
                 while [ ! -s runaway ]; do sleep 0.01; done; echo $$ > program; echo done";
    let bench = Bench::open(&script("forks", forks, ""));
    assert_eq!(bench.says("forks", "{}").await, "done\n");
    is_over(&bench);
}

/// Whoever has this word among its arguments.
fn who_has(word: &str) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten().map(|one| one.path());
    let has = |folder: &std::path::PathBuf| {
        let words = std::fs::read(folder.join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&words).contains(word)
    };
    processes.filter(has).map(|folder| folder.display().to_string()).collect()
}

/// Behind walls numbers are others, so it is looked for by a word that nobody else has.
#[tokio::test]
async fn what_forks_away_behind_walls_is_gone_with_the_call() {
    let word = format!("98765.{}", std::process::id());
    // Twice forked, in a session of its own, deaf to every polite word, with closed streams.
    let forks = format!(
        "(setsid sh -c 'trap \"\" TERM HUP INT; echo > away; sleep {word}; sleep {word}' \
         </dev/null >/dev/null 2>&1 &) ; while [ ! -e away ]; do sleep 0.01; done; echo done"
    );
    let walled = format!(
        "[tools.forks]\ncommand = \"/bin/sh\"\nargs = [\"-c\", {}]\n",
        serde_json::to_string(&forks).unwrap()
    );
    for own in [walled, script("forks", &forks, "")] {
        let bench = Bench::open(&own);
        match bench.call("forks", "{}").await {
            Ok(result) => assert_eq!(super::text(&result), "done\n"),
            // A system without walls; the other one shows what can be shown here.
            Err(error) => assert_eq!(error.code, Code::Unavailable, "{error}"),
        }
        assert_eq!(who_has(&word), Vec::<String>::new());
    }
}
