//! Requests side by side, each with its own answer and its own time.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;
use toolgate_testkit::{Act, Script};
use toolgate_upstream::{OperationOptions, RequestError};

use crate::{
    Bench, call, call_with, calling, connected, patient_call, perform, plainly, raw, within,
};

#[tokio::test(start_paused = true)]
async fn answers_find_who_asked_in_whatever_order_they_come() {
    // The first is answered only after the second was.
    let script = Script::legacy()
        .on_call("first", [Act::hold("second is done"), Act::say("one")])
        .on_call("second", [Act::say("two"), Act::release("second is done")]);
    let (connection, _peer) = connected(script).await;
    let (first, second) =
        within(async { tokio::join!(call(&connection, "first"), call(&connection, "second")) })
            .await;
    assert!(first.unwrap().get().contains("one"));
    assert!(second.unwrap().get().contains("two"));
}

#[tokio::test(start_paused = true)]
async fn many_requests_are_under_way_at_once() {
    // Each lets the next one go; the test lets the first go once the server has them all.
    let chain = [Act::hold("go"), Act::release("go"), Act::answer(r#"{"got":${arguments}}"#)];
    let (connection, peer) = connected(Script::legacy().on_call("wait", chain)).await;
    let connection = Arc::new(connection);
    let mut calls = JoinSet::new();
    for n in 0..200 {
        let connection = Arc::clone(&connection);
        calls.spawn(async move {
            let answer = call_with(&connection, "wait", &format!(r#"{{"n":{n}}}"#)).await.unwrap();
            assert_eq!(answer.get(), format!(r#"{{"got":{{"n":{n}}}}}"#));
        });
    }
    for n in 0..200 {
        within(peer.received(&format!(r#"{{"n":{n}}}"#))).await;
    }
    peer.signal("go");
    assert_eq!(within(calls.join_all()).await.len(), 200);
}

/// Shows: S1-12.
#[tokio::test(start_paused = true)]
async fn a_request_without_an_answer_ends_at_its_time_out() {
    let script = Script::legacy().on_call("never", []).on_call("hello", [Act::say("hi")]);
    let (connection, _peer) = Bench::new().answering_within(5_000).play(script).await;
    let connection = connection.unwrap();
    let begun = Instant::now();
    let error = call(&connection, "never").await.unwrap_err();
    assert!(matches!(error, RequestError::TimedOut(_)), "{error}");
    assert!(!error.ends_connection());
    assert_eq!(begun.elapsed(), Duration::from_secs(5));
    call(&connection, "hello").await.unwrap();
}

/// Shows: S4-29.
#[tokio::test(start_paused = true)]
async fn progress_prolongs_a_call_up_to_a_ceiling() {
    let script = Script::legacy()
        .on_call(
            "slow",
            [
                Act::hold("go"),
                Act::progress(1),
                Act::hold("go"),
                Act::progress(2),
                Act::hold("go"),
                Act::say("done"),
            ],
        )
        .on_call("endless", vec![[Act::hold("go"), Act::progress(1)]; 100].concat());
    let (connection, peer) = connected(script).await;
    let ticking = async {
        loop {
            tokio::time::sleep(Duration::from_secs(8)).await;
            peer.signal("go");
        }
    };
    tokio::pin!(ticking);
    let begun = Instant::now();
    let slow = tokio::select! {
        answer = patient_call(&connection, "slow", (10, 60)) => answer,
        () = &mut ticking => unreachable!(),
    };
    assert!(slow.unwrap().get().contains("done"), "24 s, with a limit of 10 s between reports");
    assert_eq!(begun.elapsed().as_secs(), 24);

    let begun = Instant::now();
    let endless = tokio::select! {
        answer = patient_call(&connection, "endless", (10, 60)) => answer,
        () = &mut ticking => unreachable!(),
    };
    assert!(matches!(endless, Err(RequestError::TimedOut(_))));
    assert_eq!(begun.elapsed().as_secs(), 60);
}

#[tokio::test(start_paused = true)]
async fn progress_is_handed_on_before_the_answer() {
    let script =
        Script::legacy().on_call("work", [Act::progress(1), Act::progress(2), Act::say("done")]);
    let (connection, _peer) = connected(script).await;
    let (sender, mut reports) = toolgate_types::quiet_queue(8);
    let theirs = raw(r#"{"progressToken":"theirs"}"#);
    let manner = OperationOptions { meta: Some(&theirs), remarks: Some(sender), ..plainly() };
    perform(&connection, calling("work", ""), manner).await.unwrap();
    assert!(reports.try_recv().unwrap().raw().get().contains(r#""progress":1"#));
    assert!(reports.try_recv().unwrap().raw().get().contains(r#""progress":2"#));
}

/// A late report of a request that is over belongs to nobody.
#[tokio::test(start_paused = true)]
async fn progress_of_another_request_does_not_prolong_this_one() {
    let other = r#"{"progressToken":4711,"progress":1}"#;
    let stranger = [Act::hold("go"), Act::notify("notifications/progress", other)];
    let script = Script::legacy().on_call("slow", vec![stranger; 10].concat());
    let (connection, peer) = connected(script).await;
    let begun = Instant::now();
    let ticking = async {
        loop {
            tokio::time::sleep(Duration::from_secs(3)).await;
            peer.signal("go");
        }
    };
    let answer = tokio::select! {
        answer = patient_call(&connection, "slow", (10, 60)) => answer,
        () = ticking => unreachable!(),
    };
    assert!(matches!(answer, Err(RequestError::TimedOut(_))));
    assert_eq!(begun.elapsed().as_secs(), 10);
}

#[tokio::test(start_paused = true)]
async fn an_error_of_the_server_is_handed_on_as_it_is() {
    let line =
        r#"{"jsonrpc":"2.0","id":${id},"error":{"code":-32001,"message":"no","data":{"k":1.0}}}"#;
    let (connection, _peer) = connected(Script::legacy().on_call("no", [Act::line(line)])).await;
    let Err(RequestError::Refused(error)) = call(&connection, "no").await else { panic!() };
    assert_eq!(error.code, toolgate_wire::ErrorCode(-32001));
    assert_eq!(error.message, "no");
    assert_eq!(error.data.unwrap().get(), r#"{"k":1.0}"#);
}

#[tokio::test(start_paused = true)]
async fn several_messages_in_one_array_are_taken_from_the_one_revision_that_has_them() {
    let batch = r#"[{"jsonrpc":"2.0","method":"notifications/tools/list_changed"},{"jsonrpc":"2.0","id":${id},"result":{"content":[]}}]"#;
    for (version, is_understood) in [("2025-03-26", true), ("2025-06-18", false)] {
        let script = Script::legacy().speaking(version).on_call("many", [Act::line(batch)]);
        let (connection, _peer) = connected(script).await;
        assert_eq!(call(&connection, "many").await.is_ok(), is_understood, "{version}");
    }
}
