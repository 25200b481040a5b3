//! What a client of the older era is asked, and what its answers are worth.

use serde_json::{Value, json};
use toolgate_host::{ApprovalChoice, NotWaiting};
use toolgate_types::Requester;
use toolgate_types::config::{ApprovalMode, Server};

use super::{
    Person, Speaker, Way, accept, acting, answer_to, assert_asked, assert_done, assert_refused,
    forms, gate, runs,
};
use crate::gate::{Gate, within};
use crate::modern::Caller;

/// What some clients answer by themselves, and what nobody could have chosen.
fn saying_nothing() -> Vec<Value> {
    vec![
        json!({"action": "accept"}),
        json!({"action": "accept", "content": {}}),
        json!({"action": "accept", "content": null}),
        json!({"action": "accept", "content": {"decision": null}}),
        json!({"action": "accept", "content": {"decision": true}}),
        json!({"action": "accept", "content": {"decision": ""}}),
        json!({"action": "accept", "content": {"decision": "Once"}}),
        json!({"action": "accept", "content": {"decision": "always"}}),
        json!({"action": "accept", "content": {"decision": ["once"]}}),
        json!({"action": "accept", "content": {"approve": "once"}}),
        json!({"action": "DECLINE"}),
        json!({"content": {"decision": "once"}}),
        json!({}),
    ]
}

/// Shows: S4-20, S1-82, C18.
#[tokio::test]
async fn a_call_asks_its_own_client_with_one_required_choice_and_the_whole_context() {
    for way in Way::LEGACY {
        let gate = gate().await;
        let mut client = Speaker::open(&gate, way, forms()).await;
        let arguments = json!({"path": "/tmp/x", "password": "hunter2", "odd": "a\u{200b}b"});
        client.call(1, arguments.clone()).await;
        let asked = client.next().await;
        assert_asked(&asked);
        let schema = &asked["params"]["requestedSchema"];
        assert_eq!(schema["required"], json!(["decision"]));
        assert_eq!(schema["properties"].as_object().unwrap().len(), 1, "{schema}");
        let decision = &schema["properties"]["decision"];
        assert_eq!(decision["enum"], json!(["once", "session", "deny"]));
        assert!(decision.get("default").is_none(), "{decision}");
        let message = asked["params"]["message"].as_str().unwrap();
        for part in [
            " wants to call one/act.",
            "Effects: may destroy or overwrite something",
            "Workspace: /",
            "Asked because: ",
            r#""path": "/tmp/x""#,
            r#""odd": "a\u{200b}b""#,
            "The server says of it (its own words, not checked)",
            "  | Acts at once.",
        ] {
            assert!(message.contains(part), "{part}: {message}");
        }
        // Hidden by its name, it could be anything.
        assert!(message.contains("hunter2"), "{message}");
        assert_eq!(runs(&gate), 0, "nothing runs before the answer");
        client.say(answer_to(&asked, &accept("once"))).await;
        assert_done(&client.answer(1).await);
        let seen = gate.peers.last("one").await.received("tools/call").await;
        let seen: Value = serde_json::from_str(&seen).unwrap();
        assert_eq!(seen["params"]["arguments"], arguments, "what was approved is what runs");
        // Once is once.
        client.call(2, arguments).await;
        let asked = client.next().await;
        assert_asked(&asked);
        client.say(answer_to(&asked, &accept("deny"))).await;
        assert_refused(&client.answer(2).await, "denied");
        assert_eq!(runs(&gate), 1);
    }
}

/// Shows: S3-26, C18.
#[tokio::test]
async fn an_answer_for_the_session_holds_in_that_session_and_in_no_other() {
    for way in Way::LEGACY {
        let gate = gate().await;
        let mut client = Speaker::open(&gate, way, forms()).await;
        client.call(1, json!({"n": 1})).await;
        let asked = client.next().await;
        client.say(answer_to(&asked, &accept("session"))).await;
        assert_done(&client.answer(1).await);
        client.call(2, json!({"n": 2})).await;
        assert_done(&client.answer(2).await);
        let mut other = Speaker::open(&gate, way, forms()).await;
        other.call(3, json!({"n": 1})).await;
        assert_asked(&other.next().await);
        assert_eq!(runs(&gate), 2);
    }
}

