//! What a client says that nobody here knows is between it and the server.

use serde_json::json;
use toolgate_testkit::{Act, Script};

use crate::gate::{Gate, list, within};
use crate::modern::Caller;

fn server(script: Script) -> Script {
    script.on("tools/list", [Act::answer(list(&["t"]))]).on_call("t", [Act::say("done")])
}

/// Shows: E-8.
#[tokio::test]
async fn members_of_params_that_nobody_knows_reach_servers_of_either_era() {
    for script in [Script::legacy(), Script::modern()] {
        let gate = Gate::with("one", server(script)).run().await;
        let caller = Caller::of(&gate);
        let members = r#""name":"one__t","arguments":{},"com.example/x":{"n":1.50},"later":[1e2],"task":{"ttl":1}"#;
        let answer = caller.raw(json!(1), "tools/call", members).await.answer().await;
        assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
        let seen = within(gate.peers.last("one").await.received(r#""tools/call""#)).await;
        assert!(seen.contains(r#""com.example/x":{"n":1.50}"#), "{seen}");
        assert!(seen.contains(r#""later":[1e2]"#), "{seen}");
        // What it becomes could not be asked for.
        assert!(!seen.contains("task"), "{seen}");
    }
}

/// A server that ignores case would find one of these where it looks for another.
#[tokio::test]
async fn members_that_only_look_like_known_ones_are_refused() {
    let gate = Gate::with("one", server(Script::legacy())).run().await;
    let caller = Caller::of(&gate);
    for odd in [r#""Name":"x""#, r#""ARGUMENTS":{"a":1}"#, r#""_Meta":{}"#, r#""RequestState":"s""#]
    {
        let members = format!(r#""name":"one__t","arguments":{{}},{odd}"#);
        let answer = caller.raw(json!(1), "tools/call", &members).await.answer().await;
        assert_eq!(answer["error"]["code"], -32602, "{odd}: {answer}");
    }
    assert_eq!(gate.peers.received("one", r#""tools/call""#), 0);
}
