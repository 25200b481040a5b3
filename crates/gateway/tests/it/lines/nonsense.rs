//! What is no message, or too much of one: said so, and the connection goes on.

use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};

use super::Window;
use crate::gate::{Gate, Running, list, tools};

async fn gate() -> Running {
    Gate::with("one", tools(&["echo"])).limits(|limits| limits.message_bytes = 2000).run().await
}

async fn echoes(window: &mut Window) {
    let answer = window.call("still there", "one__echo", json!({})).await;
    assert_eq!(answer["result"]["content"][0]["text"], "echo", "{answer}");
}

#[tokio::test]
async fn a_line_that_is_no_request_is_answered_with_the_error_it_is() {
    let gate = gate().await;
    let mut window = Window::open(&gate).await;
    for (line, code, id) in [
        (&b"{"[..], -32700, None),
        (b"hello", -32700, None),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xFF\"}", -32700, None),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} {}", -32700, None),
        (b"17", -32600, None),
        (b"[]", -32600, None),
        (br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, None),
        (br#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#, -32600, Some(json!(7))),
        (br#"{"jsonrpc":"2.0","id":"x"}"#, -32600, Some(json!("x"))),
        (br#"{"jsonrpc":"2.0","id":8,"method":"ping","params":[]}"#, -32602, Some(json!(8))),
        (
            br#"{"jsonrpc":"2.0","id":9,"method":"ping","params":{"a":1,"a":2}}"#,
            -32600,
            Some(json!(9)),
        ),
    ] {
        window.write(line).await;
        window.write("\n").await;
        let answer = window.next().await;
        let shown = String::from_utf8_lossy(line);
        assert_eq!(answer["error"]["code"], code, "{shown}: {answer}");
        assert_eq!(answer.get("id"), id.as_ref(), "{shown}: {answer}");
    }
    echoes(&mut window).await;
}

#[tokio::test]
async fn blank_lines_and_what_is_never_answered_are_passed_over() {
    let gate = gate().await;
    let mut window = Window::open(&gate).await;
    window.write("\n\r\n   \n").await;
    for quiet in [
        r#"{"jsonrpc":"1.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/no/such"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1}}"#,
    ] {
        window.say(quiet).await;
    }
    window.heard_nothing_else().await;
    echoes(&mut window).await;
}

/// The id is told where it comes before the call, as most write it.
#[tokio::test]
async fn of_a_line_that_is_too_long_the_error_comes_once_and_the_rest_is_skipped() {
    let gate = gate().await;
    let mut window = Window::open(&gate).await;
    let filler = "x".repeat(1000);
    for (start, id) in [
        (r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":""#, Some(json!(5))),
        (r#"{"method":"tools/call","params":{"name":""#, None),
        ("", None),
    ] {
        window.write(start).await;
        for _ in 0..300 {
            window.write(&filler).await;
        }
        // The error is there long before the line is over.
        let answer = window.next().await;
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains("2000 bytes"), "{answer}");
        assert_eq!(answer.get("id"), id.as_ref(), "{answer}");
        window.write("\"}}\n").await;
        window.heard_nothing_else().await;
    }
    echoes(&mut window).await;
}

#[tokio::test]
async fn an_answer_that_is_too_long_or_no_answer_keeps_nobody_waiting() {
    let script = Script::legacy().on("tools/list", [Act::answer(list(&["ask"]))]).on_call(
        "ask",
        [
            Act::ask("elicitation/create", r#"{"message":"who?","requestedSchema":{}}"#),
            Act::answer(r#"{"content":[],"structuredContent":${answer}}"#),
        ],
    );
    let gate = Gate::with("one", script).limits(|limits| limits.message_bytes = 2000).run().await;
    let mut window = Window::of(&gate);
    window.initialize("2025-11-25", json!({"elicitation": {}})).await;
    let long = "x".repeat(3000);
    for given in [
        format!(r#""result":{{"action":"accept","content":{{"x":"{long}"}}}}"#),
        r#""result":{},"error":{"code":1,"message":"both"}"#.to_owned(),
    ] {
        window.calling(1, "one__ask", json!({})).await;
        let asked = window.next().await;
        window.say(format!(r#"{{"jsonrpc":"2.0","id":{},{given}}}"#, asked["id"])).await;
        let answer = window.answer(1).await;
        let told = &answer["result"]["structuredContent"]["result"];
        assert_eq!(told, &json!({"action": "cancel"}), "{answer}");
        assert_eq!(window.unread(), Vec::<Value>::new());
    }
}

/// As on the way in, however the bytes are cut.
#[tokio::test]
async fn messages_come_in_pieces_together_and_without_a_last_newline() {
    let gate = gate().await;
    let mut window = Window::open(&gate).await;
    let ping = |id: u32| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
    for byte in format!("{}\r\n", ping(1)).into_bytes() {
        window.write([byte]).await;
        tokio::task::yield_now().await;
    }
    assert_eq!(window.next().await["id"], 1);
    window.write(format!("{}\n{}\n{}", ping(2), ping(3), ping(4))).await;
    window.fall_silent().await;
    let ids: Vec<_> = window.rest().await.iter().map(|answer| answer["id"].clone()).collect();
    assert_eq!(ids, [2, 3, 4]);
}
