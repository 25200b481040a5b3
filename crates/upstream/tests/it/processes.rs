//! Servers that are processes: started, listened to, ended.

use std::path::Path;
use std::time::Duration;

use toolgate_testkit::{Act, Recorded, Script};
use toolgate_types::ConfigText;
use toolgate_types::config::Transport;
use toolgate_upstream::{ConnectError, RequestError, UpstreamConnection};
use toolgate_wire::{Era, ProtocolRevision};

use crate::{Bench, GRACE, call, call_with, within};

async fn pid(connection: &UpstreamConnection) -> u32 {
    let result = call(connection, "pid").await.unwrap();
    let result: serde_json::Value = serde_json::from_str(result.get()).unwrap();
    result["pid"].as_u64().unwrap().try_into().unwrap()
}

fn telling_its_pid(script: Script) -> Script {
    script.on_call("pid", [Act::answer(r#"{"pid":${pid}}"#)])
}

fn is_running(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

/// Waits for the end of a process that nobody tells us of.
async fn gone(pid: u32) {
    within(async {
        while is_running(pid) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

/// Shows: S0-3, S0-8, S1-62.
#[tokio::test]
async fn a_process_is_spoken_to_over_its_standard_streams() {
    for (script, era) in [(Script::legacy(), Era::Legacy), (Script::modern(), Era::Modern)] {
        let script = telling_its_pid(script).on_call("hello", [Act::say("hi")]);
        let connection = Bench::process(&script).open().await.unwrap();
        assert_eq!(connection.handshake().era(), era);
        assert!(call(&connection, "hello").await.unwrap().get().contains("hi"));
        let pid = pid(&connection).await;
        assert_eq!(connection.pid(), Some(pid));
        assert!(is_running(pid));
        connection.close(GRACE).await;
        assert!(!is_running(pid), "nothing is left after closing");
        assert!(matches!(call(&connection, "hello").await, Err(RequestError::Closed(_))));
    }
}

/// As servers made with the Rust SDK before its version 3 do.
#[tokio::test]
async fn a_server_that_ends_at_a_first_message_it_does_not_expect_is_started_again() {
    let script = Script::legacy()
        .on("server/discover", [Act::Exit(1)])
        .on_call("hello", [Act::answer(r#"{"seen":${seen}}"#)]);
    let connection = within(Bench::process(&script).open()).await.unwrap();
    assert_eq!(connection.handshake().era(), Era::Legacy);
    let seen = call(&connection, "hello").await.unwrap();
    assert!(seen.get().starts_with(r#"{"seen":[{"jsonrpc":"2.0","id":1,"method":"initialize""#));
    connection.close(GRACE).await;
}

/// Shows: S1-64.
#[tokio::test]
async fn a_process_of_a_version_nobody_knows_is_ended() {
    let complaint = [Act::complain("pid ${pid}")];
    let script = Script::legacy().speaking("1999-01-01").at_start(complaint).ignoring_end();
    let bench = Bench::process(&script);
    let error = within(bench.open()).await.unwrap_err();
    assert!(matches!(&error, ConnectError::UnsupportedVersion(v) if v == "1999-01-01"), "{error}");
    let Recorded::Closed(reason) = bench.events.heard(is_closed).await else { panic!() };
    gone(pid_in(&reason)).await;
}

/// Shows: S4-27.
#[tokio::test]
async fn the_folder_is_the_workspace_unless_the_entry_names_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder_path = folder.path().canonicalize().unwrap();
    std::fs::create_dir(folder.path().join("inner")).unwrap();
    for (cwd, expected) in [(None, folder_path.clone()), (Some("inner"), folder_path.join("inner"))]
    {
        let mut bench = Bench::command("/bin/sh", &["-c", "pwd >&2; exit 3"]);
        bench.workspace = folder_path.clone();
        if let Transport::Stdio(stdio) = &mut bench.server.transport {
            stdio.cwd = cwd.map(|cwd| ConfigText::Plain(cwd.to_owned()));
        }
        let error = within(bench.open()).await.unwrap_err().to_string();
        assert!(error.ends_with(&format!("it last said: {}", expected.display())), "{error}");
    }
}

/// Shows: S4-27.
#[tokio::test]
async fn what_a_server_complains_of_can_be_read() {
    let acts = [Act::complain("disk \u{1b}[31mfull"), Act::say("noted")];
    let connection =
        Bench::process(&Script::legacy().on_call("complain", acts)).open().await.unwrap();
    call(&connection, "complain").await.unwrap();
    // The two streams are read side by side.
    within(async {
        while connection.stderr_tail().is_none() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(connection.stderr_tail().unwrap(), "disk \\u{1b}[31mfull");
    connection.close(GRACE).await;
}

#[tokio::test]
async fn a_command_that_does_not_exist_is_named() {
    let error = Bench::command("no-such-program-anywhere", &[]).open().await.unwrap_err();
    assert!(matches!(error, ConnectError::Setup { .. }), "{error:?}");
    assert!(error.to_string().contains("no-such-program-anywhere"), "{error}");
}

/// Shows: S4-10, S0-2.
#[tokio::test]
async fn closing_ends_the_input_then_asks_then_insists() {
    let stubborn = telling_its_pid(Script::legacy()).ignoring_term();
    let connection = Bench::process(&stubborn).open().await.unwrap();
    let pid = pid(&connection).await;
    within(connection.close(GRACE)).await;
    assert!(!is_running(pid));
    assert_eq!(connection.stderr_tail().unwrap(), "the input ended\nSIGTERM");
}

/// Shows: S4-10.
#[tokio::test]
async fn dropping_a_connection_ends_a_process_that_would_stay() {
    let stubborn = telling_its_pid(Script::legacy()).ignoring_term();
    let connection = Bench::process(&stubborn).open().await.unwrap();
    let pid = pid(&connection).await;
    drop(connection);
    gone(pid).await;
}

/// Shows: S4-10, S4-28.
#[tokio::test]
async fn a_process_that_never_answers_is_ended_when_its_time_is_over() {
    let silent = Script::legacy()
        .at_start([
            Act::complain("looking for the registry"),
            Act::notify("notifications/message", r#"{"data":"pid ${pid}"}"#),
        ])
        .on("server/discover", [])
        .on("initialize", [])
        .ignoring_term();
    let bench = Bench::process(&silent).starting_within(1_500);
    let error = within(bench.open()).await.unwrap_err();
    assert!(matches!(error, ConnectError::StartTimedOut { .. }), "{error}");
    let words = "no answer within 1500 ms; it last said: looking for the registry";
    assert_eq!(error.to_string(), words);
    let Recorded::Log(said) = bench.events.heard(|it| matches!(it, Recorded::Log(_))).await else {
        panic!()
    };
    gone(pid_in(&said)).await;
}

/// A server that stops reading must not hold up the end of its connection.
#[tokio::test]
async fn closing_does_not_wait_for_a_server_that_has_stopped_reading() {
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}"#;
    let script = format!("read a; echo '{answer}'; read b; exec sleep 1000");
    let bench = Bench::command("/bin/sh", &["-c", &script]).knowing(ProtocolRevision::V2025_11_25);
    let connection = within(bench.open()).await.unwrap();
    // More than fits into a pipe, from somebody who gives up and from somebody who does not.
    let long = format!(r#"{{"long":"{}"}}"#, "x".repeat(1_000_000));
    let (one, other) = (call_with(&connection, "a", &long), call_with(&connection, "b", &long));
    let (mut one, other) = (Box::pin(one), Box::pin(other));
    assert!(tokio::time::timeout(GRACE, &mut one).await.is_err());
    drop(one);
    let (error, ()) = within(async { tokio::join!(other, connection.close(GRACE)) }).await;
    assert!(matches!(error, Err(RequestError::Closed(_))), "{error:?}");
}

fn is_closed(event: &Recorded) -> bool {
    matches!(event, Recorded::Closed(_))
}

fn pid_in(text: &str) -> u32 {
    let digits = text.split("pid ").nth(1).unwrap();
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().unwrap()
}
