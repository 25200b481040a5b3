//! Many at once: each has its own answer, and there are never more than a person could look at.

use std::sync::Arc;

use tokio::task::JoinSet;
use toolgate_guard::{
    ApprovalOutcome, ApprovalQueue, ApprovalReference, ApprovalVerdict, QueueFull,
};
use toolgate_types::ApprovalChoice;

use super::spelling::Dice;
use super::{LIFETIME, Told, petition_of_client, request, says};

/// Shows: G4.
#[tokio::test(start_paused = true)]
async fn of_a_thousand_at_once_each_gets_its_own_answer_and_the_rest_expire() {
    let (approvals, told) = (ApprovalQueue::new(None), Arc::<Told>::default());
    let mut waiting = JoinSet::new();
    for number in 0..1000_u32 {
        let client = usize::try_from(number).unwrap();
        let mut held = approvals.put(petition_of_client(client, &told)).unwrap();
        waiting.spawn(async move {
            let settled = held.settled().await.map(|_| ());
            (number, held.reference().clone(), settled)
        });
    }
    let mut dice = Dice::of(1);
    let mut all = approvals.waiting();
    dice.shuffle(&mut all);
    let mut said = std::collections::HashMap::new();
    for one in &all[..900] {
        let choice = ApprovalChoice::ALL[dice.below(3)];
        let reason = Some(format!("for {}", one.reference));
        let verdict = ApprovalVerdict { reason, ..says(choice) };
        approvals.answer(&one.reference, verdict.clone()).unwrap();
        said.insert(one.reference.clone(), verdict);
    }
    let begun = tokio::time::Instant::now();
    while let Some(settled) = waiting.join_next().await {
        let (number, reference, settled) = settled.unwrap();
        match said.get(&reference) {
            Some(verdict) if verdict.choice == ApprovalChoice::Deny => {
                assert_eq!(settled, Err(ApprovalOutcome::Answered(verdict.clone())), "{number}");
            }
            Some(_) => assert_eq!(settled, Ok(()), "{number}"),
            None => {
                assert_eq!(settled, Err(ApprovalOutcome::Expired), "{number}");
                assert_eq!(begun.elapsed(), LIFETIME);
            }
        }
    }
    assert!(approvals.waiting().is_empty());
    assert_eq!(told.words().len(), 1000);
}

#[test]
fn more_than_a_person_could_look_at_are_not_put_on_the_desk() {
    let (approvals, told) = (ApprovalQueue::new(None), Arc::<Told>::default());
    let put = |number| approvals.put(petition_of_client(number, &told));
    let mut all: Vec<_> = (0..4096).map(|number| put(number).unwrap()).collect();
    assert_eq!(approvals.put(request(7, "s", &told)).unwrap_err(), QueueFull);
    assert!(told.words().is_empty(), "who found no room was not there");
    let mut references: Vec<&ApprovalReference> = all.iter().map(|held| held.reference()).collect();
    references.sort();
    references.dedup();
    assert_eq!(references.len(), 4096);
    all.pop();
    all.push(approvals.put(request(7, "s", &told)).unwrap());
    drop(all);
    assert!(approvals.waiting().is_empty());
    assert_eq!(told.words(), ["withdrawn"; 4097]);
}

#[test]
fn one_client_cannot_fill_the_queue_for_the_others() {
    let (approvals, told) = (ApprovalQueue::new(None), Arc::<Told>::default());
    let mut held = Vec::new();
    while let Ok(one) = approvals.put(request(7, "s", &told)) {
        held.push(one);
    }
    assert_eq!(held.len(), 32);
    // Another window, and so another session, is still the same client.
    assert_eq!(approvals.put(request(7, "another", &told)).unwrap_err(), QueueFull);
    approvals.put(petition_of_client(1, &told)).unwrap();
    approvals.answer(held[0].reference(), says(ApprovalChoice::Deny)).unwrap();
    approvals.put(request(7, "s", &told)).expect("what is answered waits no more");
}
