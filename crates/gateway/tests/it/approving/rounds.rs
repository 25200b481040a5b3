//! The modern era: the question goes back as the answer, and the client comes back with what was
//! filled in, or finds that somebody else was faster.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use toolgate_host::{ApprovalChoice, ApprovalOutcome, WaitingApproval};
use toolgate_testkit::{Act, Script};
use toolgate_types::Milliseconds;

use super::{
    Person, Speaker, Way, accept, acting, assert_done, assert_refused, forms, gate, performing,
    runs,
};
use crate::gate::{Gate, list};

/// A call that was asked about: the answer that asks, and how it waits at the approval queue.
pub(super) async fn ask(
    client: &mut Speaker,
    person: &mut Person,
    arguments: Value,
) -> (Value, WaitingApproval) {
    client.call(1, arguments).await;
    let asked = client.answer(1).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    (asked, person.asked().await)
}

/// Shows: S4-20, S1-82, G4.
#[tokio::test]
async fn the_question_goes_back_as_the_answer_and_the_retry_runs_the_call() {
    for way in Way::MODERN {
        let gate = gate().await;
        let mut person = Person::at_the_queue(&gate);
        let mut client = Speaker::open(&gate, way, forms()).await;
        let arguments = json!({"path": "/tmp/x", "token": "hunter2"});
        let (asked, _) = ask(&mut client, &mut person, arguments.clone()).await;
        let result = &asked["result"];
        let requests = result["inputRequests"].as_object().unwrap();
        assert_eq!(requests.keys().collect::<Vec<_>>(), ["toolgate.approval"]);
        let request = &requests["toolgate.approval"];
        assert_eq!(request["method"], "elicitation/create");
        let schema = &request["params"]["requestedSchema"];
        assert_eq!(schema["required"], json!(["decision"]));
        let decision = &schema["properties"]["decision"];
        assert!(decision.get("default").is_none(), "{decision}");
        // Only a connection is something that an answer could be kept for.
        match way {
            Way::ModernHttp => assert_eq!(decision["enum"], json!(["once", "deny"])),
            _ => assert_eq!(decision["enum"], json!(["once", "session", "deny"])),
        }
        let message = request["params"]["message"].as_str().unwrap();
        assert!(message.contains("one/act") && message.contains("/tmp/x"), "{message}");
        let state = result["requestState"].as_str().unwrap();
        // Hidden by its name, it could be anything.
        assert!(message.contains("hunter2"), "{message}");
        let note = state.split('.').nth(1).unwrap();
        let note = String::from_utf8(BASE64.decode(note).unwrap()).unwrap();
        assert!(!note.contains("hunter2") && !note.contains("/tmp/x"), "{note}");
        assert!(result.get("content").is_none() && result.get("isError").is_none(), "{result}");
        assert_eq!(runs(&gate), 0);
        client.retry(2, arguments.clone(), &asked, accept("once")).await;
        assert_done(&client.answer(2).await);
        let seen = gate.peers.last("one").await.received("tools/call").await;
        assert!(seen.contains("hunter2") && !seen.contains("toolgate.approval"), "{seen}");
        assert!(!seen.contains("requestState") && !seen.contains("inputResponses"), "{seen}");
        // Once is once.
        let (asked, _) = ask(&mut client, &mut person, arguments.clone()).await;
        client.retry(2, arguments, &asked, accept("deny")).await;
        assert_refused(&client.answer(2).await, "denied");
        assert_eq!(runs(&gate), 1);
    }
}

/// Whatever the retry says.
///
/// Shows: G4, S4-20.
#[tokio::test]
async fn an_answer_of_the_queue_counts_where_it_came_before_the_retry_unless_that_says_no() {
    let nothing = || json!({"action": "accept"});
    for way in Way::MODERN {
        let gate = gate().await;
        let mut person = Person::at_the_queue(&gate);
        let mut client = Speaker::open(&gate, way, forms()).await;
        let mut approved = 0;
        for (choice, said) in [
            (ApprovalChoice::Once, accept("deny")),
            (ApprovalChoice::Once, accept("once")),
            (ApprovalChoice::Once, nothing()),
            (ApprovalChoice::Deny, accept("once")),
            (ApprovalChoice::Deny, nothing()),
        ] {
            let (asked, waiting) = ask(&mut client, &mut person, json!({})).await;
            person.answers(&waiting, choice).unwrap();
            let is_no = choice == ApprovalChoice::Deny || said == accept("deny");
            client.retry(2, json!({}), &asked, said).await;
            let answer = client.answer(2).await;
            match is_no {
                true => assert_refused(&answer, "denied"),
                false => {
                    approved += 1;
                    assert_done(&answer);
                }
            }
            assert_eq!(runs(&gate), approved);
        }
    }
}

