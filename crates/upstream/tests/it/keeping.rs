//! What passes through keeps every byte: fields nobody knows yet, the spelling of numbers, the
//! order of keys.

use toolgate_testkit::{Act, Script};
use toolgate_upstream::PageLimits;
use toolgate_wire::ListMethod;

use crate::{Bench, call_with, connected};

const ODD: &str =
    r#"{"z":1.0,"a":1e2,"big":12345678901234567890,"é\u00e9":[null,-0.0],"_meta":{"x/y":1}}"#;

#[tokio::test(start_paused = true)]
async fn a_result_and_a_content_block_of_a_future_kind_come_out_as_they_went_in() {
    let result = format!(
        r#"{{"structuredContent":{ODD},"content":[{{"type":"hologram","of":{ODD}}}],"novel":{ODD}}}"#
    );
    for script in [Script::legacy(), Script::modern()] {
        let (connection, _peer) =
            connected(script.on_call("odd", [Act::answer(result.clone())])).await;
        assert_eq!(call_with(&connection, "odd", "{}").await.unwrap().get(), result);
    }
}

#[tokio::test(start_paused = true)]
async fn arguments_reach_the_server_as_they_were_given() {
    let script = Script::legacy().on_call("echo", [Act::answer(r#"{"got":${arguments}}"#)]);
    let (connection, _peer) = connected(script).await;
    let result = call_with(&connection, "echo", ODD).await.unwrap();
    assert_eq!(result.get(), format!(r#"{{"got":{ODD}}}"#));
}

#[tokio::test(start_paused = true)]
async fn a_tool_keeps_what_nobody_knows_yet() {
    let tool = format!(
        r#"{{"novel":{ODD},"name":"odd","inputSchema":{{"type":"object","maximum":1.0}},"annotations":{ODD}}}"#
    );
    let list = format!(r#"{{"tools":[{tool}]}}"#);
    let (connection, _peer) =
        connected(Script::legacy().on("tools/list", [Act::answer(list)])).await;
    let listed = connection.list(ListMethod::Tools, PageLimits::default()).await.unwrap();
    assert_eq!(listed.items[0].1.get(), tool);
}

#[tokio::test]
async fn the_same_holds_for_a_process() {
    let result = format!(r#"{{"content":[{{"type":"hologram","of":{ODD}}}]}}"#);
    let script = Script::legacy().on_call("odd", [Act::answer(result.clone())]);
    let connection = Bench::process(&script).open().await.unwrap();
    assert_eq!(call_with(&connection, "odd", "{}").await.unwrap().get(), result);
    connection.close(crate::GRACE).await;
}
