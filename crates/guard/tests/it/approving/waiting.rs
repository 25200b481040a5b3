//! One petition at the desk, and everything that can become of it.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::time::{Instant, advance, sleep_until};
use toolgate_guard::{Desk, Gone, Held, News, NotWaiting, Note, Petition, Settled};
use toolgate_types::ApprovalChoice;
use toolgate_types::{Digest, Principal};

use super::{LIFETIME, Told, petition, petition_of_client, put, says};

const TICK: Duration = Duration::from_millis(1);

/// The caller goes, and takes a note along.
async fn left(desk: &Desk, held: Held) -> Note {
    let ada = Principal::named("ada");
    let note = desk.note_of(&held, &ada).await.unwrap();
    held.leave();
    desk.open(&note, &ada).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_first_answer_counts_and_who_answers_second_is_told_so() {
    let (desk, told) = (Desk::new(None), Arc::default());
    let mut held = put(&desk, &told);
    let reference = held.reference().clone();
    assert_eq!(desk.answer(&reference, says(ApprovalChoice::Deny)), Ok(()));
    assert_eq!(desk.answer(&reference, says(ApprovalChoice::Once)), Err(NotWaiting::Answered));
    let settled = held.settled().await.unwrap_err();
    assert_eq!(settled, Settled::Answered(says(ApprovalChoice::Deny)));
    assert_eq!(desk.answer(&reference, says(ApprovalChoice::Once)), Err(NotWaiting::Answered));
    assert_eq!(
        desk.answer(&"2222222".into(), says(ApprovalChoice::Once)),
        Err(NotWaiting::Unknown)
    );
    assert_eq!(told.words(), ["denied"]);
    assert!(desk.waiting().is_empty());
}

#[test]
fn of_many_who_answer_at_once_one_is_the_first() {
    let desk = Desk::new(None);
    for round in 0..200_u8 {
        let told = Arc::default();
        let held = desk.put(petition(round, "s", &told)).unwrap();
        let reference = held.reference().clone();
        let results: Vec<_> = thread::scope(|scope| {
            let answering = [
                ApprovalChoice::Once,
                ApprovalChoice::Session,
                ApprovalChoice::Deny,
                ApprovalChoice::Once,
            ];
            let (desk, reference) = (&desk, &reference);
            let answering =
                answering.map(|choice| scope.spawn(move || desk.answer(reference, says(choice))));
            answering.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
        let others = results.into_iter().filter_map(Result::err);
        assert!(others.into_iter().all(|why| why == NotWaiting::Answered));
        drop(held);
        assert_eq!(told.of(&reference).len(), 1);
    }
}

/// Somebody who looks at the desk may answer before whoever listens to it has heard of the call.
#[test]
fn nobody_hears_of_the_end_of_a_call_before_they_heard_of_the_call() {
    let desk = Desk::new(None);
    let mut news = desk.listen();
    let mut held = Vec::new();
    thread::scope(|scope| {
        let answering = scope.spawn(|| {
            let mut count = 0;
            while count < 500 {
                let all = desk.waiting();
                let answered =
                    all.iter().map(|one| desk.answer(&one.reference, says(ApprovalChoice::Once)));
                count += answered.filter(Result::is_ok).count();
            }
        });
        let by = |number| desk.put(petition_of_client(number, &Arc::default())).unwrap();
        held.extend((0..500).map(by));
        answering.join().unwrap();
    });
    let mut asked = std::collections::HashSet::new();
    for _ in 0..1000 {
        match news.try_recv().unwrap() {
            News::Asked(one) => assert!(asked.insert(one.reference)),
            News::Settled(one, _) => assert!(asked.contains(&one)),
        }
    }
}

#[test]
fn whatever_ends_it_at_the_same_time_it_is_told_once() {
    let desk = Desk::new(None);
    for round in 0..200_u8 {
        let told = Arc::default();
        let held = desk.put(petition(round, "s", &told)).unwrap();
        let reference = held.reference().clone();
        thread::scope(|scope| {
            scope.spawn(|| desk.answer(&reference, says(ApprovalChoice::Session)));
            scope.spawn(|| desk.end_session(&super::session("s")));
            scope.spawn(|| drop(held));
        });
        assert_eq!(told.words().len(), 1, "{:?}", told.words());
        assert!(desk.waiting().is_empty());
        desk.end_session(&super::session("s"));
    }
}

/// Shows: C18.
#[tokio::test(start_paused = true)]
async fn what_was_not_offered_is_no_answer_and_the_call_goes_on_waiting() {
    let (desk, told) = (Desk::new(None), Arc::default());
    let mut held = desk.put(Petition { grant: None, ..petition(7, "s", &told) }).unwrap();
    let reference = held.reference().clone();
    assert_eq!(held.petition().choices(), [ApprovalChoice::Once, ApprovalChoice::Deny]);
    assert_eq!(desk.answer(&reference, says(ApprovalChoice::Session)), Err(NotWaiting::NotOffered));
    assert!(told.words().is_empty());
    assert_eq!(desk.answer(&reference, says(ApprovalChoice::Once)), Ok(()));
    held.settled().await.unwrap();
}

/// Shows: G4.
#[tokio::test(start_paused = true)]
async fn it_expires_at_its_deadline_and_not_before() {
    let (desk, told) = (Desk::new(None), Arc::default());
    let begun = Instant::now();
    let (mut late, mut in_time) = (put(&desk, &told), put(&desk, &told));
    sleep_until(begun + LIFETIME - TICK).await;
    assert_eq!(desk.waiting().len(), 2);
    desk.answer(in_time.reference(), says(ApprovalChoice::Once)).unwrap();
    assert!(matches!(late.settled().await, Err(Settled::Expired)));
    assert_eq!(begun.elapsed(), LIFETIME);
    in_time.settled().await.expect("it was answered in time");
    assert_eq!(told.words(), ["approved", "expired"]);
    let mut missed = put(&desk, &told);
    advance(LIFETIME).await;
    let reference = missed.reference().clone();
    assert_eq!(desk.answer(&reference, says(ApprovalChoice::Once)), Err(NotWaiting::Unknown));
    assert!(matches!(missed.settled().await, Err(Settled::Expired)));
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_used_once_by_whoever_comes_back_for_it() {
    let (desk, told) = (Desk::new(None), Arc::default());
    let held = put(&desk, &told);
    let (reference, subject) = (held.reference().clone(), held.petition().subject);
    let note = left(&desk, held).await;
    assert_eq!(desk.waiting().len(), 1, "it waits while its caller is away");
    let mut first = desk.rejoin(&note, subject).unwrap();
    assert!(matches!(desk.rejoin(&note, subject), Err(Gone::UnderWay)));
    desk.answer(&reference, says(ApprovalChoice::Once)).unwrap();
    first.settled().await.unwrap();
    assert!(first.settled().await.is_err(), "nobody gets a second consent from it");
    assert!(matches!(desk.rejoin(&note, subject), Err(Gone::Used)));
    assert_eq!(told.words(), ["approved"]);
}

#[tokio::test(start_paused = true)]
async fn who_comes_back_with_something_else_takes_nothing_from_who_does_not() {
    let (desk, told) = (Desk::new(None), Arc::default());
    let held = put(&desk, &told);
    let (reference, subject) = (held.reference().clone(), held.petition().subject);
    let note = left(&desk, held).await;
    desk.answer(&reference, says(ApprovalChoice::Once)).unwrap();
    assert!(matches!(desk.rejoin(&note, Digest([8; 32])), Err(Gone::Other)));
    desk.rejoin(&note, subject).unwrap().settled().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_is_dropped_is_withdrawn_and_everybody_hears_of_it() {
    let (desk, told) = (Desk::new(None), Arc::default());
    let mut news = desk.listen();
    let held = put(&desk, &told);
    let reference = held.reference().clone();
    drop(held);
    assert_eq!(told.of(&reference), ["withdrawn"]);
    assert!(desk.waiting().is_empty() && desk.find(&reference).is_none());
    let News::Asked(asked) = news.recv().await.unwrap() else { panic!("asked first") };
    assert_eq!(asked.reference, reference);
    let News::Settled(of, Settled::Withdrawn) = news.recv().await.unwrap() else {
        panic!("and then withdrawn")
    };
    assert_eq!(of, reference);
}

/// Shows: G4.
#[tokio::test(start_paused = true)]
async fn what_nobody_comes_back_for_expires_on_its_own() {
    let (desk, told) = (Desk::new(None), Arc::default());
    let (held, answered) = (put(&desk, &told), put(&desk, &told));
    let (reference, other) = (held.reference().clone(), answered.reference().clone());
    let subject = held.petition().subject;
    let note = left(&desk, held).await;
    left(&desk, answered).await;
    desk.answer(&other, says(ApprovalChoice::Once)).unwrap();
    let mut news = desk.listen();
    let Ok(News::Settled(of, Settled::Expired)) = news.recv().await else { panic!("it expires") };
    assert_eq!(of, reference);
    assert_eq!((told.of(&reference), told.of(&other)), (vec!["expired"], vec!["approved"]));
    assert!(desk.rejoin(&note, subject).is_err());
}

/// Shows: S3-26, C18.
#[tokio::test(start_paused = true)]
async fn a_grant_is_kept_for_its_session_and_its_caller_and_ends_with_it() {
    let (desk, told) = (Desk::new(None), Arc::default());
    for of in ["s", "t"] {
        let mut held = desk.put(petition(7, of, &told)).unwrap();
        desk.answer(held.reference(), says(ApprovalChoice::Session)).unwrap();
        held.settled().await.unwrap();
    }
    let mut once = desk.put(petition(7, "u", &told)).unwrap();
    desk.answer(once.reference(), says(ApprovalChoice::Once)).unwrap();
    once.settled().await.unwrap();
    let of = |who: &str, of: &str| desk.grants(&Principal::named(who), &super::session(of)).len();
    assert_eq!([of("ada", "s"), of("ada", "t"), of("ada", "u"), of("bob", "s")], [1, 1, 0, 0]);
    let left_behind = left(&desk, put(&desk, &told)).await;
    desk.end_session(&super::session("s"));
    assert_eq!([of("ada", "s"), of("ada", "t")], [0, 1]);
    assert_eq!(*told.words().last().unwrap(), "withdrawn", "nobody waits in it either");
    assert!(matches!(desk.rejoin(&left_behind, Digest([7; 32])), Err(Gone::Used)));
}

/// An answer that was given counts, whatever ends a moment later.
#[tokio::test(start_paused = true)]
async fn what_was_answered_before_its_session_ended_is_told_once_and_counts() {
    let (desk, told) = (Desk::new(None), Arc::<Told>::default());
    let mut held = put(&desk, &told);
    desk.answer(held.reference(), says(ApprovalChoice::Once)).unwrap();
    desk.end_session(&super::session("s"));
    held.settled().await.unwrap();
    assert_eq!(told.words(), ["approved"]);
}