/// Esc and Decline, and what else clients send where a person said no.
///
/// Shows: S4-20.
#[tokio::test]
async fn a_form_that_is_declined_or_cancelled_is_a_no_though_the_queue_could_answer() {
    let no = [
        json!({"action": "decline"}),
        json!({"action": "decline", "content": {"decision": "once"}}),
        json!({"action": "cancel"}),
    ];
    for way in Way::LEGACY {
        let gate = gate().await;
        let mut person = Person::at_the_queue(&gate);
        let mut client = Speaker::open(&gate, way, forms()).await;
        for (id, no) in (1..).zip(&no) {
            client.call(id, json!({})).await;
            let asked = client.next().await;
            let waiting = person.asked().await;
            client.say(answer_to(&asked, no)).await;
            assert_refused(&client.answer(id).await, "denied");
            assert_eq!(
                person.answers(&waiting, ApprovalChoice::Once),
                Err(NotWaiting::Answered),
                "{no}"
            );
        }
        assert_eq!(runs(&gate), 0);
    }
}

/// A client that answers by itself, as some do without a person, at once.
#[tokio::test]
async fn a_client_that_answers_by_itself_approves_and_declines_nothing() {
    for way in Way::LEGACY {
        let gate = Gate::with("one", acting()).guarded();
        let gate = gate.configured(|config| {
            config.approval.fastest_answer = std::time::Duration::from_secs(60);
        });
        let gate = gate.run().await;
        let mut person = Person::at_the_queue(&gate);
        let mut client = Speaker::open(&gate, way, forms()).await;
        for (id, said) in (1..).zip([json!({"action": "decline"}), accept("once")]) {
            client.call(id, json!({})).await;
            let asked = client.next().await;
            let waiting = person.asked().await;
            client.say(answer_to(&asked, &said)).await;
            client.heard_nothing_else().await;
            assert_eq!(gate.approvals.waiting().len(), 1, "{said}");
            person.answers(&waiting, ApprovalChoice::Deny).unwrap();
            assert_refused(&client.answer(id).await, "denied");
        }
        assert_eq!(runs(&gate), 0);
    }
}

/// Alone, a channel that closes is a no.
///
/// Shows: S4-20, G4.
#[tokio::test]
async fn an_answer_that_says_nothing_approves_nothing() {
    for way in Way::LEGACY {
        let gate = gate().await;
        let mut client = Speaker::open(&gate, way, forms()).await;
        for (id, nothing) in (1..).zip(saying_nothing()) {
            client.call(id, json!({})).await;
            let asked = client.next().await;
            assert_asked(&asked);
            client.say(answer_to(&asked, &nothing)).await;
            assert_refused(&client.answer(id).await, "denied");
        }
        assert_eq!(runs(&gate), 0);
        assert!(gate.approvals.waiting().is_empty());
    }
}

/// Shows: S4-20, G4.
#[tokio::test]
async fn a_client_that_says_nothing_closes_only_its_own_channel() {
    for way in Way::LEGACY {
        let gate = gate().await;
        let mut person = Person::at_the_queue(&gate);
        let mut client = Speaker::open(&gate, way, forms()).await;
        let mut approved = 0;
        for (id, nothing) in (1..).zip(saying_nothing()) {
            client.call(id, json!({})).await;
            let asked = client.next().await;
            let waiting = person.asked().await;
            client.say(answer_to(&asked, &nothing)).await;
            client.heard_nothing_else().await;
            assert_eq!(gate.approvals.waiting().len(), 1, "{nothing}");
            assert_eq!(runs(&gate), approved, "{nothing}");
            person.answers(&waiting, ApprovalChoice::Once).unwrap();
            assert_done(&client.answer(id).await);
            approved += 1;
        }
        assert_eq!(runs(&gate), approved);
    }
}

