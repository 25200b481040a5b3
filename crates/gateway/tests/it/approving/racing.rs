//! Two channels at the same moment: the first valid answer counts, and the others hear of it.

use serde_json::json;
use toolgate_host::{ApprovalChoice, ApprovalOutcome, ApprovalVerdict, NotWaiting, QueueEvent};
use toolgate_testkit::Act;

use super::person::answer;
use super::{
    Person, Speaker, Way, accept, answer_to, assert_asked, assert_done, assert_refused, forms,
    gate, performing, runs,
};
use crate::gate::{Gate, within};

const RACES: u64 = 200;

/// Shows: G4, S4-20.
#[tokio::test]
async fn when_the_queue_is_first_the_question_is_taken_back_before_the_result() {
    for way in Way::LEGACY {
        let gate = gate().await;
        let mut person = Person::at_the_queue(&gate);
        let mut client = Speaker::open(&gate, way, forms()).await;
        for (id, choice) in [(1, ApprovalChoice::Once), (2, ApprovalChoice::Deny)] {
            client.call(id, json!({})).await;
            let asked = client.next().await;
            assert_asked(&asked);
            let waiting = person.asked().await;
            person.answers(&waiting, choice).unwrap();
            let taken_back = client.next().await;
            assert_eq!(taken_back["method"], "notifications/cancelled", "{taken_back}");
            assert_eq!(taken_back["params"]["requestId"], asked["id"]);
            let why = match choice {
                ApprovalChoice::Deny => "it was declined elsewhere",
                _ => "it was approved elsewhere, and runs",
            };
            assert_eq!(taken_back["params"]["reason"], why);
            let answer = client.answer(id).await;
            // Too late, and no mistake.
            let late = if choice == ApprovalChoice::Once { "deny" } else { "once" };
            client.say(answer_to(&asked, &accept(late))).await;
            client.heard_nothing_else().await;
            match choice {
                ApprovalChoice::Deny => assert_refused(&answer, "denied"),
                _ => assert_done(&answer),
            }
        }
        assert_eq!(runs(&gate), 1);
    }
}

/// Shows: G4.
#[tokio::test]
async fn when_the_client_is_first_the_queue_hears_that_it_was_answered() {
    for way in Way::LEGACY {
        let script = performing([Act::hold("late"), Act::say("done")]);
        let gate = Gate::with("one", script).guarded().run().await;
        let mut person = Person::at_the_queue(&gate);
        let mut client = Speaker::open(&gate, way, forms()).await;
        client.call(1, json!({})).await;
        let asked = client.next().await;
        let waiting = person.asked().await;
        client.say(answer_to(&asked, &accept("once"))).await;
        let (reference, how) = person.settled().await;
        assert_eq!(reference, waiting.reference);
        let ApprovalOutcome::Answered(ApprovalVerdict { choice, approver, .. }) = how else {
            panic!("{how:?}")
        };
        assert_eq!((choice, approver.channel), (ApprovalChoice::Once, "agent"));
        let peer = gate.peers.last("one").await;
        within(peer.received("tools/call")).await;
        assert_eq!(person.answers(&waiting, ApprovalChoice::Deny), Err(NotWaiting::AlreadyRan));
        peer.signal("late");
        assert_done(&client.answer(1).await);
        assert_eq!(person.answers(&waiting, ApprovalChoice::Deny), Err(NotWaiting::AlreadyRan));
        assert!(person.unheard().is_empty());
    }
}

/// Who is first is left to chance in half of the races, and decided in the others.
///
/// Shows: G4.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_call_runs_exactly_when_it_was_approved_and_nobody_said_no_in_time() {
    for way in Way::LEGACY {
        let gate = gate().await;
        let mut person = Person::at_the_queue(&gate);
        let mut client = Speaker::open(&gate, way, forms()).await;
        let mut approved = 0;
        for race in 0..RACES {
            let (said, at_queue) = match race % 4 {
                0 => ("once", ApprovalChoice::Deny),
                1 => ("deny", ApprovalChoice::Once),
                2 => ("once", ApprovalChoice::Once),
                _ => ("deny", ApprovalChoice::Deny),
            };
            client.call(race, json!({"race": race})).await;
            let asked = client.next().await;
            assert_asked(&asked);
            let waiting = person.asked().await;
            let filled_in = answer_to(&asked, &accept(said));
            let mut ended = None;
            let queued = match race / 4 % 4 {
                0 => {
                    let queued = person.answers(&waiting, at_queue);
                    client.say(filled_in).await;
                    queued
                }
                1 => {
                    client.say(filled_in).await;
                    ended = Some(person.settled().await);
                    person.answers(&waiting, at_queue)
                }
                _ => {
                    let (approvals, waiting) = (gate.approvals.clone(), waiting.clone());
                    let queue = tokio::spawn(async move {
                        // As long as the other answer takes on its way, more or less.
                        for _ in 0..race {
                            tokio::task::yield_now().await;
                        }
                        answer(&approvals, &waiting, at_queue)
                    });
                    client.say(filled_in).await;
                    within(queue).await.unwrap()
                }
            };
            let first = match ended {
                Some(ended) => ended,
                None => person.settled().await,
            };
            let heard = client.up_to_answer(race).await;
            let answer = &heard[heard.len() - 1];
            let later = person.unheard().into_iter().filter_map(|news| match news {
                QueueEvent::Settled(reference, how) => Some((reference, how)),
                QueueEvent::Asked(_) => None,
            });
            let mut counted = Vec::new();
            for (reference, how) in std::iter::once(first).chain(later) {
                assert_eq!(reference, waiting.reference);
                let ApprovalOutcome::Answered(ApprovalVerdict { choice, approver, .. }) = how
                else {
                    panic!("{how:?}")
                };
                counted.push((choice, approver.channel));
            }
            let (last, by) = *counted.last().unwrap();
            let is_overruled = counted.len() == 2 && counted[0].0 == ApprovalChoice::Once;
            assert!(counted.len() == 1 || is_overruled && last == ApprovalChoice::Deny);
            match by {
                "queue" => assert_eq!((queued, last), (Ok(()), at_queue)),
                "agent" => assert_eq!(last.as_str(), said),
                other => panic!("{other}"),
            }
            match last {
                ApprovalChoice::Deny => assert_refused(answer, "denied"),
                _ => {
                    let is_late = queued == Err(NotWaiting::AlreadyRan);
                    assert!(at_queue == ApprovalChoice::Once || is_late, "{queued:?}");
                    approved += 1;
                    assert_done(answer);
                }
            }
            assert_eq!(runs(&gate), approved, "race {race}");
        }
        assert!(gate.approvals.waiting().is_empty());
    }
}
