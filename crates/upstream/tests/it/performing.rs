//! What the guard permitted, carried out: which request it becomes, and what comes of its result.

use std::time::Duration;

use tokio::time::Instant;
use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Act, Script};
use toolgate_types::config::RemoteKind;
use toolgate_types::{LogLevel, Operation, OperationOutcome, OperationResult};
use toolgate_upstream::{OperationOptions, RequestError};

use crate::{Bench, GRACE, agreeable, calling, connected, parsed, perform, plainly, raw, within};

const ODD: &str = r#"{"z":1.0,"a":1e2,"big":12345678901234567890,"é\u00e9":[null,-0.0]}"#;

fn completing(context: Option<&str>) -> Operation {
    Operation::Complete {
        reference: raw(r#"{"type":"ref/prompt","name":"greet"}"#),
        argument: raw(r#"{"name":"who","value":"A"}"#),
        context: context.map(raw),
    }
}

/// The result of an operation that must be done.
fn done(outcome: Result<OperationOutcome, RequestError>) -> OperationResult {
    match outcome {
        Ok(OperationOutcome::Done(done)) => done,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn each_operation_has_its_method_and_parameters() {
    let uri = || "file:///a b".to_owned();
    let prompt = |arguments| Operation::GetPrompt { name: "greet".into(), arguments };
    let cases = [
        (calling("t", ""), "tools/call", r#"{"name":"t","_meta":{"progressToken":${id}}}"#),
        (prompt(None), "prompts/get", r#"{"name":"greet"}"#),
        (prompt(Some(raw(ODD).into())), "prompts/get", r#"{"name":"greet","arguments":${odd}}"#),
        (Operation::ReadResource { uri: uri() }, "resources/read", r#"{"uri":"file:///a b"}"#),
        (
            completing(None),
            "completion/complete",
            r#"{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":"A"}}"#,
        ),
        (
            completing(Some(ODD)),
            "completion/complete",
            r#"{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":"A"},"context":${odd}}"#,
        ),
        (Operation::Subscribe { uri: uri() }, "resources/subscribe", r#"{"uri":"file:///a b"}"#),
        (
            Operation::Unsubscribe { uri: uri() },
            "resources/unsubscribe",
            r#"{"uri":"file:///a b"}"#,
        ),
    ];
    let (connection, peer) = connected(agreeable(Script::legacy())).await;
    for (operation, method, params) in cases {
        let result = done(perform(&connection, operation, plainly()).await);
        assert!(!result.is_error && result.result.get() == "{}");
        let sent = peer.seen().pop().unwrap();
        let id = parsed(&sent)["id"].to_string();
        let params = params.replace("${id}", &id).replace("${odd}", ODD);
        let whole =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
        assert_eq!(sent, whole);
    }
}

#[tokio::test]
async fn arguments_and_results_keep_every_byte_on_each_transport() {
    for script in [Script::legacy(), Script::modern()] {
        let script = script.on_call("echo", [Act::answer(r#"{"got":${arguments}}"#)]);
        let site = script.clone().over_http(WebManners::default()).await;
        let there = Bench::remote(&site.url("/mcp"), RemoteKind::Http);
        for bench in [Bench::process(&script), there] {
            let connection = within(bench.open()).await.unwrap();
            let echoed = within(perform(&connection, calling("echo", ODD), plainly())).await;
            assert_eq!(done(echoed).result.get(), format!(r#"{{"got":{ODD}}}"#));
            connection.close(GRACE).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_two_readers_could_read_differently_is_not_sent() {
    let (connection, peer) = connected(agreeable(Script::legacy())).await;
    let before = peer.seen().len();
    for arguments in [r#"[1]"#, r#"null"#, r#"{"a":1,"a":2}"#, r#"{"in":{"a":1,"\u0061":2}}"#] {
        let refused = perform(&connection, calling("t", arguments), plainly()).await.unwrap_err();
        assert!(matches!(refused, RequestError::Unsendable(_)), "{arguments}: {refused:?}");
        assert!(refused.to_string().contains("`arguments`"), "{refused}");
    }
    assert_eq!(peer.seen().len(), before);
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_is_listened_to_and_not_subscribed_to() {
    let (connection, peer) = connected(agreeable(Script::modern())).await;
    let before = peer.seen().len();
    let uri = || "file:///a".to_owned();
    for operation in [Operation::Subscribe { uri: uri() }, Operation::Unsubscribe { uri: uri() }] {
        let refused = perform(&connection, operation, plainly()).await.unwrap_err();
        assert!(refused.to_string().contains("are listened to"), "{refused}");
    }
    assert_eq!(peer.seen().len(), before);
}

/// Shows: S1-77.
#[tokio::test(start_paused = true)]
async fn a_tool_that_says_it_failed_has_a_result_and_is_no_error() {
    let failed = r#"{"content":[{"type":"text","text":"disk full"}],"isError":true,"x":1.0}"#;
    for script in [Script::legacy(), Script::modern()] {
        let (connection, _peer) = connected(script.on_call("t", [Act::answer(failed)])).await;
        let result = done(perform(&connection, calling("t", ""), plainly()).await);
        assert!(result.is_error);
        assert_eq!(result.result.get(), failed);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_wants_a_page_opened_first_refuses() {
    let line = r#"{"jsonrpc":"2.0","id":${id},"error":{"code":-32042,"message":"open it","data":{"elicitations":[]}}}"#;
    let (connection, _peer) = connected(Script::legacy().on_call("t", [Act::line(line)])).await;
    let refused = perform(&connection, calling("t", ""), plainly()).await;
    let Err(RequestError::Refused(error)) = refused else { panic!("{refused:?}") };
    assert_eq!(error.code, toolgate_wire::ErrorCode::URL_ELICITATION_REQUIRED);
    assert_eq!(error.data.unwrap().get(), r#"{"elicitations":[]}"#);
}

#[tokio::test]
async fn parameters_are_mirrored_into_headers_as_the_schema_wants_it() {
    let schema =
        raw(r#"{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},
        "deep":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}},
        "absent":{"type":"string","x-mcp-header":"Absent"},"own":{"type":"string"}}}"#);
    let site = Script::modern().on_call("t", [Act::say("ok")]).over_http(WebManners::default());
    let site = site.await;
    let connection = within(Bench::remote(&site.url("/mcp"), RemoteKind::Http).open()).await;
    let connection = connection.unwrap();
    let arguments = r#"{"region":"Zürich","deep":{"n":42.0},"own":"x"}"#;
    let manner = OperationOptions { input_schema: Some(&schema), ..plainly() };
    done(within(perform(&connection, calling("t", arguments), manner)).await);
    let sent = site.visited(|visit| visit.posts("tools/call")).await;
    assert_eq!(sent.header("mcp-param-region"), "=?base64?WsO8cmljaA==?=");
    assert_eq!(sent.header("mcp-param-n"), "42");
    assert!(!sent.headers.contains_key("mcp-param-absent"));
    assert_eq!(sent.headers.keys().filter(|name| name.as_str().contains("param")).count(), 2);

    let beyond = r#"{"deep":{"n":9007199254740993}}"#;
    let manner = OperationOptions { input_schema: Some(&schema), ..plainly() };
    let refused = within(perform(&connection, calling("t", beyond), manner)).await.unwrap_err();
    assert!(matches!(refused, RequestError::Unsendable(_)), "{refused:?}");
    connection.close(GRACE).await;
}

#[tokio::test]
async fn a_schema_whose_parameters_cannot_be_mirrored_stops_a_call_only_where_there_are_headers() {
    let schema =
        raw(r#"{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"no good"}}}"#);
    for (script, is_stopped) in [(Script::modern(), true), (Script::legacy(), false)] {
        let script = script.on_call("t", [Act::say("ok")]);
        let manner = || OperationOptions { input_schema: Some(&schema), ..plainly() };
        let site = script.clone().over_http(WebManners::default()).await;
        let bench = Bench::remote(&site.url("/mcp"), RemoteKind::Http);
        let connection = within(bench.open()).await.unwrap();
        let called = within(perform(&connection, calling("t", "{}"), manner())).await;
        assert_eq!(matches!(called, Err(RequestError::Protocol(_))), is_stopped, "{called:?}");
        assert_eq!(site.visits().iter().any(|visit| visit.posts("tools/call")), !is_stopped);
        connection.close(GRACE).await;
        let (piped, _peer) = connected(script).await;
        done(perform(&piped, calling("t", "{}"), manner()).await);
    }
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_is_told_with_each_operation_how_much_to_say() {
    for (script, is_told) in [(Script::modern(), true), (Script::legacy(), false)] {
        let (connection, peer) = connected(script.on_call("t", [Act::say("ok")])).await;
        let manner = OperationOptions { log_level: Some(LogLevel::Notice), ..plainly() };
        done(perform(&connection, calling("t", ""), manner).await);
        let sent = parsed(&peer.received("tools/call").await);
        let level = &sent["params"]["_meta"]["io.modelcontextprotocol/logLevel"];
        assert_eq!(level.as_str(), is_told.then_some("notice"));
    }
}

/// Shows: S1-78, S4-29, C11.
#[tokio::test(start_paused = true)]
async fn an_operation_has_its_own_limits_and_progress_stretches_them_to_the_ceiling() {
    let endless = vec![[Act::hold("go"), Act::progress(1)]; 100].concat();
    let script = Script::legacy().on_call("silent", []).on_call("endless", endless);
    let bench = Bench::new().answering_within(1_000);
    let (connection, peer) = bench.play(script).await;
    let connection = connection.unwrap();
    let limits = |timeout: u64, ceiling: u64| OperationOptions {
        timeout: Duration::from_secs(timeout),
        ceiling: Duration::from_secs(ceiling),
        ..plainly()
    };
    for (tool, manner, lasted) in [
        ("silent", limits(10, 60), 10),
        ("silent", limits(60, 20), 20),
        ("endless", limits(10, 60), 60),
    ] {
        let begun = Instant::now();
        let ticking = async {
            loop {
                tokio::time::sleep(Duration::from_secs(8)).await;
                peer.signal("go");
            }
        };
        let ended = tokio::select! {
            ended = perform(&connection, calling(tool, ""), manner) => ended,
            () = ticking => unreachable!(),
        };
        assert!(matches!(ended, Err(RequestError::TimedOut(_))), "{ended:?}");
        assert_eq!(begun.elapsed().as_secs(), lasted, "{tool}");
    }
}

/// Also a limit beyond what a clock can count is one.
#[tokio::test(start_paused = true)]
async fn without_a_limit_an_answer_may_take_days() {
    let script = Script::legacy().on_call("slow", [Act::hold("go"), Act::say("at last")]);
    let (connection, peer) = connected(script).await;
    let manner = OperationOptions { timeout: Duration::MAX, ceiling: Duration::MAX, ..plainly() };
    let (answer, ()) = tokio::join!(perform(&connection, calling("slow", ""), manner), async {
        tokio::time::sleep(Duration::from_secs(7 * 86_400)).await;
        peer.signal("go");
    });
    assert!(done(answer).result.get().contains("at last"));
}
