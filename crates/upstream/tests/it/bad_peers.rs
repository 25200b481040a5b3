//! Servers that misbehave: an error for that request, nothing for the others, and the next request
//! works when the server does.

use toolgate_testkit::{Act, Recorded, Script, peak_memory};
use toolgate_upstream::{ConnectError, RequestError};

use crate::{Bench, GRACE, call, connected, within};

fn polite() -> Script {
    Script::legacy().on_call("hello", [Act::say("hi")])
}

#[tokio::test]
async fn a_process_that_exits_at_once_is_reported_with_its_code_and_last_words() {
    let script = Script::legacy().at_start([Act::complain("no licence"), Act::Exit(3)]);
    let error = within(Bench::process(&script).open()).await.unwrap_err();
    assert!(matches!(error, ConnectError::Ended { .. }), "{error:?}");
    assert_eq!(error.to_string(), "the server exited with code 3; it last said: no licence");
}

/// Shows: S1-69.
#[tokio::test]
async fn a_process_that_dies_in_the_middle_of_a_call_fails_that_call_with_its_last_words() {
    let script = polite().on_call("die", [Act::complain("out of paper"), Act::Exit(7)]);
    let bench = Bench::process(&script);
    let connection = bench.open().await.unwrap();
    call(&connection, "hello").await.unwrap();
    let error = within(call(&connection, "die")).await.unwrap_err();
    assert!(error.ends_connection());
    let reason = "the server exited with code 7; it last said: out of paper";
    assert_eq!(error.to_string(), format!("the connection ended: {reason}"));
    assert_eq!(connection.ended().unwrap(), reason);
    assert_eq!(bench.events.all(), [Recorded::Closed(reason.to_owned())]);
    // It comes back when it is opened again.
    let connection = bench.open().await.unwrap();
    call(&connection, "hello").await.unwrap();
    connection.close(GRACE).await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_another_id_is_nobodys_and_the_request_times_out() {
    let other = r#"{"jsonrpc":"2.0","id":4711,"result":{}}"#;
    let text = r#"{"jsonrpc":"2.0","id":"${id}","result":{}}"#;
    let script = polite().on_call("wrong", [Act::line(other), Act::line(text)]);
    let (connection, _peer) = connected(script).await;
    let error = call(&connection, "wrong").await.unwrap_err();
    assert!(matches!(error, RequestError::TimedOut(_)), "{error}");
    call(&connection, "hello").await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_is_no_message_is_counted_and_passed_over() {
    let noise = [Act::line("Server listening…"), Act::line(""), Act::line("{}"), Act::line("[1]")];
    let mut acts = noise.to_vec();
    acts.push(Act::say("done"));
    let bench = Bench::new();
    let script = polite().at_start(noise).on_call("noisy", acts);
    let (connection, _peer) = bench.play(script).await;
    let connection = connection.unwrap();
    assert!(call(&connection, "noisy").await.unwrap().get().contains("done"));
    call(&connection, "hello").await.unwrap();
    let bytes = "Server listening…".len();
    let counted = [bytes, 2, 3, bytes, 2, 3].map(Recorded::Garbage);
    assert_eq!(bench.events.all(), counted);
}

/// Also as the answer to a request, which then need not wait for its time-out.
#[tokio::test(start_paused = true)]
async fn a_broken_answer_ends_its_request_at_once() {
    for broken in [
        r#"{"jsonrpc":"2.0","id":${id},"result":{"a":1,"a":2}}"#,
        r#"{"jsonrpc":"2.0","id":${id},"result":{},"error":{"code":1,"message":""}}"#,
        r#"{"jsonrpc":"2.0","id":${id},"result":{"#,
        r#"{"jsonrpc":"1.0","id":${id},"result":{}}"#,
    ] {
        let script = polite().on_call("broken", [Act::line(broken)]);
        let (connection, _peer) = connected(script).await;
        let error = call(&connection, "broken").await.unwrap_err();
        assert!(matches!(error, RequestError::Protocol(_)), "{broken}: {error}");
        call(&connection, "hello").await.unwrap();
    }
}

/// A gigabyte in one line: an error for that request, and never more in memory than a message may
/// have.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn an_answer_of_a_gigabyte_costs_its_request_only() {
    let script = polite().on_call("huge", [Act::Huge(1 << 30)]);
    let connection = Bench::process(&script).open().await.unwrap();
    call(&connection, "hello").await.unwrap();
    let before = peak_memory(std::process::id());
    let error = within(call(&connection, "huge")).await.unwrap_err();
    assert!(matches!(error, RequestError::TooLarge { .. }), "{error}");
    assert!(error.to_string().contains("too large"), "{error}");
    // The rest of the line is passed over, and then the server is as before.
    let next = tokio::time::timeout(crate::HANG, async {
        while call(&connection, "hello").await.is_err() {}
    });
    next.await.unwrap();
    let grown = peak_memory(std::process::id()) - before;
    assert!(grown < 64 * 1024, "{grown} KiB");
    connection.close(GRACE).await;
}

#[tokio::test]
async fn one_byte_at_a_time_is_slow_and_right() {
    let connection = Bench::process(&polite().trickling()).open().await.unwrap();
    assert!(call(&connection, "hello").await.unwrap().get().contains("hi"));
    connection.close(GRACE).await;
}

#[tokio::test]
async fn a_flood_on_one_connection_does_not_hold_up_another() {
    let flooding = polite().on_call("flood", [Act::Flood(1_000_000)]);
    let (loud, quiet) = (Bench::process(&flooding), Bench::process(&polite()));
    let (flooded, other) = (loud.open().await.unwrap(), quiet.open().await.unwrap());
    let flood = call(&flooded, "flood");
    tokio::pin!(flood);
    let first = async {
        loud.events.heard(|event| matches!(event, Recorded::Log(_))).await;
        for _ in 0..20 {
            call(&other, "hello").await.unwrap();
        }
    };
    tokio::select! {
        biased;
        answer = &mut flood => panic!("the flood was over first: {answer:?}"),
        () = within(first) => {}
    }
    other.close(GRACE).await;
    flooded.close(GRACE).await;
}

#[tokio::test]
async fn losing_one_server_leaves_the_other_as_it_was() {
    let dying = polite().on_call("die", [Act::Exit(1)]);
    let one = Bench::process(&dying).open().await.unwrap();
    let other = Bench::process(&polite()).open().await.unwrap();
    call(&one, "die").await.unwrap_err();
    call(&other, "hello").await.unwrap();
    assert!(one.ended().is_some() && other.ended().is_none());
    other.close(GRACE).await;
}