/// Shows: G4, S4-20.
#[tokio::test]
async fn a_client_that_cannot_show_the_question_is_no_channel() {
    for way in Way::LEGACY {
        let gate = gate().await;
        let mut client = Speaker::open(&gate, way, forms()).await;
        client.call(1, json!({})).await;
        let asked = client.next().await;
        let error = json!({"code": -32601, "message": "no such method"});
        client.say(json!({"jsonrpc": "2.0", "id": asked["id"], "error": error})).await;
        assert_refused(&client.answer(1).await, "no_channel");
        let mut person = Person::at_the_queue(&gate);
        client.call(2, json!({})).await;
        let asked = client.next().await;
        let waiting = person.asked().await;
        client.say(json!({"jsonrpc": "2.0", "id": asked["id"], "error": error})).await;
        person.answers(&waiting, ApprovalChoice::Once).unwrap();
        let heard = client.up_to_answer(2).await;
        assert_done(&heard[heard.len() - 1]);
        assert_eq!(runs(&gate), 1);
    }
}

/// Shows: G4, S4-20.
#[tokio::test]
async fn where_nobody_can_be_asked_the_answer_is_no() {
    for way in Way::ALL {
        let gate = gate().await;
        for capabilities in [json!({}), json!({"elicitation": {"url": {}}}), json!({"roots": {}})] {
            let mut client = Speaker::open(&gate, way, capabilities).await;
            client.call(1, json!({})).await;
            assert_refused(&client.answer(1).await, "no_channel");
        }
        assert_eq!(runs(&gate), 0);
        assert!(gate.approvals.waiting().is_empty());
    }
}

/// What waits says whose it is; what needs no person waits nowhere.
#[tokio::test]
async fn what_waits_names_its_caller_and_what_is_approved_beforehand_does_not_wait() {
    for way in Way::ALL {
        let gate = gate().await;
        let mut person = Person::at_the_queue(&gate);
        let mut client = Speaker::open(&gate, way, json!({})).await;
        client.call(1, json!({"n": 1})).await;
        let waiting = person.asked().await;
        let request = &waiting.request;
        let caller = request.caller.as_ref().unwrap();
        assert_eq!((request.server.as_str(), request.tool.as_str()), ("one", "act"));
        assert_eq!(caller.principal.as_str(), "local");
        assert!(caller.client.is_some());
        assert_eq!(caller.session.is_some(), way != Way::ModernHttp, "{way:?}");
        assert_eq!(request.grant.is_some(), way != Way::ModernHttp, "{way:?}");
        person.answers(&waiting, ApprovalChoice::Once).unwrap();
        assert_done(&client.answer(1).await);
    }
    let pre_approved = |server: &mut Server| server.approval = Some(ApprovalMode::Approve);
    let gate = Gate::empty().server_with("one", acting(), pre_approved).guarded().run().await;
    let mut person = Person::at_the_queue(&gate);
    for way in Way::ALL {
        let mut client = Speaker::open(&gate, way, forms()).await;
        client.call(1, json!({})).await;
        assert_done(&client.answer(1).await);
    }
    assert!(person.unheard().is_empty());
}

/// Who is at the other end is looked up by that; a session may be spoken in over many, one after
/// another.
#[tokio::test]
async fn what_waits_names_the_connection_that_its_call_came_over() {
    let gate = gate().await;
    let mut person = Person::at_the_queue(&gate);
    let session = gate.client().initialize_as("2025-03-26", &json!({})).await;
    let params = json!({"name": "one__act"});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let modern = Caller::of(&gate);
    let headed = modern.headed("tools/call", Some("one__act"));
    let whole = modern.message(&json!(1), "tools/call", r#""name":"one__act""#);
    for (client, message) in [
        (&session, call.to_string()),
        (&session, json!([call]).to_string()),
        (&session, call.to_string()),
        (&headed, whole),
    ] {
        let client = client.clone();
        let calling = tokio::spawn(async move { client.post(message).await });
        let waiting = person.asked().await;
        let caller = waiting.request.caller.as_ref().unwrap();
        let Requester::Peer(link) = &caller.requester else { panic!("{caller:?}") };
        let (peer, ours) = link.connection().ends();
        assert_eq!(ours, gate.address);
        person.answers(&waiting, ApprovalChoice::Once).unwrap();
        assert_eq!(within(calling).await.unwrap().local, peer);
    }
}
