//! The end of a session: what was granted in it is over, and nobody waits in it any more.

use serde_json::json;
use toolgate_host::{ApprovalChoice, ApprovalOutcome};
use toolgate_types::{Principal, SessionId};

use super::{
    Person, Speaker, Way, accept, answer_to, assert_asked, assert_done, forms, gate, runs,
};
use crate::gate::{Running, within};

/// How much is granted in a session.
fn grants(gate: &Running, session: &SessionId) -> usize {
    gate.approvals.grants(&Principal::local_user(), session).len()
}

/// Over HTTP a session has ended when its client is told so; a connection ends by itself.
async fn nothing_is_granted(gate: &Running, session: &SessionId) {
    within(async {
        while grants(gate, session) > 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

/// Shows: S3-26, C18, G4.
#[tokio::test]
async fn a_session_that_ends_takes_its_grants_along_and_leaves_others_alone() {
    for way in [Way::LegacyHttp, Way::LegacyLines, Way::ModernLines] {
        let gate = gate().await;
        let mut person = Person::at_the_queue(&gate);
        let mut client = Speaker::open(&gate, way, json!({})).await;
        client.call(1, json!({})).await;
        let waiting = person.asked().await;
        let session = waiting.request.caller.as_ref().unwrap().session.clone().unwrap();
        person.answers(&waiting, ApprovalChoice::Session).unwrap();
        assert_done(&client.answer(1).await);
        client.call(2, json!({})).await;
        assert_done(&client.answer(2).await);
        assert_eq!(grants(&gate, &session), 1);
        // Another session waits, and goes on waiting.
        let mut other = Speaker::open(&gate, way, json!({})).await;
        other.call(1, json!({})).await;
        let others = person.asked().await;
        client.leave().await;
        nothing_is_granted(&gate, &session).await;
        assert_eq!(gate.approvals.waiting().len(), 1);
        person.answers(&others, ApprovalChoice::Once).unwrap();
        assert_done(&other.answer(1).await);
        assert_eq!(runs(&gate), 3);
    }
}

/// Shows: S3-26, G4.
#[tokio::test]
async fn a_call_that_waits_is_withdrawn_with_its_session() {
    for (way, capabilities) in [
        (Way::LegacyHttp, forms()),
        (Way::LegacyHttp, json!({})),
        (Way::LegacyLines, forms()),
        (Way::LegacyLines, json!({})),
        (Way::ModernLines, json!({})),
        // Not held: its caller was to come back with the answer.
        (Way::ModernLines, forms()),
    ] {
        let gate = gate().await;
        let mut person = Person::at_the_queue(&gate);
        let mut client = Speaker::open(&gate, way, capabilities.clone()).await;
        client.call(1, json!({})).await;
        let waiting = person.asked().await;
        if capabilities == forms() {
            client.next().await;
        }
        client.leave().await;
        let settled = person.settled().await;
        assert_eq!(settled, (waiting.reference.clone(), ApprovalOutcome::Withdrawn), "{way:?}");
        assert!(gate.approvals.waiting().is_empty());
        assert!(person.answers(&waiting, ApprovalChoice::Once).is_err());
        assert_eq!(runs(&gate), 0);
    }
}

/// Whoever is connected has to leave; what they were granted does not stay behind.
///
/// Shows: S3-26.
#[tokio::test]
async fn a_workspace_that_is_forgotten_takes_what_was_granted_in_it_along() {
    for way in Way::LEGACY {
        let gate = gate().await;
        let mut person = Person::who_only_watches(&gate);
        let mut client = Speaker::open(&gate, way, forms()).await;
        client.call(1, json!({})).await;
        let asked = client.next().await;
        assert_asked(&asked);
        let waiting = person.asked().await;
        let session = waiting.request.caller.as_ref().unwrap().session.clone().unwrap();
        client.say(answer_to(&asked, &accept("session"))).await;
        assert_done(&client.answer(1).await);
        assert_eq!(grants(&gate, &session), 1);
        gate.gateway.forget(None).await;
        nothing_is_granted(&gate, &session).await;
    }
}
