//! Deadlines to the tick, and that nothing grows without end.

use std::time::Duration;

use super::*;
use crate::approve::{ApprovalRendering, ApprovalRequest, Approver, SettledNote};

const LIFETIME: Duration = Duration::from_secs(120);
const TICK: Duration = Duration::from_nanos(1);

struct Nobody;

impl SettledNote for Nobody {
    fn settled(&self, _: &ApprovalReference, _: &ApprovalOutcome) {}
}

fn session(name: &str) -> SessionId {
    SessionId(name.to_owned())
}

fn waiting(number: u64, of: &str) -> WaitingApproval {
    let caller = Caller { session: Some(session(of)), ..Caller::new(Principal::local_user(), "/") };
    let grant = SessionGrant {
        principal: caller.principal.clone(),
        session: session(of),
        owner: "git".to_owned(),
        tool: format!("tool {number}"),
        definition: Digest([1; 32]),
    };
    let request = ApprovalRequest {
        subject: Digest([0; 32]),
        caller: Some(caller.into()),
        server: "git".to_owned(),
        tool: grant.tool.clone(),
        title: String::new(),
        shown: ApprovalRendering::plain(String::new()),
        shown_in_full: None,
        notice: String::new(),
        call: Arc::default(),
        grant: Some(grant),
        channels: Vec::new(),
        lifetime: LIFETIME,
        fastest_answer: Duration::ZERO,
        note: Arc::new(Nobody),
    };
    WaitingApproval {
        reference: ApprovalReference::of(number),
        request: request.into(),
        since: 0,
        until: 0,
    }
}

fn verdict(choice: ApprovalChoice) -> ApprovalVerdict {
    let seen = Some(ApprovalRendering::plain("").digest());
    ApprovalVerdict { choice, approver: Approver::over("queue"), reason: None, seen }
}

fn answer(
    book: &mut ApprovalBook,
    number: u64,
    choice: ApprovalChoice,
    now: Instant,
) -> Result<(), NotWaiting> {
    book.answer(&ApprovalReference::of(number), verdict(choice), now).map(|_| ())
}

/// Shows: G4.
#[test]
fn an_answer_counts_until_the_deadline_and_not_at_it() {
    let (mut book, now) = (ApprovalBook::default(), Instant::now());
    let deadline = now + LIFETIME;
    for number in [1, 2] {
        book.put(waiting(number, "s"), deadline);
    }
    assert_eq!(book.waiting(deadline - TICK).len(), 2);
    assert_eq!(answer(&mut book, 1, ApprovalChoice::Once, deadline - TICK), Ok(()));
    assert_eq!(answer(&mut book, 2, ApprovalChoice::Once, deadline), Err(NotWaiting::Unknown));
    assert!(book.waiting(deadline).is_empty());
}

#[test]
fn who_answers_second_is_told_so_before_and_after_the_answer_was_taken() {
    let (mut book, now) = (ApprovalBook::default(), Instant::now());
    for number in [1, 2] {
        book.put(waiting(number, "s"), now + LIFETIME);
    }
    assert_eq!(answer(&mut book, 1, ApprovalChoice::Deny, now), Ok(()));
    assert_eq!(answer(&mut book, 1, ApprovalChoice::Once, now), Err(NotWaiting::Answered));
    book.used(&ApprovalReference::of(1), now);
    assert_eq!(answer(&mut book, 1, ApprovalChoice::Once, now), Err(NotWaiting::Answered));
    book.give_up(&ApprovalReference::of(2), ApprovalOutcome::Withdrawn, now).unwrap();
    assert_eq!(
        answer(&mut book, 2, ApprovalChoice::Once, now),
        Err(NotWaiting::Unknown),
        "nobody did"
    );
}

#[test]
fn what_ends_after_it_was_answered_keeps_the_answer_and_is_told_no_second_time() {
    let (mut book, now) = (ApprovalBook::default(), Instant::now());
    let told = book.put(waiting(1, "s"), now + LIFETIME);
    answer(&mut book, 1, ApprovalChoice::Once, now).unwrap();
    assert!(book.end_session(&session("s"), now).is_empty());
    assert_eq!(*told.borrow(), Some(ApprovalOutcome::Answered(verdict(ApprovalChoice::Once))));
}

/// Shows: S3-26, C18.
#[test]
fn the_end_of_a_session_ends_what_waits_in_it_and_what_was_granted_for_it() {
    let (mut book, now) = (ApprovalBook::default(), Instant::now());
    for (number, of) in [(1, "s"), (2, "s"), (3, "other"), (4, "other")] {
        book.put(waiting(number, of), now + LIFETIME);
    }
    for number in [1, 3] {
        answer(&mut book, number, ApprovalChoice::Session, now).unwrap();
    }
    let grants =
        |book: &ApprovalBook, of: &str| book.grants(&Principal::local_user(), &session(of)).len();
    assert_eq!((grants(&book, "s"), grants(&book, "other")), (1, 1));
    let withdrawn = book.end_session(&session("s"), now);
    assert_eq!(withdrawn[0].reference, ApprovalReference::of(2));
    assert_eq!(withdrawn.len(), 1, "the first was answered");
    assert_eq!((grants(&book, "s"), grants(&book, "other")), (0, 1));
    assert_eq!(book.waiting(now)[0].reference, ApprovalReference::of(4));
    // No answer that comes too late grants anything.
    assert_eq!(answer(&mut book, 2, ApprovalChoice::Session, now), Err(NotWaiting::Unknown));
    assert_eq!(grants(&book, "s"), 0);
}

/// What is over is kept in mind only as long as somebody could come back with it.
#[test]
fn a_long_run_of_calls_leaves_nothing_behind() {
    let (mut book, start) = (ApprovalBook::default(), Instant::now());
    for number in 0..100_000 {
        let now = start + Duration::from_secs(number);
        book.put(waiting(number, "s"), now + LIFETIME);
        match number % 3 {
            0 => answer(&mut book, number, ApprovalChoice::Once, now).unwrap(),
            1 => {
                drop(book.give_up(&ApprovalReference::of(number), ApprovalOutcome::Withdrawn, now));
            }
            _ => {}
        }
        book.used(&ApprovalReference::of(number), now);
        let again =
            book.join(&ApprovalReference::of(number), Digest([0; 32]), now + LIFETIME - TICK);
        assert!(matches!(again, Err(ApprovalGone::Used)), "kept in mind while it could be used");
    }
    assert!(book.slots.is_empty());
    assert!(book.over.len() <= 2 * FEW, "{}", book.over.len());
}

#[test]
fn the_oldest_grants_go_where_there_are_too_many() {
    let (mut book, now) = (ApprovalBook::default(), Instant::now());
    let most = u64::try_from(MOST_GRANTS).unwrap();
    let grant = |book: &mut ApprovalBook, number| {
        book.put(waiting(number, "s"), now + LIFETIME);
        answer(book, number, ApprovalChoice::Session, now).unwrap();
        book.used(&ApprovalReference::of(number), now);
    };
    let known = |book: &ApprovalBook| {
        let grants = book.grants(&Principal::local_user(), &session("s"));
        grants.into_iter().map(|grant| grant.tool).collect::<Vec<_>>()
    };
    (0..most).for_each(|number| grant(&mut book, number));
    // The same again takes nobody's place.
    grant(&mut book, most - 1);
    assert_eq!(known(&book).len(), MOST_GRANTS);
    assert_eq!(known(&book)[0], "tool 0");
    grant(&mut book, most);
    assert_eq!(known(&book).len(), MOST_GRANTS);
    assert_eq!(known(&book)[0], "tool 1");
}
