//! What a server asks and says in the middle of an operation goes to the one it is for.

use std::sync::Arc;

use toolgate_host::{Attendant, Call, CallOptions, CallTarget, ServerRemark};
use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Act, Answering, Script};
use toolgate_types::{OperationOutcome, QuestionKind, quiet_queue};

use crate::gate::{Gate, Running, id, list, within};

/// A server whose tools ask for a name, say something before, and answer with what they were told.
/// Each waits for a signal of its own name.
fn asking(tools: &[&str]) -> Script {
    let script = Script::legacy().on("tools/list", [Act::answer(list(tools))]);
    tools.iter().fold(script, |script, tool| {
        let acts = [
            Act::notify("notifications/message", r#"{"level":"info","data":"asking"}"#),
            Act::hold(tool),
            Act::ask("elicitation/create", r#"{"message":"who?"}"#),
            Act::answer(r#"{"content":[],"told":${answer}}"#),
        ];
        script.on_call(tool, acts)
    })
}

fn named(name: &str) -> Arc<Answering> {
    let answer = format!(r#"{{"action":"accept","content":{{"name":"{name}"}}}}"#);
    Arc::new(Answering::new().with(QuestionKind::Elicit, &answer))
}

/// Somebody who elicits is there for the whole host, and should never be asked here.
fn gate(gate: Gate) -> (Running, Arc<Answering>) {
    let general = named("nobody");
    let asker = Arc::clone(&general) as _;
    (gate.building(|host| host.asker(asker)).run(), general)
}

async fn call(gate: &Running, tool: &str, name: &str) -> String {
    let attendant =
        Attendant { asker: named(name), capabilities: None, party: None, takes_logs: false };
    let options = CallOptions { attendant: Some(attendant), ..CallOptions::default() };
    let call = Call::new(CallTarget::exact(id("one"), tool)).options(options);
    match within(gate.host.call(call)).await.unwrap() {
        OperationOutcome::Done(done) => done.result.get().to_owned(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_goes_to_whoever_attends_the_call_and_so_does_what_is_said() {
    let (gate, general) = gate(Gate::open().server("one", asking(&["ask", "wonder"])));
    let (log, mut said) = quiet_queue(4);
    let attendant =
        Attendant { asker: named("ada"), capabilities: None, party: None, takes_logs: true };
    let options =
        CallOptions { attendant: Some(attendant), remarks: Some(log), ..CallOptions::default() };
    let call = Call::new(CallTarget::exact(id("one"), "ask")).options(options);
    let host = gate.host.clone();
    let call = tokio::spawn(async move { host.call(call).await.unwrap() });
    let said = within(said.recv()).await.unwrap();
    assert!(matches!(&said, ServerRemark::Log(raw) if raw.get().contains("asking")), "{said:?}");
    gate.peers.last("one").signal("ask");
    let OperationOutcome::Done(done) = within(call).await.unwrap() else { panic!("nobody defers") };
    assert!(done.result.get().contains("ada"), "{}", done.result);
    assert!(general.asked().is_empty());
    assert!(!gate.events.all().iter().any(|line| line.contains("asking")), "nobody else is told");
}

/// Over one pipe a question does not say which of two calls it is about: it is refused, and from
/// then on one call follows the other.
#[tokio::test(start_paused = true)]
async fn where_a_question_could_be_about_either_call_neither_is_asked_and_then_they_queue() {
    let (gate, general) = gate(Gate::open().server("one", asking(&["ask", "wonder"])));
    let both = async |one: &str, other: &str| {
        let calls = async { tokio::join!(call(&gate, "ask", one), call(&gate, "wonder", other)) };
        let signals = async {
            while gate.peers.starts("one") == 0 {
                tokio::task::yield_now().await;
            }
            let peer = gate.peers.last("one");
            // Both are under way where they may be.
            within(peer.received("ask")).await;
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            peer.signal("ask");
            peer.signal("wonder");
        };
        tokio::join!(calls, signals).0
    };
    let (one, other) = both("ada", "alan").await;
    assert!(one.contains("error") || other.contains("error"), "{one} {other}");
    assert!(!one.contains("alan") && !other.contains("ada"), "{one} {other}");
    assert!(general.asked().is_empty());
    let (one, other) = both("grace", "joan").await;
    assert!(one.contains("grace") && other.contains("joan"), "{one} {other}");
}

/// Over HTTP each request has its own stream.
#[tokio::test]
async fn over_http_each_question_is_about_the_call_on_whose_stream_it_comes() {
    let tools = ["ada", "alan", "grace", "joan"];
    let site = asking(&tools).over_http(WebManners::default()).await;
    let (gate, general) = gate(Gate::open().remote("one", &site.url("/mcp")));
    tools.iter().for_each(|tool| site.signal(tool));
    let (ada, alan, grace, joan) = tokio::join!(
        call(&gate, "ada", "Ada"),
        call(&gate, "alan", "Alan"),
        call(&gate, "grace", "Grace"),
        call(&gate, "joan", "Joan")
    );
    assert!(ada.contains("Ada") && alan.contains("Alan"), "{ada} {alan}");
    assert!(grace.contains("Grace") && joan.contains("Joan"), "{grace} {joan}");
    assert!(general.asked().is_empty());
}
