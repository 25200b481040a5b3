//! What a command prints is heard while it runs, and waits for who hears it.

use std::sync::Arc;

use tokio::sync::mpsc;
use toolgate_host::CallOptions;
use toolgate_types::{CommandEnding, CommandPiece, PrintedStream};

use super::{Bench, script};
use crate::gate::within;

fn heard_by(sender: mpsc::Sender<CommandPiece>) -> CallOptions {
    CallOptions { output: Some(sender), ..CallOptions::default() }
}

/// Shows: S3-14, S3-55.
#[tokio::test]
async fn both_streams_are_heard_while_it_runs_and_its_end_last() {
    // It goes on only once its first words were heard.
    let two = "echo out; echo err >&2; while [ ! -e heard ]; do sleep 0.01; done; printf 'ü%s' end";
    let own = [script("two", two, "streaming = true"), script("quiet", "echo hush", "")];
    let bench = Arc::new(Bench::open(&own.concat()));
    let (sender, mut pieces) = mpsc::channel(1);
    let calling = {
        let bench = Arc::clone(&bench);
        tokio::spawn(async move { bench.call_with("two", "{}", heard_by(sender)).await })
    };
    let (mut out, mut err, mut ending) = (Vec::new(), Vec::new(), None);
    while let Some(piece) = within(pieces.recv()).await {
        assert_eq!(ending, None, "nothing comes after the end");
        match piece {
            CommandPiece::Printed { stream: PrintedStream::Stdout, bytes } => out.extend(bytes),
            CommandPiece::Printed { stream: PrintedStream::Stderr, bytes } => err.extend(bytes),
            CommandPiece::Ended(how) => ending = Some(how),
        }
        if out == b"out\n" && err == b"err\n" {
            std::fs::write(bench.work().join("heard"), "").unwrap();
        }
    }
    assert_eq!((out, err), ("out\nüend".as_bytes().to_vec(), b"err\n".to_vec()));
    assert_eq!(ending, Some(CommandEnding::Exited { code: Some(0), signal: None }));
    within(calling).await.unwrap().unwrap();
    // An entry that does not say `streaming` says nothing before its end.
    let (sender, mut pieces) = mpsc::channel(1);
    bench.call_with("quiet", "{}", heard_by(sender)).await.unwrap();
    assert_eq!(pieces.recv().await, None);
}

#[tokio::test]
async fn who_reads_slowly_slows_the_command_and_misses_nothing() {
    // Each line is written down before it is printed.
    let counts = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); echo line $i of very many; done; echo done > done";
    let bench = Arc::new(Bench::open(&script("counts", counts, "streaming = true")));
    let (sender, mut pieces) = mpsc::channel(1);
    let calling = {
        let bench = Arc::clone(&bench);
        tokio::spawn(async move { bench.call_with("counts", "{}", heard_by(sender)).await })
    };
    let mut all = Vec::new();
    let mut heard = 0;
    while let Some(piece) = within(pieces.recv()).await {
        let CommandPiece::Printed { bytes, .. } = piece else { continue };
        heard += 1;
        all.extend(bytes);
        if heard == 3 {
            // Of more than a megabyte so little was taken that the command cannot be done.
            assert!(!bench.work().join("done").exists(), "it did not wait");
        }
    }
    let lines: Vec<String> = (1..=60_000).map(|n| format!("line {n} of very many\n")).collect();
    assert!(all == lines.concat().into_bytes(), "{} bytes", all.len());
    within(calling).await.unwrap().unwrap();
}

#[tokio::test]
async fn bytes_that_are_no_text_come_as_they_are() {
    let own = script("binary", "cat noise", "streaming = true");
    let bench = Arc::new(Bench::open(&own));
    let noise: Vec<u8> =
        (0..200_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    std::fs::write(bench.work().join("noise"), &noise).unwrap();
    let (sender, mut pieces) = mpsc::channel(2);
    let calling = {
        let bench = Arc::clone(&bench);
        tokio::spawn(async move { bench.call_with("binary", "{}", heard_by(sender)).await })
    };
    let mut all = Vec::new();
    while let Some(piece) = within(pieces.recv()).await {
        if let CommandPiece::Printed { bytes, .. } = piece {
            all.extend(bytes);
        }
    }
    assert!(all == noise, "{} bytes", all.len());
    within(calling).await.unwrap().unwrap();
}

/// A client that goes away is no reason to wait for it.
#[tokio::test]
async fn who_stops_listening_holds_nothing_up() {
    let bench = Bench::open(&script("talks", "yes | head -c 500000", "streaming = true"));
    let (sender, pieces) = mpsc::channel(1);
    drop(pieces);
    let result = bench.call_with("talks", "{}", heard_by(sender)).await.unwrap();
    assert_eq!(result["_meta"]["toolgate/command"]["stdout_bytes"], 500_000);
}
