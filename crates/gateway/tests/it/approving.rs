//! Calls that a person has to approve, asked about over their own client and at the approval queue.
//!
//! `speaker` is a client in any of the four ways to speak, `person` somebody who looks at the approval queue.
//! What a question says, what an answer is worth and when one is too old is shown with the guard and
//! the host; here is what goes over the wire.

mod answers;
mod chained;
mod channels;
mod ending;
mod foreign;
mod person;
mod progress;
mod racing;
mod rounds;
mod speaker;
mod states;
mod withdrawing;

use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};

use crate::gate::{Gate, Running};
use person::Person;
use speaker::{Speaker, Way};

/// The capability of a client that shows forms.
fn forms() -> Value {
    json!({"elicitation": {"form": {}}})
}

/// A server with a tool that does something and says so.
fn acting() -> Script {
    performing([Act::say("done")])
}

/// A server whose one tool does this.
fn performing(acts: impl Into<Vec<Act>>) -> Script {
    let tool = r#"{"name":"act","description":"Acts at once.","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}}"#;
    Script::legacy()
        .on("tools/list", [Act::answer(format!(r#"{{"tools":[{tool}]}}"#))])
        .on_call("act", acts)
}

/// A gateway where nothing is configured, so that a person is asked about every call.
async fn gate() -> Running {
    Gate::with("one", acting()).guarded().run().await
}

/// How many calls reached the server.
fn runs(gate: &Running) -> usize {
    gate.peers.received("one", "tools/call")
}

/// A filled-in form.
fn accept(decision: &str) -> Value {
    json!({"action": "accept", "content": {"decision": decision}})
}

/// The answer to this question of the gate.
fn answer_to(asked: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": asked["id"], "result": result})
}

#[track_caller]
fn assert_asked(message: &Value) {
    assert_eq!(message["method"], "elicitation/create", "{message}");
}

/// The call ran, and this is what the server said.
#[track_caller]
fn assert_done(answer: &Value) {
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
    assert!(answer["result"].get("isError").is_none(), "{answer}");
}

/// The call did not run, for this reason; the model can read that, and nothing that it could use.
#[track_caller]
fn assert_refused(answer: &Value, reason: &str) {
    let result = &answer["result"];
    assert_eq!(result["isError"], true, "{answer}");
    assert_eq!(result["_meta"]["toolgate/code"], "permission_denied", "{answer}");
    assert_eq!(result["_meta"]["toolgate/reason"], reason, "{answer}");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains(&format!("({reason})")), "{text}");
    for command in ["toolgate", "approve ", "act", "$", "`"] {
        assert!(!text.contains(command), "no command: {text}");
    }
}
