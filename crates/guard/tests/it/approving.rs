//! Asking a person: what waits, who answers, and what an answer is worth.
//!
//! This file holds what its modules share.

mod commands;
mod crowds;
mod mutations;
mod prompts;
mod seals;
mod sequences;
mod spelling;
mod waiting;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::value::RawValue;
use toolgate_guard::{
    ApprovalConsent, ApprovalOutcome, ApprovalQueue, ApprovalReference, ApprovalRendering,
    ApprovalRequest, ApprovalVerdict, Approver, QueuedApproval, SessionGrant, SettledNote,
    ShownCall,
};
use toolgate_types::ApprovalChoice;
use toolgate_types::{Caller, Digest, Principal, SessionId};

const LIFETIME: Duration = Duration::from_secs(120);

fn json(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

fn session(name: &str) -> SessionId {
    SessionId(name.to_owned())
}

fn caller(of: &str) -> Caller {
    Caller { session: Some(session(of)), ..Caller::new(Principal::named("ada"), "/code/project") }
}

/// What is written down of each request that ended: its own word, in order.
#[derive(Default)]
struct Told(Mutex<Vec<(ApprovalReference, &'static str)>>);

impl SettledNote for Told {
    fn settled(&self, reference: &ApprovalReference, how: &ApprovalOutcome) {
        self.0.lock().unwrap().push((reference.clone(), how.as_str()));
    }
}

impl Told {
    fn all(&self) -> Vec<(ApprovalReference, &'static str)> {
        self.0.lock().unwrap().clone()
    }

    fn words(&self) -> Vec<&'static str> {
        self.all().into_iter().map(|(_, word)| word).collect()
    }

    fn of(&self, reference: &ApprovalReference) -> Vec<&'static str> {
        let all = self.all().into_iter();
        all.filter(|(of, _)| of == reference).map(|(_, word)| word).collect()
    }
}

/// Somebody in this session wants to push.
fn request(subject: u8, of: &str, told: &Arc<Told>) -> ApprovalRequest {
    let caller = caller(of);
    let grant = SessionGrant {
        principal: caller.principal.clone(),
        session: session(of),
        owner: "git".to_owned(),
        tool: "push".to_owned(),
        definition: Digest([1; 32]),
    };
    ApprovalRequest {
        subject: Digest([subject; 32]),
        caller: Some(Arc::new(caller)),
        server: "git".to_owned(),
        tool: "push".to_owned(),
        title: "codex wants to call git/push".to_owned(),
        shown: ApprovalRendering::plain(SHOWN),
        shown_in_full: None,
        notice: SHOWN.to_owned(),
        call: Arc::default(),
        grant: Some(grant),
        channels: Vec::new(),
        lifetime: LIFETIME,
        fastest_answer: Duration::ZERO,
        note: Arc::clone(told) as _,
    }
}

/// The same of another client: of one, only so many may wait.
fn petition_of_client(number: usize, told: &Arc<Told>) -> ApprovalRequest {
    let request = request(7, "s", told);
    let principal = Principal::named(format!("client {number}"));
    let caller = request.caller.as_deref().cloned().unwrap();
    ApprovalRequest { caller: Some(Arc::new(Caller { principal, ..caller })), ..request }
}

fn put(approvals: &ApprovalQueue, told: &Arc<Told>) -> QueuedApproval {
    approvals.put(request(7, "s", told)).unwrap()
}

/// What every request here shows.
const SHOWN: &str = "It writes.";

fn seen() -> Option<Digest> {
    Some(ApprovalRendering::plain(SHOWN).digest())
}

fn says(choice: ApprovalChoice) -> ApprovalVerdict {
    ApprovalVerdict { choice, approver: Approver::over("queue"), reason: None, seen: seen() }
}

/// A person's consent to exactly this.
async fn consent_to(subject: Digest, arguments: Option<Box<RawValue>>) -> ApprovalConsent {
    let approvals = ApprovalQueue::new(None);
    let call = ShownCall { arguments: arguments.map(Arc::from), also_sent: None };
    let call = Arc::new(call);
    let asked = ApprovalRequest { subject, call, ..request(0, "s", &Arc::default()) };
    let mut held = approvals.put(asked).unwrap();
    held.say(ApprovalChoice::Once, Approver::over("agent"), seen());
    held.settled().await.unwrap()
}
