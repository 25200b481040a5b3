//! A changed entry, and a rotated variable, hold from the next call on.

use std::sync::Arc;

use tokio::sync::mpsc;
use toolgate_host::CallOptions;
use toolgate_types::CommandPiece;

use super::{Bench, script, text};
use crate::gate::within;

/// Shows: S3-36.
#[tokio::test]
async fn the_next_call_goes_by_the_new_entry_and_what_runs_goes_on() {
    let slow = "echo begun; while [ ! -e go ]; do sleep 0.01; done; echo \"old $KEY\"";
    let key = "streaming = true\nenv = { KEY = \"${SAMPLE_KEY}\" }\nenv_vars = [\"PASSED\"]";
    let bench = Arc::new(Bench::open(&script("idle", "true", "")));
    bench.reload(&script("tool", slow, key), &[("SAMPLE_KEY", "one")]).await;
    let (sender, mut pieces) = mpsc::channel(4);
    let calling = {
        let bench = Arc::clone(&bench);
        let options = CallOptions { output: Some(sender), ..CallOptions::default() };
        tokio::spawn(async move { bench.call_with("tool", "{}", options).await })
    };
    assert!(matches!(within(pieces.recv()).await, Some(CommandPiece::Printed { .. })));
    let new = script("tool", "echo \"new $KEY $PASSED\"", key);
    bench.reload(&new, &[("SAMPLE_KEY", "two"), ("PASSED", "a")]).await;
    assert_eq!(bench.says("tool", "{}").await, "new two a\n");
    // The entry is the same, and only what its variables hold is not.
    bench.reload(&new, &[("SAMPLE_KEY", "three"), ("PASSED", "b")]).await;
    assert_eq!(bench.says("tool", "{}").await, "new three b\n");
    std::fs::write(bench.work().join("go"), "").unwrap();
    while within(pieces.recv()).await.is_some() {}
    assert_eq!(text(&within(calling).await.unwrap().unwrap()), "begun\nold one\n");
    bench.reload("", &[]).await;
    assert!(bench.call("tool", "{}").await.is_err());
}
