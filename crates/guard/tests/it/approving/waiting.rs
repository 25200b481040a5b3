//! One request at the approval queue, and everything that can become of it.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::time::{Instant, advance, sleep_until};
use toolgate_guard::{
    ApprovalGone, ApprovalOutcome, ApprovalQueue, ApprovalRequest, ApprovalVerdict, NotWaiting,
    QueueEvent, QueuedApproval, Refusal, ResumeToken,
};
use toolgate_types::ApprovalChoice;
use toolgate_types::{Digest, Principal};

use super::{LIFETIME, Told, petition_of_client, put, request, says};

const TICK: Duration = Duration::from_millis(1);

/// The caller goes, and takes a note along.
async fn left(approvals: &ApprovalQueue, held: QueuedApproval) -> ResumeToken {
    let ada = Principal::named("ada");
    let note = approvals.note_of(&held, &ada).await.unwrap();
    held.leave();
    approvals.open(&note, &ada).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_first_answer_counts_and_who_answers_second_is_told_so() {
    let (approvals, told) = (ApprovalQueue::new(None), Arc::default());
    let mut held = put(&approvals, &told);
    let reference = held.reference().clone();
    assert_eq!(approvals.answer(&reference, says(ApprovalChoice::Deny)), Ok(()));
    assert_eq!(approvals.answer(&reference, says(ApprovalChoice::Once)), Err(NotWaiting::Answered));
    let settled = held.settled().await.unwrap_err();
    assert_eq!(settled, ApprovalOutcome::Answered(says(ApprovalChoice::Deny)));
    assert_eq!(approvals.answer(&reference, says(ApprovalChoice::Once)), Err(NotWaiting::Answered));
    assert_eq!(
        approvals.answer(&"2222222".into(), says(ApprovalChoice::Once)),
        Err(NotWaiting::Unknown)
    );
    assert_eq!(told.words(), ["denied"]);
    assert!(approvals.waiting().is_empty());
}

#[test]
fn of_many_who_answer_at_once_one_is_the_first_and_a_no_wins() {
    let approvals = ApprovalQueue::new(None);
    for round in 0..200_u8 {
        let told = Arc::default();
        let held = approvals.put(request(round, "s", &told)).unwrap();
        let reference = held.reference().clone();
        let results: Vec<_> = thread::scope(|scope| {
            let answering = [
                ApprovalChoice::Once,
                ApprovalChoice::Session,
                ApprovalChoice::Deny,
                ApprovalChoice::Once,
            ];
            let (approvals, reference) = (&approvals, &reference);
            let answering = answering
                .map(|choice| scope.spawn(move || approvals.answer(reference, says(choice))));
            answering.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert_eq!(results[2], Ok(()), "a no is taken whenever it comes");
        let yes = [0, 1, 3].into_iter().filter(|at| results[*at].is_ok()).count();
        assert!(yes <= 1, "{results:?}");
        let others = results.into_iter().filter_map(Result::err);
        assert!(others.into_iter().all(|why| why == NotWaiting::Answered));
        drop(held);
        assert_eq!(told.of(&reference), [&["approved"][..yes], &["denied"]].concat());
        assert!(approvals.grants(&Principal::named("ada"), &super::session("s")).is_empty());
    }
}

/// Somebody who looks at the approval queue may answer before whoever listens to it has heard of the call.
#[test]
fn nobody_hears_of_the_end_of_a_call_before_they_heard_of_the_call() {
    let approvals = ApprovalQueue::new(None);
    let mut news = approvals.listen();
    let mut held = Vec::new();
    thread::scope(|scope| {
        let answering = scope.spawn(|| {
            let mut count = 0;
            while count < 500 {
                let all = approvals.waiting();
                let answered = all
                    .iter()
                    .map(|one| approvals.answer(&one.reference, says(ApprovalChoice::Once)));
                count += answered.filter(Result::is_ok).count();
            }
        });
        let by = |number| approvals.put(petition_of_client(number, &Arc::default())).unwrap();
        held.extend((0..500).map(by));
        answering.join().unwrap();
    });
    let mut asked = std::collections::HashSet::new();
    for _ in 0..1000 {
        match news.try_recv().unwrap() {
            QueueEvent::Asked(one) => assert!(asked.insert(one.reference)),
            QueueEvent::Settled(one, _) => assert!(asked.contains(&one)),
        }
    }
}

#[test]
fn whatever_ends_it_at_the_same_time_it_is_told_once() {
    let approvals = ApprovalQueue::new(None);
    for round in 0..200_u8 {
        let told = Arc::default();
        let held = approvals.put(request(round, "s", &told)).unwrap();
        let reference = held.reference().clone();
        thread::scope(|scope| {
            scope.spawn(|| approvals.answer(&reference, says(ApprovalChoice::Session)));
            scope.spawn(|| approvals.end_session(&super::session("s")));
            scope.spawn(|| drop(held));
        });
        assert_eq!(told.words().len(), 1, "{:?}", told.words());
        assert!(approvals.waiting().is_empty());
        approvals.end_session(&super::session("s"));
    }
}

/// Shows: C18.
#[tokio::test(start_paused = true)]
async fn what_was_not_offered_is_no_answer_and_the_call_goes_on_waiting() {
    let (approvals, told) = (ApprovalQueue::new(None), Arc::default());
    let mut held =
        approvals.put(ApprovalRequest { grant: None, ..request(7, "s", &told) }).unwrap();
    let reference = held.reference().clone();
    assert_eq!(held.request().choices(), [ApprovalChoice::Once, ApprovalChoice::Deny]);
    assert_eq!(
        approvals.answer(&reference, says(ApprovalChoice::Session)),
        Err(NotWaiting::NotOffered)
    );
    assert!(told.words().is_empty());
    assert_eq!(approvals.answer(&reference, says(ApprovalChoice::Once)), Ok(()));
    held.settled().await.unwrap();
}

/// Shows: G4.
#[tokio::test(start_paused = true)]
async fn it_expires_at_its_deadline_and_not_before() {
    let (approvals, told) = (ApprovalQueue::new(None), Arc::default());
    let begun = Instant::now();
    let (mut late, mut in_time) = (put(&approvals, &told), put(&approvals, &told));
    sleep_until(begun + LIFETIME - TICK).await;
    assert_eq!(approvals.waiting().len(), 2);
    approvals.answer(in_time.reference(), says(ApprovalChoice::Once)).unwrap();
    assert!(matches!(late.settled().await, Err(ApprovalOutcome::Expired)));
    assert_eq!(begun.elapsed(), LIFETIME);
    in_time.settled().await.expect("it was answered in time");
    assert_eq!(told.words(), ["approved", "expired"]);
    let mut missed = put(&approvals, &told);
    advance(LIFETIME).await;
    let reference = missed.reference().clone();
    assert_eq!(approvals.answer(&reference, says(ApprovalChoice::Once)), Err(NotWaiting::Unknown));
    assert!(matches!(missed.settled().await, Err(ApprovalOutcome::Expired)));
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_used_once_by_whoever_comes_back_for_it() {
    let (approvals, told) = (ApprovalQueue::new(None), Arc::default());
    let held = put(&approvals, &told);
    let (reference, subject) = (held.reference().clone(), held.request().subject);
    let note = left(&approvals, held).await;
    assert_eq!(approvals.waiting().len(), 1, "it waits while its caller is away");
    let mut first = approvals.rejoin(&note, subject).unwrap();
    assert!(matches!(approvals.rejoin(&note, subject), Err(ApprovalGone::UnderWay)));
    approvals.answer(&reference, says(ApprovalChoice::Once)).unwrap();
    first.settled().await.unwrap();
    assert!(first.settled().await.is_err(), "nobody gets a second consent from it");
    assert!(matches!(approvals.rejoin(&note, subject), Err(ApprovalGone::Used)));
    assert_eq!(told.words(), ["approved"]);
}

#[tokio::test(start_paused = true)]
async fn who_comes_back_with_something_else_takes_nothing_from_who_does_not() {
    let (approvals, told) = (ApprovalQueue::new(None), Arc::default());
    let held = put(&approvals, &told);
    let (reference, subject) = (held.reference().clone(), held.request().subject);
    let note = left(&approvals, held).await;
    approvals.answer(&reference, says(ApprovalChoice::Once)).unwrap();
    assert!(matches!(approvals.rejoin(&note, Digest([8; 32])), Err(ApprovalGone::Other)));
    approvals.rejoin(&note, subject).unwrap().settled().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_is_dropped_is_withdrawn_and_everybody_hears_of_it() {
    let (approvals, told) = (ApprovalQueue::new(None), Arc::default());
    let mut news = approvals.listen();
    let held = put(&approvals, &told);
    let reference = held.reference().clone();
    drop(held);
    assert_eq!(told.of(&reference), ["withdrawn"]);
    assert!(approvals.waiting().is_empty() && approvals.find(&reference).is_none());
    let QueueEvent::Asked(asked) = news.recv().await.unwrap() else { panic!("asked first") };
    assert_eq!(asked.reference, reference);
    let QueueEvent::Settled(of, ApprovalOutcome::Withdrawn) = news.recv().await.unwrap() else {
        panic!("and then withdrawn")
    };
    assert_eq!(of, reference);
}

/// Shows: G4.
#[tokio::test(start_paused = true)]
async fn what_nobody_comes_back_for_expires_on_its_own() {
    let (approvals, told) = (ApprovalQueue::new(None), Arc::default());
    let (held, answered) = (put(&approvals, &told), put(&approvals, &told));
    let (reference, other) = (held.reference().clone(), answered.reference().clone());
    let subject = held.request().subject;
    let note = left(&approvals, held).await;
    left(&approvals, answered).await;
    approvals.answer(&other, says(ApprovalChoice::Once)).unwrap();
    let mut news = approvals.listen();
    let Ok(QueueEvent::Settled(of, ApprovalOutcome::Expired)) = news.recv().await else {
        panic!("it expires")
    };
    assert_eq!(of, reference);
    assert_eq!((told.of(&reference), told.of(&other)), (vec!["expired"], vec!["approved"]));
    assert!(approvals.rejoin(&note, subject).is_err());
}

/// Shows: S3-26, C18.
#[tokio::test(start_paused = true)]
async fn a_grant_is_kept_for_its_session_and_its_caller_and_ends_with_it() {
    let (approvals, told) = (ApprovalQueue::new(None), Arc::default());
    for of in ["s", "t"] {
        let mut held = approvals.put(request(7, of, &told)).unwrap();
        approvals.answer(held.reference(), says(ApprovalChoice::Session)).unwrap();
        held.settled().await.unwrap();
    }
    let mut once = approvals.put(request(7, "u", &told)).unwrap();
    approvals.answer(once.reference(), says(ApprovalChoice::Once)).unwrap();
    once.settled().await.unwrap();
    let of =
        |who: &str, of: &str| approvals.grants(&Principal::named(who), &super::session(of)).len();
    assert_eq!([of("ada", "s"), of("ada", "t"), of("ada", "u"), of("bob", "s")], [1, 1, 0, 0]);
    let left_behind = left(&approvals, put(&approvals, &told)).await;
    approvals.end_session(&super::session("s"));
    assert_eq!([of("ada", "s"), of("ada", "t")], [0, 1]);
    assert_eq!(*told.words().last().unwrap(), "withdrawn", "nobody waits in it either");
    assert!(matches!(approvals.rejoin(&left_behind, Digest([7; 32])), Err(ApprovalGone::Used)));
}

/// An answer that was given counts, whatever ends a moment later.
#[tokio::test(start_paused = true)]
async fn what_was_answered_before_its_session_ended_is_told_once_and_counts() {
    let (approvals, told) = (ApprovalQueue::new(None), Arc::<Told>::default());
    let mut held = put(&approvals, &told);
    approvals.answer(held.reference(), says(ApprovalChoice::Once)).unwrap();
    approvals.end_session(&super::session("s"));
    held.settled().await.unwrap();
    assert_eq!(told.words(), ["approved"]);
}

#[tokio::test(start_paused = true)]
async fn a_no_wins_until_the_call_runs_and_takes_the_grant_of_that_yes_with_it() {
    let (approvals, told) = (ApprovalQueue::new(None), Arc::<Told>::default());
    let grants = || approvals.grants(&Principal::named("ada"), &super::session("s")).len();
    let deny = || says(ApprovalChoice::Deny);
    let mut held = put(&approvals, &told);
    let reference = held.reference().clone();
    approvals.answer(&reference, says(ApprovalChoice::Session)).unwrap();
    assert_eq!(grants(), 1);
    let consent = held.settled().await.unwrap();
    // However long connecting takes.
    advance(LIFETIME * 2).await;
    assert!(approvals.waiting().is_empty() && approvals.find(&reference).is_some());
    let again = approvals.answer(&reference, says(ApprovalChoice::Once));
    assert_eq!(again, Err(NotWaiting::Answered), "a second yes is none");
    let no = ApprovalVerdict { reason: Some("not on a Friday".to_owned()), ..deny() };
    approvals.answer(&reference, no.clone()).unwrap();
    let pending = consent.pending().unwrap();
    let refused = ApprovalOutcome::Answered(no);
    assert_eq!(pending.decided().await, Err(refused.clone()));
    assert_eq!(pending.use_up(), Err(refused.clone()));
    let said = Refusal::from(refused).to_string();
    assert!(said.contains("not on a Friday"), "{said}");
    assert_eq!(grants(), 0);
    assert_eq!(told.words(), ["approved", "denied"]);
    assert_eq!(approvals.answer(&reference, deny()), Err(NotWaiting::Answered), "one no will do");
}

#[tokio::test(start_paused = true)]
async fn who_says_no_once_it_runs_is_told_that_it_ran() {
    let (approvals, told) = (ApprovalQueue::new(None), Arc::<Told>::default());
    let mut held = put(&approvals, &told);
    let reference = held.reference().clone();
    approvals.answer(&reference, says(ApprovalChoice::Session)).unwrap();
    let consent = held.settled().await.unwrap();
    let pending = consent.pending().unwrap();
    pending.use_up().unwrap();
    pending.use_up().expect("its later rounds need no second one");
    assert_eq!(pending.decided().await, Ok(()));
    let late = approvals.answer(&reference, says(ApprovalChoice::Deny));
    assert_eq!(late, Err(NotWaiting::AlreadyRan));
    assert_eq!(approvals.grants(&Principal::named("ada"), &super::session("s")).len(), 1);
    assert_eq!(told.words(), ["approved"]);
}

#[tokio::test(start_paused = true)]
async fn a_yes_that_is_not_used_ends_with_its_call() {
    let (approvals, told) = (ApprovalQueue::new(None), Arc::<Told>::default());
    let mut held = put(&approvals, &told);
    let reference = held.reference().clone();
    approvals.answer(&reference, says(ApprovalChoice::Once)).unwrap();
    drop(held.settled().await.unwrap());
    let late = approvals.answer(&reference, says(ApprovalChoice::Deny));
    assert_eq!(late, Err(NotWaiting::Answered), "nothing ran, and nothing will");
    assert!(approvals.find(&reference).is_none());
    assert_eq!(told.words(), ["approved"]);
}
