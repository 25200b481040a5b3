//! A remote server that speaks both eras is spoken to in the one that does more for its caller.

use std::sync::Arc;

use toolgate_host::{Attendant, Call, CallOptions, CallTarget};
use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Act, Answering, Script};
use toolgate_types::{Asker, OperationOutcome, QuestionKind};

use crate::gate::{Gate, Running, id, list, within};
use crate::parking::ComesBack;

/// A tool that asks on its connection, as most were written: in the modern era it cannot.
fn server(script: Script) -> Script {
    script
        .on("tools/list", [Act::answer(list(&["t"]))])
        .on_when("tools/call t", "clientCapabilities", [Act::say("nobody was asked")])
        .on_call(
            "t",
            [
                Act::ask("elicitation/create", r#"{"message":"who?"}"#),
                Act::say("${answer:/result/content/name}"),
            ],
        )
}

async fn called(gate: &Running, asker: Arc<dyn Asker>) -> String {
    let attendant = Attendant { asker, capabilities: None, party: None, takes_logs: false };
    let options = CallOptions { attendant: Some(attendant), ..CallOptions::default() };
    let call = Call::new(CallTarget::exact(id("one"), "t")).options(options);
    match within(gate.host.call(call)).await.unwrap() {
        OperationOutcome::Done(done) => done.result.get().to_owned(),
        other => format!("{other:?}"),
    }
}

fn ada() -> Arc<dyn Asker> {
    let answer = r#"{"action":"accept","content":{"name":"Ada"}}"#;
    Arc::new(Answering::new().with(QuestionKind::Elicit, answer))
}

/// Shows: C20, E-1.
#[tokio::test]
async fn a_caller_that_is_asked_while_a_call_runs_has_the_older_era_and_the_others_the_modern_one()
{
    let site = server(Script::both()).over_http(WebManners::default()).await;
    let gate = Gate::open().remote("one", &site.url("/mcp")).run();
    for _ in 0..3 {
        assert!(called(&gate, ada()).await.contains("Ada"));
        let coming_back = called(&gate, Arc::new(ComesBack)).await;
        assert!(coming_back.contains("nobody was asked"), "{coming_back}");
        let nobody = called(&gate, Arc::new(Answering::new())).await;
        assert!(nobody.contains("nobody was asked"), "{nobody}");
    }
    let seen = |method: &str| site.visits().iter().filter(|visit| visit.posts(method)).count();
    assert_eq!((seen("initialize"), seen("server/discover")), (1, 1));
    assert_eq!(seen("tools/list"), 1, "one list, whoever asks");
    gate.host.close_all().await;
}

#[tokio::test]
async fn a_server_of_the_modern_era_alone_is_asked_once_and_spoken_to_in_that() {
    let site = server(Script::modern()).over_http(WebManners::default()).await;
    let gate = Gate::open().remote("one", &site.url("/mcp")).run();
    for _ in 0..3 {
        let said = called(&gate, ada()).await;
        assert!(said.contains("nobody was asked"), "{said}");
    }
    let asked = site.visits().iter().filter(|visit| visit.posts("initialize")).count();
    assert_eq!(asked, 1, "it is not asked again and again");
}

#[tokio::test]
async fn a_server_that_is_silent_in_the_older_era_holds_no_call_up_for_long() {
    let script = server(Script::both()).on("initialize", [Act::hold("never")]);
    let site = script.over_http(WebManners::default()).await;
    let gate = Gate::open().remote("one", &site.url("/mcp")).run();
    for _ in 0..2 {
        let said = called(&gate, ada()).await;
        assert!(said.contains("nobody was asked"), "{said}");
    }
}
