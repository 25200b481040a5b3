//! A client that does not want its call any more: nobody is asked about it from then on, and nothing
//! runs.

use serde_json::json;
use toolgate_host::{ApprovalChoice, ApprovalOutcome, NotWaiting};

use super::{
    Person, Speaker, Way, accept, answer_to, assert_asked, assert_done, forms, gate, runs,
};
use crate::gate::Running;

/// Nobody is asked any more; a later call is asked about, and is the only one that runs.
async fn is_withdrawn(
    gate: &Running,
    person: &mut Person,
    waiting: &toolgate_host::WaitingApproval,
) {
    let (reference, how) = person.settled().await;
    assert_eq!((reference, how), (waiting.reference.clone(), ApprovalOutcome::Withdrawn));
    assert!(gate.approvals.waiting().is_empty());
    assert_eq!(person.answers(waiting, ApprovalChoice::Once), Err(NotWaiting::Unknown));
    let mut later = Speaker::open(gate, Way::ModernLines, json!({})).await;
    later.call(1, json!({"later": true})).await;
    let waiting = person.asked().await;
    person.answers(&waiting, ApprovalChoice::Once).unwrap();
    assert_done(&later.answer(1).await);
    assert_eq!(runs(gate), 1);
    let ran = gate.peers.last("one").await.received("tools/call").await;
    assert!(ran.contains("later"), "{ran}");
}

/// Shows: G4, S4-20.
#[tokio::test]
async fn a_cancelled_call_is_withdrawn_everywhere() {
    for way in Way::LEGACY {
        let gate = gate().await;
        let mut person = Person::at_the_queue(&gate);
        let mut client = Speaker::open(&gate, way, forms()).await;
        client.call(1, json!({})).await;
        let asked = client.next().await;
        assert_asked(&asked);
        let waiting = person.asked().await;
        client.cancel(1).await;
        let taken_back = client.next().await;
        assert_eq!(taken_back["method"], "notifications/cancelled", "{taken_back}");
        assert_eq!(taken_back["params"]["requestId"], asked["id"]);
        client.say(answer_to(&asked, &accept("once"))).await;
        is_withdrawn(&gate, &mut person, &waiting).await;
    }
}

/// It is held only because it cannot be asked.
///
/// Shows: G4.
#[tokio::test]
async fn a_call_that_is_held_in_silence_is_withdrawn_when_it_is_cancelled() {
    for way in [Way::LegacyHttp, Way::LegacyLines, Way::ModernLines] {
        let gate = gate().await;
        let mut person = Person::at_the_queue(&gate);
        let mut client = Speaker::open(&gate, way, json!({})).await;
        client.call(1, json!({})).await;
        let waiting = person.asked().await;
        client.cancel(1).await;
        is_withdrawn(&gate, &mut person, &waiting).await;
    }
}

/// With a stream that has begun, and before anything was said on it.
///
/// Shows: G4.
#[tokio::test]
async fn a_modern_call_is_withdrawn_when_its_stream_is_closed() {
    for listens in [true, false] {
        let gate = gate().await;
        let mut person = Person::at_the_queue(&gate);
        let mut client = Speaker::open(&gate, Way::ModernHttp, json!({})).await;
        match listens {
            true => client.call_and_listen(1, json!({})).await,
            false => client.call(1, json!({})).await,
        }
        let waiting = person.asked().await;
        if listens {
            assert_eq!(client.next().await["method"], "notifications/progress");
        }
        client.close_streams().await;
        is_withdrawn(&gate, &mut person, &waiting).await;
    }
}

/// In the older era only a word ends a call: the client may come back to its stream.
///
/// Shows: S4-20.
#[tokio::test]
async fn a_question_outlives_the_stream_that_it_was_asked_on() {
    let gate = gate().await;
    let mut person = Person::at_the_queue(&gate);
    let client = gate.client().initialize_as("2025-11-25", &forms()).await;
    let mut stream = client.calling("one__act", json!({})).await;
    let first = stream.event().await.unwrap();
    person.asked().await;
    drop(stream);
    let mut stream = client.resume(first.id.as_deref().unwrap()).await;
    let asked = stream.message().await;
    assert_asked(&asked);
    client.post(answer_to(&asked, &accept("once"))).await;
    assert_done(&stream.answer().await);
}