/// A person who said no to this call meant this call, whatever they granted meanwhile.
///
/// Shows: C18, G4.
#[tokio::test]
async fn a_no_counts_though_the_tool_was_granted_for_the_session_meanwhile() {
    let gate = gate().await;
    let mut person = Person::at_the_queue(&gate);
    let mut client = Speaker::open(&gate, Way::ModernLines, forms()).await;
    let (over_client, _) = ask(&mut client, &mut person, json!({"n": 1})).await;
    let (at_queue, waiting) = ask(&mut client, &mut person, json!({"n": 2})).await;
    let (granted, _) = ask(&mut client, &mut person, json!({"n": 3})).await;
    person.answers(&waiting, ApprovalChoice::Deny).unwrap();
    client.retry(2, json!({"n": 3}), &granted, accept("session")).await;
    assert_done(&client.answer(2).await);
    client.retry(3, json!({"n": 1}), &over_client, accept("deny")).await;
    assert_refused(&client.answer(3).await, "denied");
    client.retry(4, json!({"n": 2}), &at_queue, accept("once")).await;
    assert_refused(&client.answer(4).await, "denied");
    assert!(gate.approvals.waiting().is_empty());
    assert_eq!(runs(&gate), 1);
    // What nobody said no to is granted.
    client.call(5, json!({"n": 1})).await;
    assert_done(&client.answer(5).await);
}

/// Shows: G4, S4-20.
#[tokio::test]
async fn a_retry_that_says_nothing_waits_for_the_queue_and_without_one_is_a_no() {
    for way in Way::MODERN {
        let gate = gate().await;
        let mut person = Person::who_only_watches(&gate);
        let mut client = Speaker::open(&gate, way, forms()).await;
        let nothing = [json!({"action": "accept"}), json!("once")];
        for said in nothing.iter().cloned().chain([json!({"action": "decline"})]) {
            let (asked, _) = ask(&mut client, &mut person, json!({})).await;
            client.retry(2, json!({}), &asked, said).await;
            assert_refused(&client.answer(2).await, "denied");
        }
        assert_eq!(runs(&gate), 0);
        gate.approvals.open_queue();
        gate.approvals.note_person();
        for (said, times) in nothing.into_iter().zip(1..) {
            let (asked, waiting) = ask(&mut client, &mut person, json!({})).await;
            client.retry(2, json!({}), &asked, said).await;
            // The same again does not make it two.
            client.retry(3, json!({}), &asked, accept("once")).await;
            assert_refused(&client.answer(3).await, "expired");
            person.answers(&waiting, ApprovalChoice::Once).unwrap();
            assert_done(&client.answer(2).await);
            assert_eq!(runs(&gate), times);
        }
    }
}

/// Shows: G4, S4-20.
#[tokio::test]
async fn a_modern_client_that_cannot_be_asked_is_held_until_the_queue_answers() {
    for way in Way::MODERN {
        let gate = gate().await;
        let mut person = Person::at_the_queue(&gate);
        let mut client = Speaker::open(&gate, way, json!({})).await;
        client.call_and_listen(1, json!({})).await;
        let waiting = person.asked().await;
        let report = client.next().await;
        assert_eq!(report["method"], "notifications/progress", "{report}");
        let words = format!("waiting for the user (ref {})", waiting.reference);
        assert_eq!(report["params"]["message"], words);
        person.answers(&waiting, ApprovalChoice::Once).unwrap();
        assert_done(&client.answer(1).await);
        client.call(2, json!({})).await;
        let waiting = person.asked().await;
        person.answers(&waiting, ApprovalChoice::Deny).unwrap();
        assert_refused(&client.answer(2).await, "denied");
        assert_eq!(runs(&gate), 1);
    }
}

