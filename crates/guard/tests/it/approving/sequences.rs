//! Whatever happens in whatever order: each request ends once, is consented to at most once, and runs
//! only if nobody said no before.

use std::collections::HashMap;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use proptest::sample::Index;
use tokio::sync::broadcast::error::TryRecvError;
use tokio::time::advance;
use toolgate_guard::{
    ApprovalConsent, ApprovalQueue, ApprovalReference, ApprovalRequest, NotWaiting, QueueEvent,
    QueuedApproval, ResumeToken,
};
use toolgate_types::ApprovalChoice;
use toolgate_types::{Digest, Principal};

use super::{Told, request, says, session};

const SESSIONS: [&str; 2] = ["s", "t"];

/// One thing that happens, mostly to one of the requests so far.
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
    /// What was approved goes to its server.
    Run(Index),
    /// What was approved is given up.
    LayDown(Index),
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
        2 => which().prop_map(Op::Run),
        1 => which().prop_map(Op::LayDown),
        2 => which().prop_map(Op::Leave),
        3 => which().prop_map(Op::Rejoin),
        1 => which().prop_map(Op::Drop),
        1 => which().prop_map(Op::Unheard),
        2 => (1..15_u64).prop_map(Op::Pass),
        1 => (0..2_usize).prop_map(Op::EndSession),
    ]
}

/// An approval request as its caller sees it.
struct One {
    reference: ApprovalReference,
    subject: Digest,
    held: Option<QueuedApproval>,
    note: ResumeToken,
    answers: Vec<ApprovalChoice>,
    consents: usize,
    consent: Option<ApprovalConsent>,
    ran: bool,
}

impl One {
    /// Its caller asks once whether there is an answer.
    async fn look(&mut self) {
        let Some(held) = &mut self.held else { return };
        tokio::select! {
            biased;
            Ok(consent) = held.settled() => {
                self.consents += 1;
                self.consent = Some(consent);
            }
            () = ready(()) => {}
        }
    }

    fn run(&mut self) {
        let Some(consent) = self.consent.take() else { return };
        self.ran = consent.pending().unwrap().use_up().is_ok();
        assert_eq!(self.ran, self.answers.last() != Some(&ApprovalChoice::Deny));
    }
}

async fn put(
    approvals: &ApprovalQueue,
    number: u8,
    op: (usize, u64, bool),
    told: &Arc<Told>,
) -> One {
    let (of, seconds, offers_session) = op;
    let whole = request(number, SESSIONS[of], told);
    let grant = whole.grant.clone().filter(|_| offers_session);
    let lifetime = Duration::from_secs(seconds);
    let held = approvals.put(ApprovalRequest { grant, lifetime, ..whole }).unwrap();
    let ada = Principal::named("ada");
    let note = approvals.note_of(&held, &ada).await.unwrap();
    let note = approvals.open(&note, &ada).await.unwrap();
    let (reference, subject) = (held.reference().clone(), Digest([number; 32]));
    One {
        reference,
        subject,
        held: Some(held),
        note,
        answers: Vec::new(),
        consents: 0,
        consent: None,
        ran: false,
    }
}

fn at(all: &mut [One], index: Index) -> Option<&mut One> {
    let count = all.len();
    (count > 0).then(|| &mut all[index.index(count)])
}

async fn happen(approvals: &ApprovalQueue, all: &mut Vec<One>, op: Op, told: &Arc<Told>) {
    match op {
        Op::Put { session, seconds, offers_session } => {
            let number = u8::try_from(all.len()).unwrap();
            let one = put(approvals, number, (session, seconds, offers_session), told).await;
            all.push(one);
        }
        Op::Answer(index, choice) => {
            if let Some(one) = at(all, index) {
                match approvals.answer(&one.reference, says(choice)) {
                    Ok(()) => one.answers.push(choice),
                    Err(why) => assert_eq!(why == NotWaiting::AlreadyRan, one.ran, "{why}"),
                }
            }
        }
        Op::Look(index) => {
            if let Some(one) = at(all, index) {
                one.look().await;
            }
        }
        Op::Run(index) => {
            if let Some(one) = at(all, index) {
                one.run();
            }
        }
        Op::LayDown(index) => {
            if let Some(one) = at(all, index) {
                one.consent = None;
            }
        }
        Op::Leave(index) => {
            if let Some(held) = at(all, index).and_then(|one| one.held.take()) {
                held.leave();
            }
        }
        Op::Rejoin(index) => {
            if let Some(one) = at(all, index)
                && let Ok(held) = approvals.rejoin(&one.note, one.subject)
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
        Op::EndSession(of) => approvals.end_session(&session(SESSIONS[of])),
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
    let (approvals, told) = (ApprovalQueue::new(None), Arc::<Told>::default());
    let (mut all, mut news) = (Vec::new(), approvals.listen());
    for op in ops {
        happen(&approvals, &mut all, op, &told).await;
    }
    // Whoever is still there looks once more, goes, and the last deadline passes.
    for one in &mut all {
        one.look().await;
        one.held = None;
        one.run();
    }
    pass(Duration::from_secs(60)).await;
    assert!(approvals.waiting().is_empty());
    let mut heard: HashMap<ApprovalReference, Vec<&str>> = HashMap::new();
    loop {
        match news.try_recv() {
            Ok(QueueEvent::Asked(one)) => heard.entry(one.reference).or_default().push("asked"),
            Ok(QueueEvent::Settled(one, how)) => heard.entry(one).or_default().push(how.as_str()),
            Err(TryRecvError::Empty) => break,
            Err(error) => panic!("{error}"),
        }
    }
    for One { reference, answers, consents, note, subject, ran, .. } in all {
        let words = told.of(&reference);
        let said = |choice: &ApprovalChoice| match choice {
            ApprovalChoice::Deny => "denied",
            ApprovalChoice::Once | ApprovalChoice::Session => "approved",
        };
        let said: Vec<_> = answers.iter().map(said).collect();
        match said[..] {
            // The first answer counts, but for a no after a yes.
            ["approved"] | ["denied"] | ["approved", "denied"] => assert_eq!(words, said),
            [] => assert!(words.len() == 1 && words != ["approved"], "nobody said so: {words:?}"),
            _ => panic!("{said:?}"),
        }
        assert!(consents <= usize::from(words[0] == "approved"), "{consents} of {words:?}");
        assert!(!ran || words == ["approved"], "it ran: {words:?}");
        assert_eq!(heard[&reference][0], "asked");
        assert_eq!(heard[&reference][1..], words);
        assert!(approvals.rejoin(&note, subject).is_err(), "nothing is left to come back for");
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
