//! A thousand calls at once, each with its own answer.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::time::Instant;
use toolgate_guard::{ApprovalRendering, SettledNote};
use toolgate_host::{
    ApprovalChoice, ApprovalOutcome, ApprovalReference, ApprovalRequest, Call, CallTarget,
    NotWaiting,
};
use toolgate_types::{Caller, Code, Digest, OperationOutcome, Principal};

use super::{PATIENCE, Says, Shop, caller, options, queue, say_seen, word};
use crate::gate::{id, json, within};

const MANY: usize = 1000;

/// What becomes of the call with this number: two of three kinds of answers, or none.
fn fate(number: usize) -> Option<ApprovalChoice> {
    match number.wrapping_mul(2_654_435_761) >> 7 & 3 {
        0 | 1 => Some(ApprovalChoice::Once),
        2 => Some(ApprovalChoice::Deny),
        _ => None,
    }
}

fn numbered(number: usize) -> Call {
    let call = Call::new(CallTarget::exact(id("git"), "push"));
    let call = call.arguments(json(&format!(r#"{{"n":{number}}}"#)));
    // Of one client only so many may wait.
    let principal = Principal::named(format!("client {number}"));
    call.options(options(Caller { principal, ..caller(Some("s")) }))
}

/// The number in what a person reads.
fn number_in(text: &str) -> usize {
    let (_, rest) = text.split_once("\"n\": ").unwrap();
    rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

/// Shows: G4.
#[tokio::test(start_paused = true)]
async fn each_of_a_thousand_held_calls_gets_its_own_answer_and_none_is_left_behind() {
    let shop = Shop::of(Says::Waits).with_queue();
    within(shop.host.list_tools(&toolgate_host::Audience::MODEL)).await;
    let begun = Instant::now();
    let calls: Vec<_> = (0..MANY).map(|number| shop.begin(numbered(number))).collect();
    shop.person.shown(MANY).await;
    assert_eq!(begun.elapsed().as_secs(), 0);
    let waiting = shop.approvals.waiting();
    assert_eq!(waiting.len(), MANY);
    let numbers: HashMap<_, _> = waiting
        .iter()
        .map(|one| (one.reference.clone(), number_in(one.request.shown.text())))
        .collect();
    // By reference, and that order is by chance.
    let mut references: Vec<_> = numbers.keys().cloned().collect();
    references.sort();
    for reference in &references {
        if let Some(choice) = fate(numbers[reference]) {
            say_seen(&shop.approvals, reference, choice).unwrap();
        }
    }
    let mut approved = 0;
    for (number, call) in calls.into_iter().enumerate() {
        let done = within(call).await.unwrap();
        match fate(number) {
            Some(ApprovalChoice::Once) => {
                let Ok(OperationOutcome::Done(done)) = &done else { panic!("{number}: {done:?}") };
                let own = format!("pushed {number}\"");
                assert!(done.result.get().contains(&own), "{number}: {}", done.result);
                approved += 1;
            }
            Some(_) => assert_eq!(word(&done), "denied", "{number}"),
            None => assert_eq!(word(&done), "expired", "{number}"),
        }
    }
    assert_eq!(begun.elapsed(), PATIENCE, "and those that nobody answered at their time");
    assert_eq!(shop.calls(), approved);
    assert!(shop.approvals.waiting().is_empty());
    assert_eq!(*shop.person.dropped.borrow(), MANY, "no form is left on anybody's screen");
    for reference in &references {
        let late = shop.approvals.answer(reference, queue(ApprovalChoice::Once));
        assert!(matches!(
            late,
            Err(NotWaiting::Answered | NotWaiting::AlreadyRan | NotWaiting::Unknown)
        ));
    }
    // And there is room for as many again.
    let again: Vec<_> = (0..MANY).map(|number| shop.begin(numbered(number))).collect();
    shop.person.shown(2 * MANY).await;
    assert_eq!(shop.approvals.waiting().len(), MANY);
    again.iter().for_each(tokio::task::JoinHandle::abort);
    for call in again {
        assert!(within(call).await.unwrap_err().is_cancelled());
    }
    assert!(shop.approvals.waiting().is_empty());
}

/// Told nothing that anybody wants to know.
struct Unread;

impl SettledNote for Unread {
    fn settled(&self, _: &ApprovalReference, _: &ApprovalOutcome) {}
}

fn somebody_elses() -> ApprovalRequest {
    ApprovalRequest {
        subject: Digest([0; 32]),
        caller: None,
        server: "other".to_owned(),
        tool: "other".to_owned(),
        title: String::new(),
        shown: ApprovalRendering::plain(""),
        shown_in_full: None,
        notice: String::new(),
        call: Arc::default(),
        grant: None,
        channels: Vec::new(),
        lifetime: PATIENCE,
        fastest_answer: std::time::Duration::ZERO,
        note: Arc::new(Unread),
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_finds_no_room_is_refused_and_can_be_made_again() {
    let shop = Shop::of(Says::Waits).with_queue();
    let mut others = Vec::new();
    while let Ok(held) = shop.approvals.put(somebody_elses()) {
        others.push(held);
    }
    let refused = within(shop.host.call(numbered(1))).await.unwrap_err();
    assert_eq!(refused.code, Code::ResourceExhausted, "{refused}");
    assert_eq!((shop.person.times(), shop.calls()), (0, 0));
    others.pop();
    let call = shop.begin(numbered(1));
    shop.person.shown(1).await;
    drop(others);
    let [waiting] = &shop.approvals.waiting()[..] else { panic!("only that one waits") };
    say_seen(&shop.approvals, &waiting.reference, ApprovalChoice::Once).unwrap();
    assert_eq!(word(&within(call).await.unwrap()), "done");
}