/// Approved once, a call is not asked about again because its server wants to know something.
///
/// Shows: S4-20.
#[tokio::test]
async fn a_servers_own_question_comes_after_the_approval_and_its_state_goes_back_to_it() {
    let form =
        r#"{"mode":"form","message":"who?","requestedSchema":{"type":"object","properties":{}}}"#;
    let asks = format!(
        r#"{{"resultType":"input_required","inputRequests":{{"q":{{"method":"elicitation/create","params":{form}}}}},"requestState":"the server's"}}"#
    );
    let done =
        Act::answer(r#"{"content":[{"type":"text","text":"done"}],"resultType":"complete"}"#);
    let script = Script::modern()
        .on("tools/list", [Act::answer(list(&["act"]))])
        .on_when("tools/call act", "inputResponses", [done])
        .on_call("act", [Act::answer(asks)]);
    for way in Way::MODERN {
        let gate = Gate::with("one", script.clone()).guarded().run().await;
        let mut person = Person::at_the_queue(&gate);
        let mut client = Speaker::open(&gate, way, forms()).await;
        let (asked, _) = ask(&mut client, &mut person, json!({"n": 1})).await;
        client.retry(2, json!({"n": 1}), &asked, accept("once")).await;
        let asked = client.answer(2).await;
        assert_eq!(
            asked["result"]["inputRequests"]["q"]["method"], "elicitation/create",
            "{asked}"
        );
        let state = &asked["result"]["requestState"];
        assert_ne!(state, "the server's", "that it was approved is part of it");
        let filled_in = json!({"q": {"action": "accept", "content": {"name": "ada"}}});
        let again = json!({"inputResponses": filled_in, "requestState": state});
        client.call_with(3, json!({"n": 2}), again.clone()).await;
        assert_refused(&client.answer(3).await, "expired");
        client.call_with(4, json!({"n": 1}), again.clone()).await;
        assert_done(&client.answer(4).await);
        let seen = gate.peers.last("one").await.received("inputResponses").await;
        assert!(seen.contains(r#""requestState":"the server's""#), "{seen}");
        client.call_with(5, json!({"n": 1}), again).await;
        assert_refused(&client.answer(5).await, "expired");
        assert_eq!(runs(&gate), 2);
        assert!(
            person
                .unheard()
                .iter()
                .all(|news| !matches!(news, toolgate_host::QueueEvent::Asked(_)))
        );
    }
}

/// An older server asks twice while the call runs; the person was asked once, before it.
///
/// Shows: S4-20, E-1.
#[tokio::test]
async fn an_older_servers_questions_come_after_the_approval_and_nothing_is_asked_again() {
    let form = r#"{"mode":"form","message":"who?","requestedSchema":{"type":"object"}}"#;
    let ask_server = || Act::ask("elicitation/create", form);
    let script = performing([ask_server(), ask_server(), Act::say("done")]);
    for way in Way::MODERN {
        let gate = Gate::with("one", script.clone()).guarded().run().await;
        let mut person = Person::at_the_queue(&gate);
        let mut client = Speaker::open(&gate, way, forms()).await;
        let (asked, _) = ask(&mut client, &mut person, json!({"n": 1})).await;
        client.retry(2, json!({"n": 1}), &asked, accept("once")).await;
        let mut asked = client.answer(2).await;
        for id in [3, 5] {
            let requests = asked["result"]["inputRequests"].as_object().unwrap().clone();
            assert!(!requests.contains_key("toolgate.approval"), "{asked}");
            let filled_in = |key: &String| (key.clone(), json!({"action": "accept"}));
            let responses = Value::Object(requests.keys().map(filled_in).collect());
            let state = &asked["result"]["requestState"];
            let again = json!({"inputResponses": responses, "requestState": state});
            // What was approved is this call.
            client.call_with(id, json!({"n": 2}), again.clone()).await;
            let refused = client.answer(id).await;
            assert!(refused["result"].get("inputRequests").is_none(), "{refused}");
            client.call_with(id + 1, json!({"n": 1}), again).await;
            asked = client.answer(id + 1).await;
        }
        assert_done(&asked);
        assert_eq!(runs(&gate), 1);
        let is_question = |news: &_| matches!(news, toolgate_host::QueueEvent::Asked(_));
        assert!(!person.unheard().iter().any(is_question));
    }
}

/// Shows: G4.
#[tokio::test]
async fn a_question_that_nobody_answers_in_time_expires() {
    let mut all = JoinSet::new();
    for way in Way::ALL {
        for capabilities in [forms(), json!({})] {
            all.spawn(expires(way, capabilities));
        }
    }
    while let Some(shown) = all.join_next().await {
        shown.unwrap();
    }
}

async fn expires(way: Way, capabilities: Value) {
    let soon = Milliseconds::at_least_one(1000);
    let gate = Gate::with("one", acting()).guarded();
    let gate = gate.configured(|config| config.approval.timeout = soon).run().await;
    let mut person = Person::at_the_queue(&gate);
    let comes_back = Way::MODERN.contains(&way) && capabilities == forms();
    let mut client = Speaker::open(&gate, way, capabilities).await;
    client.call(1, json!({})).await;
    let waiting = person.asked().await;
    let asked = match comes_back {
        true => client.answer(1).await,
        false => Value::Null,
    };
    assert_eq!(person.settled().await, (waiting.reference.clone(), ApprovalOutcome::Expired));
    assert!(person.answers(&waiting, ApprovalChoice::Once).is_err());
    let id = if comes_back { 2 } else { 1 };
    if comes_back {
        client.retry(id, json!({}), &asked, accept("once")).await;
    }
    let heard = client.up_to_answer(id).await;
    assert_refused(&heard[heard.len() - 1], "expired");
    // Whoever was asked is told that it is too late.
    if let [asked, rest @ .., _] = &heard[..] {
        assert_eq!(rest.len(), 1, "{heard:?}");
        assert_eq!(rest[0]["params"]["requestId"], asked["id"], "{heard:?}");
    }
    assert_eq!(runs(&gate), 0);
    assert!(gate.approvals.waiting().is_empty());
}
