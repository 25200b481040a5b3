//! The server with everything the conformance suite names, seen through a connection.

use std::sync::Arc;

use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Answering, Script, everything};
use toolgate_types::QuestionKind;
use toolgate_types::config::RemoteKind;
use toolgate_upstream::{PageLimits, UpstreamConnection};
use toolgate_wire::ListMethod;

use crate::{Bench, GRACE, call, call_with, within};

fn answering() -> Arc<Answering> {
    let sampled = r#"{"role":"assistant","model":"m","content":{"type":"text","text":"Paris"}}"#;
    let elicited = r#"{"action":"accept","content":{"response":"yes"}}"#;
    let answering = Answering::new().with(QuestionKind::Sample, sampled);
    Arc::new(answering.with(QuestionKind::Elicit, elicited))
}

/// Every list in full, and one of each kind of answer.
async fn tour(connection: &UpstreamConnection) {
    for (kind, least) in [
        (ListMethod::Tools, 25),
        (ListMethod::Resources, 3),
        (ListMethod::ResourceTemplates, 1),
        (ListMethod::Prompts, 5),
    ] {
        let listed = within(connection.list(kind, PageLimits::default())).await.unwrap();
        assert!(listed.items.len() >= least && listed.cut.is_none(), "{listed:?}");
        assert!(listed.set_aside.is_empty(), "{:?}", listed.set_aside);
    }
    for (tool, expected) in [
        ("test_simple_text", "This is a simple text response for testing."),
        ("test_image_content", r#""type":"image""#),
        ("test_audio_content", r#""type":"audio""#),
        ("test_embedded_resource", "test://embedded-resource"),
        ("test_tool_with_logging", "executed successfully"),
        ("test_error_handling", r#""isError":true"#),
    ] {
        let result = within(call(connection, tool)).await.unwrap();
        assert!(result.get().contains(expected), "{result}");
    }
    connection.close(GRACE).await;
}

/// Shows: S1-10.
#[tokio::test]
async fn both_servers_are_toured_over_each_transport() {
    for script in [everything::legacy(), everything::modern()] {
        tour(&within(Bench::process(&script).open()).await.unwrap()).await;
        let site = script.over_http(WebManners::default()).await;
        let bench = Bench::remote(&site.url("/mcp"), RemoteKind::Http);
        tour(&within(bench.open()).await.unwrap()).await;
    }
}

async fn asked(script: Script, tool: &str, arguments: &str) -> String {
    let bench = Bench::new().asking(answering());
    let (connection, _peer) = bench.play(script).await;
    let result = call_with(&connection.unwrap(), tool, arguments).await.unwrap();
    result.get().to_owned()
}

#[tokio::test(start_paused = true)]
async fn the_older_server_asks_in_the_middle_of_a_call() {
    let sampled = asked(everything::legacy(), "test_sampling", r#"{"prompt":"?"}"#).await;
    assert!(sampled.contains("LLM response: Paris"), "{sampled}");
    let elicited = asked(everything::legacy(), "test_elicitation", r#"{"message":"?"}"#).await;
    assert!(elicited.contains("User response: action=accept"), "{elicited}");
}

/// What to do about it is for others; here it is handed on whole.
#[tokio::test(start_paused = true)]
async fn the_modern_server_says_what_it_needs() {
    let tool = "test_input_required_result_request_state";
    let result = asked(everything::modern(), tool, "{}").await;
    assert!(result.contains(r#""resultType":"input_required""#), "{result}");
    assert!(result.contains(r#""requestState":"kept""#), "{result}");
}

#[tokio::test]
async fn the_stream_that_the_older_server_cuts_is_resumed() {
    let site = everything::legacy().over_http(WebManners::default()).await;
    let bench = Bench::remote(&site.url("/mcp"), RemoteKind::Http);
    let connection = within(bench.open()).await.unwrap();
    let result = within(call(&connection, "test_reconnection")).await.unwrap();
    assert!(result.get().contains("Reconnection test completed"), "{result}");
    within(site.visited(|visit| visit.header("last-event-id").ends_with("-0"))).await;
    connection.close(GRACE).await;
}
