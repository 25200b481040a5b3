//! One call: what goes out, what comes back, what goes wrong and what the caller is told.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use toolgate_host::{Audience, Call, CallOptions, CallTarget, Guard};
use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Act, Script};
use toolgate_types::config::{Naming, ToolSettings};
use toolgate_types::{CallError, Code, LogLevel, Milliseconds, OperationOutcome, quiet_queue};

use crate::gate::{Gate, Running, id, json, list, tools, within};

fn exact(server: &str, tool: &str) -> Call {
    Call::new(CallTarget::exact(id(server), tool.to_owned()))
}

async fn result(gate: &Running, call: Call) -> (bool, String) {
    match within(gate.host.call(call)).await.unwrap() {
        OperationOutcome::Done(done) => (done.is_error, done.result.get().to_owned()),
        other => panic!("{other:?}"),
    }
}

async fn error(gate: &Running, call: Call) -> CallError {
    within(gate.host.call(call)).await.unwrap_err()
}

/// A server whose tool takes what the schema says and echoes what it was given.
fn echo(schema: &str) -> Script {
    let tools = format!(r#"{{"tools":[{{"name":"echo","inputSchema":{schema}}}]}}"#);
    Script::legacy()
        .on("tools/list", [Act::answer(tools)])
        .on_call("echo", [Act::answer(r#"{"content":[],"structuredContent":${arguments}}"#)])
}

/// Shows: S1-76, S4-1, S4-3.
#[tokio::test(start_paused = true)]
async fn arguments_and_result_pass_as_the_bytes_they_are() {
    let gate = Gate::open().server("one", echo("{}")).run();
    let odd =
        r#"{"b":1.50,"a":1e2,"u":"\u00e9","deep":{"z":[],"big":123456789012345678901234567890}}"#;
    let (_, result) = result(&gate, exact("one", "echo").arguments(json(odd))).await;
    assert_eq!(result, format!(r#"{{"content":[],"structuredContent":{odd}}}"#));
}

#[tokio::test(start_paused = true)]
async fn every_form_of_a_name_is_callable_whichever_is_listed() {
    let gate = Gate::open().server("my-server", tools(&["Read.File"])).run();
    let names = [
        "my-server__Read_File",
        "mcp__my-server__Read_File",
        "my-server.Read.File",
        "mcp_my-server_read_file_5d4b4ba6",
    ];
    for naming in Naming::ALL {
        let named = |name: &str| {
            let audience = Audience::named(*naming);
            Call::new(CallTarget::Named { audience, name: name.into() })
        };
        for name in names {
            let (failed, text) = result(&gate, named(name)).await;
            assert!(!failed && text.contains("Read.File"), "{naming} {name}");
        }
        // What the server calls it is nobody's name unless it is listed so.
        match naming {
            Naming::Bare => assert!(!result(&gate, named("Read.File")).await.0),
            _ => {
                assert_eq!(error(&gate, named("Read.File")).await.code, Code::NotFound, "{naming}");
            }
        }
    }
}

/// Shows: S1-77.
#[tokio::test(start_paused = true)]
async fn a_tool_that_fails_is_an_outcome_with_the_servers_own_words() {
    let script = Script::legacy().on("tools/list", [Act::answer(list(&["t"]))]).on_call(
        "t",
        [Act::answer(r#"{"content":[{"type":"text","text":"no disk"}],"isError":true}"#)],
    );
    let gate = Gate::open().server("one", script).run();
    let (is_error, text) = result(&gate, exact("one", "t")).await;
    assert!(is_error && text.contains("no disk"));
    assert!(gate.events.all().contains(&"ended call t: ToolError".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn begin_and_end_of_a_call_are_told_whatever_its_end() {
    let gate = Gate::open().server("one", tools(&["t"])).run();
    result(&gate, exact("one", "t")).await;
    error(&gate, exact("one", "absent")).await;
    let calls: Vec<_> =
        gate.events.all().into_iter().filter(|line| line.contains(" call ")).collect();
    let expected = [
        "began call t",
        "ended call t: Done",
        "began call absent",
        "ended call absent: Failed(NotFound)",
    ];
    assert_eq!(calls, expected);
}

#[tokio::test(start_paused = true)]
async fn arguments_that_do_not_fit_are_refused_before_the_server_sees_them() {
    let schema = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;
    let gate = Gate::open().server("one", echo(schema)).run();
    for bad in [r#"{"n":"x"}"#, "{}", "[1]", "null"] {
        let refused = error(&gate, exact("one", "echo").arguments(json(bad))).await;
        assert_eq!(refused.code, Code::InvalidArgument, "{bad}: {refused}");
    }
    assert_eq!(error(&gate, exact("one", "echo")).await.code, Code::InvalidArgument);
    assert_eq!(gate.peers.received("one", "tools/call"), 0);
    result(&gate, exact("one", "echo").arguments(json(r#"{"n":1}"#))).await;
}

#[tokio::test(start_paused = true)]
async fn null_for_an_optional_parameter_is_left_out_and_everything_else_stays() {
    let schema = r##"{"type":"object","properties":{
        "path":{"type":"string"},"tail":{"type":"number"},"mode":{"enum":["a","b"]},
        "either":{"type":["string","integer"]},"maybe":{"type":["string","null"]},
        "any":{},"choice":{"anyOf":[{"type":"string"},{"type":"null"}]},
        "deep":{"type":"object","properties":{"n":{"type":["integer","null"]}}}},
        "required":["path"]}"##;
    let gate = Gate::open().server("one", echo(&schema.replace('\n', ""))).run();
    let sent = async |arguments: &str| {
        let (_, result) = result(&gate, exact("one", "echo").arguments(json(arguments))).await;
        let sent = result.strip_prefix(r#"{"content":[],"structuredContent":"#).unwrap();
        sent.strip_suffix('}').unwrap().to_owned()
    };
    let nulls = r#"{ "tail": null, "path": "a\u00e9" , "mode":null,"either":null}"#;
    assert_eq!(sent(nulls).await, r#"{"path":"a\u00e9"}"#);
    for kept in [
        r#"{ "path":"a", "tail":1.50 }"#,
        r#"{"path":"null","maybe":null,"any":null,"choice":null,"unknown":null}"#,
        r#"{"path":"a","deep":{"n":null}}"#,
    ] {
        assert_eq!(sent(kept).await, kept, "byte for byte");
    }
    for refused in
        [r#"{"path":null}"#, r#"{"tail":null}"#, r#"{"path":"a","mode":null,"mode":"c"}"#]
    {
        let refused = error(&gate, exact("one", "echo").arguments(json(refused))).await;
        assert_eq!(refused.code, Code::InvalidArgument, "{refused}");
    }
}

#[tokio::test]
async fn a_null_that_is_left_out_is_in_no_header_either() {
    let schema = r#"{"type":"object","properties":{
        "region":{"type":"string","x-mcp-header":"Region"},
        "zone":{"type":"string","x-mcp-header":"Zone"}}}"#;
    let tools = format!(r#"{{"tools":[{{"name":"t","inputSchema":{schema}}}]}}"#);
    let tools = tools.replace('\n', "");
    let script = Script::modern().on("tools/list", [Act::answer(tools)]);
    let site = script.on_call("t", [Act::say("ok")]).over_http(WebManners::default()).await;
    let gate = Gate::open().remote("one", &site.url("/mcp")).run();
    let nulls = json(r#"{"region":null,"zone":"z"}"#);
    assert!(!result(&gate, exact("one", "t").arguments(nulls)).await.0);
    let sent = within(site.visited(|visit| visit.posts("tools/call"))).await;
    assert_eq!(sent.header("mcp-param-zone"), "z");
    assert!(!sent.headers.contains_key("mcp-param-region"));
    assert!(!sent.body.contains("region"), "{}", sent.body);
}

/// Shows: S1-81.
#[tokio::test(start_paused = true)]
async fn what_is_not_configured_needs_a_person_and_nobody_is_there() {
    let gate = Gate::guarded(Guard::default()).server("one", tools(&["t"])).run();
    let refused = error(&gate, exact("one", "t")).await;
    assert_eq!(refused.code, Code::PermissionDenied);
    assert_eq!(gate.peers.received("one", "tools/call"), 0);
    assert!(refused.message.contains("no_channel"), "{refused}");
    assert!(refused.detail.unwrap().contains("nothing is configured"), "the reason is the owner's");
}

#[tokio::test(start_paused = true)]
async fn hidden_and_absent_read_the_same() {
    let deny = toolgate_types::Pattern::parse("secret_*").unwrap();
    let gate = Gate::open()
        .server_with("one", tools(&["secret_t", "t"]), |server| server.tools.deny.push(deny))
        .run();
    assert_eq!(gate.names().await, ["t"]);
    let told = async |tool: &str| {
        let error = error(&gate, exact("one", tool)).await;
        (error.code, error.message.replace(tool, "X"))
    };
    assert_eq!(told("secret_t").await, told("absent_t").await);
    let named = error(&gate, Call::new(CallTarget::named("one__secret_t"))).await;
    assert_eq!(named.code, Code::NotFound);
    assert_eq!(gate.peers.received("one", "tools/call"), 0);
}

/// Shows: S1-78, C11.
#[tokio::test(start_paused = true)]
async fn a_call_ends_with_its_time_the_tools_own_or_the_callers() {
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["slow", "quick"]))])
        .on("tools/call", [Act::hold("never")]);
    let gate = Gate::open()
        .server_with("one", script, |server| {
            server.timeouts.tool = Milliseconds::at_least_one(60_000);
            let quick = ToolSettings {
                timeout: Some(Milliseconds::at_least_one(5_000)),
                ..ToolSettings::default()
            };
            server.tool_settings.insert("quick".to_owned(), quick);
        })
        .run();
    result_names(&gate).await;
    let took = async |call: Call| {
        let began = tokio::time::Instant::now();
        assert_eq!(error(&gate, call).await.code, Code::DeadlineExceeded);
        began.elapsed().as_secs()
    };
    assert_eq!(took(exact("one", "slow")).await, 60);
    assert_eq!(took(exact("one", "quick")).await, 5);
    let hurried = CallOptions { deadline: Some(Duration::from_secs(2)), ..CallOptions::default() };
    assert_eq!(took(exact("one", "slow").options(hurried)).await, 2);
}

async fn result_names(gate: &Running) {
    assert!(!gate.names().await.is_empty());
}

/// Shows: S1-79, S1-80.
#[tokio::test(start_paused = true)]
async fn a_cancelled_call_is_told_to_the_server_and_a_late_answer_is_ignored() {
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["slow", "t"]))])
        .on_call("slow", [Act::hold("received notifications/cancelled"), Act::say("late")])
        .on_call("t", [Act::say("t")]);
    let gate = Gate::open().server("one", script).run();
    let cancel = CancellationToken::new();
    let options = CallOptions { cancel: Some(cancel.clone()), ..CallOptions::default() };
    let (host, call) = (gate.host.clone(), exact("one", "slow").options(options));
    let running = tokio::spawn(async move { host.call(call).await });
    gate.events.heard("began call slow").await;
    within(gate.peers.last("one").received("tools/call")).await;
    cancel.cancel();
    assert_eq!(within(running).await.unwrap().unwrap_err().code, Code::Cancelled);
    within(gate.peers.last("one").received("notifications/cancelled")).await;
    result(&gate, exact("one", "t")).await;
    // Dropping the future does the same.
    let (host, call) = (gate.host.clone(), exact("one", "slow"));
    let running = tokio::spawn(async move { host.call(call).await });
    gate.events.heard_times("began call slow", 2).await;
    running.abort();
    gate.events.heard("ended call slow: Aborted").await;
}

#[tokio::test(start_paused = true)]
async fn progress_and_log_messages_come_through_while_the_call_runs() {
    let log = Act::notify("notifications/message", r#"{"level":"info","data":"halfway"}"#);
    let script = Script::legacy()
        .offering(r#"{"tools":{},"logging":{}}"#)
        .on("logging/setLevel", [Act::answer("{}")])
        .on("tools/list", [Act::answer(list(&["t"]))])
        .on_call("t", [Act::progress(1), log, Act::progress(2), Act::hold("go"), Act::say("t")]);
    let gate = Gate::open()
        .server("one", script)
        .building(|builder| builder.log_level(LogLevel::Info))
        .run();
    let (progress, mut reports) = quiet_queue(8);
    let options = CallOptions { remarks: Some(progress), ..CallOptions::default() };
    let (host, call) = (gate.host.clone(), exact("one", "t").options(options));
    let running = tokio::spawn(async move { host.call(call).await });
    let first = within(reports.recv()).await.unwrap();
    let second = within(reports.recv()).await.unwrap();
    assert!(
        first.raw().get().contains(r#""progress":1"#)
            && second.raw().get().contains(r#""progress":2"#)
    );
    assert!(gate.events.heard("one says").await.contains("halfway"));
    within(gate.peers.last("one").received(r#""level":"info""#)).await;
    gate.peers.last("one").signal("go");
    within(running).await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_error_has_a_code_a_sentence_and_a_reference_and_keeps_the_servers_answer_apart() {
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["t"]))])
        .on_call("t", [Act::refuse(-32602, "no\u{1b}[31m such thing")]);
    let gate = Gate::open().server("one", script).run();
    let refused = error(&gate, exact("one", "t")).await;
    assert_eq!(refused.code, Code::InvalidArgument);
    assert!(!refused.message.contains('\u{1b}'), "{refused}");
    assert!(refused.to_string().contains(refused.correlation.as_str()));
    let answer = refused.answer.unwrap();
    assert_eq!((answer.code, answer.message.as_str()), (-32602, "no\u{1b}[31m such thing"));
}

#[tokio::test]
async fn a_program_that_does_not_exist_is_told_without_its_path() {
    let missing = crate::gate::stdio("/nowhere/at/all", &[]);
    let gate = Gate::open().entry("one", missing, |_| {}).run();
    let refused = error(&gate, exact("one", "t")).await;
    assert_eq!(refused.code, Code::Unavailable);
    assert!(!refused.message.contains("nowhere"), "{}", refused.message);
    assert!(refused.detail.unwrap().contains("nowhere"), "the log has it");
}

#[tokio::test(start_paused = true)]
async fn a_deadline_holds_for_the_start_of_the_server_too() {
    let hangs = Script::legacy().on("initialize", [Act::hold("never")]);
    let gate = Gate::open().server("one", hangs).run();
    let hurried = CallOptions { deadline: Some(Duration::from_secs(2)), ..CallOptions::default() };
    let began = tokio::time::Instant::now();
    let late = error(&gate, exact("one", "t").options(hurried)).await;
    assert_eq!((late.code, began.elapsed().as_secs()), (Code::DeadlineExceeded, 2));
}

/// A definition that changed between two connections is not decided on by its old words.
#[tokio::test(start_paused = true)]
async fn a_call_that_starts_the_server_again_goes_by_what_the_server_says_now() {
    let strict = r#"{"type":"object","required":["n"]}"#;
    let gate = Gate::open().scripts("one", vec![echo("{}"), echo(strict)], |_| {}).run();
    let tools = gate.host.tools().await;
    let tool = tools.iter().find(|tool| tool.origin().is_some()).unwrap();
    within(tool.call(json("{}"))).await.unwrap();
    gate.host.close(&id("one")).await;
    let refused = within(tool.call(json("{}"))).await.unwrap_err();
    assert_eq!(refused.code, Code::InvalidArgument, "{refused}");
}
