//! Whatever happens in whatever order: each petition ends once, and is consented to at most once.

use std::collections::HashMap;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use proptest::sample::Index;
use tokio::sync::broadcast::error::TryRecvError;
use tokio::time::advance;
use toolgate_guard::{Desk, Held, News, Note, Petition, Reference};
use toolgate_types::ApprovalChoice;
use toolgate_types::{Digest, Principal};

use super::{Told, petition, says, session};

const SESSIONS: [&str; 2] = ["s", "t"];

/// One thing that happens, mostly to one of the petitions so far.
#[derive(Debug, Clone)]
enum Op {
    Put {
        session: usize,
        seconds: u64,
        offers_session: bool,
    },
    Answer(Index, ApprovalChoice),
    /// Its caller asks once whether there is an answer.
    Look(Index),
    Leave(Index),
    Rejoin(Index),
    Drop(Index),
    Unheard(Index),
    Pass(u64),
    EndSession(usize),
}

fn an_op() -> impl Strategy<Value = Op> {
    let which = any::<Index>;
    prop_oneof![
        3 => (0..2_usize, 1..40_u64, any::<bool>())
            .prop_map(|(session, seconds, offers_session)| Op::Put { session, seconds, offers_session }),
        3 => (which(), prop::sample::select(&ApprovalChoice::ALL[..])).prop_map(|(at, what)| Op::Answer(at, what)),
        3 => which().prop_map(Op::Look),
        2 => which().prop_map(Op::Leave),
        3 => which().prop_map(Op::Rejoin),
        1 => which().prop_map(Op::Drop),
        1 => which().prop_map(Op::Unheard),
        2 => (1..15_u64).prop_map(Op::Pass),
        1 => (0..2_usize).prop_map(Op::EndSession),
    ]
}

/// A petition as its caller sees it.
struct One {
    reference: Reference,
    subject: Digest,
    held: Option<Held>,
    note: Note,
    answers: Vec<ApprovalChoice>,
    consents: usize,
}

async fn put(desk: &Desk, number: u8, op: (usize, u64, bool), told: &Arc<Told>) -> One {
    let (of, seconds, offers_session) = op;
    let whole = petition(number, SESSIONS[of], told);
    let grant = whole.grant.clone().filter(|_| offers_session);
    let lifetime = Duration::from_secs(seconds);
    let held = desk.put(Petition { grant, lifetime, ..whole }).unwrap();
    let ada = Principal::named("ada");
    let note = desk.note_of(&held, &ada).await.unwrap();
    let note = desk.open(&note, &ada).await.unwrap();
    let (reference, subject) = (held.reference().clone(), Digest([number; 32]));
    One { reference, subject, held: Some(held), note, answers: Vec::new(), consents: 0 }
}

fn at(all: &mut [One], index: Index) -> Option<&mut One> {
    let count = all.len();
    (count > 0).then(|| &mut all[index.index(count)])
}

async fn happen(desk: &Desk, all: &mut Vec<One>, op: Op, told: &Arc<Told>) {
    match op {
        Op::Put { session, seconds, offers_session } => {
            let number = u8::try_from(all.len()).unwrap();
            let one = put(desk, number, (session, seconds, offers_session), told).await;
            all.push(one);
        }
        Op::Answer(index, choice) => {
            if let Some(one) = at(all, index)
                && desk.answer(&one.reference, says(choice)).is_ok()
            {
                one.answers.push(choice);
            }
        }
        Op::Look(index) => {
            if let Some(one) = at(all, index)
                && let Some(held) = &mut one.held
            {
                tokio::select! {
                    biased;
                    settled = held.settled() => one.consents += usize::from(settled.is_ok()),
                    () = ready(()) => {}
                }
            }
        }
        Op::Leave(index) => {
            if let Some(held) = at(all, index).and_then(|one| one.held.take()) {
                held.leave();
            }
        }
        Op::Rejoin(index) => {
            if let Some(one) = at(all, index)
                && let Ok(held) = desk.rejoin(&one.note, one.subject)
            {
                assert!(one.held.is_none(), "two of the same");
                one.held = Some(held);
            }
        }
        Op::Drop(index) => {
            if let Some(one) = at(all, index) {
                one.held = None;
            }
        }
        Op::Unheard(index) => {
            if let Some(held) = at(all, index).and_then(|one| one.held.as_ref()) {
                held.say_unheard();
            }
        }
        Op::Pass(seconds) => pass(Duration::from_secs(seconds)).await,
        Op::EndSession(of) => desk.end_session(&session(SESSIONS[of])),
    }
}

async fn pass(time: Duration) {
    advance(time).await;
    // Those whose time came have their turn.
    for _ in 0..8 {
        tokio::task::yield_now().await;
    }
}

async fn play(ops: Vec<Op>) {
    let (desk, told) = (Desk::new(None), Arc::<Told>::default());
    let (mut all, mut news) = (Vec::new(), desk.listen());
    for op in ops {
        happen(&desk, &mut all, op, &told).await;
    }
    // Whoever is still there looks once more, goes, and the last deadline passes.
    for one in &mut all {
        if let Some(mut held) = one.held.take() {
            tokio::select! {
                biased;
                settled = held.settled() => one.consents += usize::from(settled.is_ok()),
                () = ready(()) => {}
            }
        }
    }
    pass(Duration::from_secs(60)).await;
    assert!(desk.waiting().is_empty());
    let mut heard: HashMap<Reference, Vec<&str>> = HashMap::new();
    loop {
        match news.try_recv() {
            Ok(News::Asked(one)) => heard.entry(one.reference).or_default().push("asked"),
            Ok(News::Settled(one, how)) => heard.entry(one).or_default().push(how.as_str()),
            Err(TryRecvError::Empty) => break,
            Err(error) => panic!("{error}"),
        }
    }
    for One { reference, answers, consents, note, subject, .. } in all {
        let words = told.of(&reference);
        assert_eq!(words.len(), 1, "it ended once: {words:?}");
        assert!(answers.len() <= 1, "one answer counts: {answers:?}");
        let expected = match answers.first() {
            None => None,
            Some(ApprovalChoice::Deny) => Some("denied"),
            Some(_) => Some("approved"),
        };
        match expected {
            Some(word) => assert_eq!(words, [word]),
            None => assert_ne!(words, ["approved"], "nobody said so"),
        }
        assert!(consents <= usize::from(words == ["approved"]), "{consents} of {words:?}");
        assert_eq!(heard[&reference], ["asked", words[0]]);
        assert!(desk.rejoin(&note, subject).is_err(), "nothing is left to come back for");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn each_petition_ends_once_and_gives_one_consent_at_most(ops in prop::collection::vec(an_op(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_time().start_paused(true).build().unwrap();
        runtime.block_on(play(ops));
    }
}
