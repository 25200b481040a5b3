//! A person is asked before a call runs: over the caller, in the queue, or not at all.
//!
//! This file holds what its modules share.

mod changes;
mod channels;
mod crowds;
mod going_on;
mod holding;
mod prompts;
mod records;
mod returning;
mod sessions;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::{broadcast, watch};
use tokio::task::JoinHandle;
use toolgate_host::{
    ApprovalChoice, ApprovalQueue, ApprovalReference, ApprovalVerdict, Approver, Call, CallOptions,
    CallTarget, Guard, Host, NotWaiting, QueueEvent, WaitingApproval,
};
use toolgate_testkit::{Act, Script};
use toolgate_types::config::{ApprovalMode, Server, ToolSettings};
use toolgate_types::{
    ApprovalQuestion, ApprovalReply, Asker, CallError, Caller, InputRequest, Milliseconds,
    OperationOutcome, Principal, QuestionAnswer, QuestionKind, ServerQuestion, SessionId,
};

use crate::gate::{Gate, Running, id, json, within};

/// How long these wait for a person; shorter than anything here may hang.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a caller's own channel does when it is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Says {
    /// Says so at once.
    Chooses(ApprovalChoice),
    /// Closes it without a word.
    Closes,
    /// Shows it, and nobody does anything.
    Waits,
    /// Sends it back to the caller.
    Defers,
    NoChannel,
}

pub(crate) const ONCE: Says = Says::Chooses(ApprovalChoice::Once);
pub(crate) const SESSION: Says = Says::Chooses(ApprovalChoice::Session);
pub(crate) const DENY: Says = Says::Chooses(ApprovalChoice::Deny);

/// Somebody behind the caller.
pub(crate) struct Person {
    says: Mutex<Says>,
    /// What was shown.
    forms: watch::Sender<Vec<ApprovalQuestion>>,
    /// How many of them were taken away before they were answered.
    dropped: watch::Sender<usize>,
    /// What is pressed in a form that waits.
    pressed: watch::Sender<Option<ApprovalReply>>,
}

impl Person {
    pub(crate) fn who(says: Says) -> Arc<Self> {
        let (forms, dropped) = (watch::Sender::default(), watch::Sender::default());
        let pressed = watch::Sender::default();
        Arc::new(Self { says: Mutex::new(says), forms, dropped, pressed })
    }

    pub(crate) fn says(&self, says: Says) {
        *self.says.lock().unwrap() = says;
    }

    /// Answers the form that is shown, and every later one.
    fn press(&self, reply: ApprovalReply) {
        self.pressed.send_replace(Some(reply));
    }

    pub(crate) fn times(&self) -> usize {
        self.forms.borrow().len()
    }

    /// What was shown so far.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.forms.borrow().iter().map(|form| form.text.clone()).collect()
    }

    /// Waits until so many forms were shown.
    async fn shown(&self, times: usize) {
        within(self.forms.subscribe().wait_for(|forms| forms.len() >= times)).await.unwrap();
    }

    /// Waits until so many were taken away.
    async fn missed(&self, times: usize) {
        within(self.dropped.subscribe().wait_for(|count| *count >= times)).await.unwrap();
    }
}

/// Counts when it is dropped.
struct Shown<'a>(&'a watch::Sender<usize>);

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count += 1);
    }
}

#[async_trait]
impl Asker for Person {
    fn answers(&self, _: QuestionKind) -> bool {
        true
    }

    async fn ask(&self, question: ServerQuestion) -> QuestionAnswer {
        let ServerQuestion { kind, params, .. } = question;
        QuestionAnswer::Defer(InputRequest { kind, params })
    }

    fn approves(&self) -> Option<&'static str> {
        Some("agent")
    }

    async fn approve(&self, question: ApprovalQuestion) -> ApprovalReply {
        self.forms.send_modify(|forms| forms.push(question));
        let says = *self.says.lock().unwrap();
        match says {
            Says::Chooses(choice) => ApprovalReply::Said(choice),
            Says::Closes => ApprovalReply::Nothing,
            Says::Waits => {
                let shown = Shown(&self.dropped);
                let mut pressed = self.pressed.subscribe();
                let reply = pressed.wait_for(Option::is_some).await.unwrap().unwrap();
                std::mem::forget(shown);
                reply
            }
            Says::Defers => ApprovalReply::Deferred,
            Says::NoChannel => ApprovalReply::NoChannel,
        }
    }
}

/// A host with a server whose tools are asked for, and everybody who could be.
pub(crate) struct Shop {
    pub(crate) gate: Running,
    pub(crate) host: Host,
    pub(crate) approvals: ApprovalQueue,
    pub(crate) person: Arc<Person>,
    news: tokio::sync::Mutex<broadcast::Receiver<QueueEvent>>,
}

impl Shop {
    /// With the server `git`, and nobody who looks at the approval queue.
    fn of(says: Says) -> Self {
        Self::around(says, asking().server_with("git", git(), waving_poke_through))
    }

    pub(crate) fn around(says: Says, gate: Gate) -> Self {
        Self::at(ApprovalQueue::new(None), says, gate)
    }

    fn at(approvals: ApprovalQueue, says: Says, gate: Gate) -> Self {
        let person = Person::who(says);
        let (asker, own) = (Arc::clone(&person) as Arc<dyn Asker>, approvals.clone());
        let gate = gate.building(|host| host.asker(asker).approvals(own)).run();
        let news = tokio::sync::Mutex::new(approvals.listen());
        let host = gate.host.clone();
        Self { gate, host, approvals, person, news }
    }

    /// And somebody looks at the approval queue.
    pub(crate) fn with_queue(self) -> Self {
        self.approvals.open_queue();
        self.approvals.note_person();
        self
    }

    /// What comes of a call, in a word.
    pub(crate) async fn call(&self, call: Call) -> String {
        word(&within(self.host.call(call)).await)
    }

    pub(crate) fn begin(&self, call: Call) -> JoinHandle<Result<OperationOutcome, CallError>> {
        let host = self.host.clone();
        tokio::spawn(async move { host.call(call).await })
    }

    /// The next call that comes to the approval queue.
    pub(crate) async fn asked(&self) -> WaitingApproval {
        let mut news = self.news.lock().await;
        loop {
            if let QueueEvent::Asked(waiting) = within(news.recv()).await.unwrap() {
                return waiting;
            }
        }
    }

    /// Somebody who looks at the approval queue says this to the next call that comes.
    async fn answer(&self, choice: ApprovalChoice) {
        let waiting = self.asked().await;
        say_seen(&self.approvals, &waiting.reference, choice).unwrap();
    }

    /// How often the server was really called.
    fn calls(&self) -> usize {
        self.gate.peers.received("git", r#""tools/call""#)
    }
}

/// As people in the queue say it.
pub(crate) fn queue(choice: ApprovalChoice) -> ApprovalVerdict {
    ApprovalVerdict { choice, approver: Approver::over("queue"), reason: None, seen: None }
}

/// The same by somebody who saw all of it.
pub(crate) fn say_seen(
    approvals: &ApprovalQueue,
    reference: &ApprovalReference,
    choice: ApprovalChoice,
) -> Result<(), NotWaiting> {
    let seen = approvals.find(reference).map(|waiting| waiting.request.shown.digest());
    approvals.answer(reference, ApprovalVerdict { seen, ..queue(choice) })
}

/// A gate whose tools are asked for, for no longer than people here are patient.
pub(crate) fn asking() -> Gate {
    Gate::guarded(Guard::default()).configured(|config| {
        let patience = u64::try_from(PATIENCE.as_millis()).unwrap();
        config.approval.timeout = Milliseconds::at_least_one(patience);
        // Most here answer at once, and are people all the same.
        config.approval.fastest_answer = Duration::ZERO;
        // Nobody thinks so long here that a list is asked for again meanwhile.
        config.limits.tools_ttl = Milliseconds::at_least_one(4 * patience);
    })
}

/// Two tools, and a third after which the first is defined otherwise.
fn git() -> Script {
    let tool = |name: &str, says: &str| {
        format!(r#"{{"name":"{name}","description":"{says}","inputSchema":{{"type":"object"}}}}"#)
    };
    let list = |says: &str| {
        let tools = [tool("push", says), tool("pull", "Gets."), tool("poke", "Changes push.")];
        Act::answer(format!(r#"{{"tools":[{}]}}"#, tools.join(",")))
    };
    let changed = Act::notify("notifications/tools/list_changed", "{}");
    Script::legacy()
        .offering(r#"{"tools":{"listChanged":true}}"#)
        .on("tools/list", [Act::InTurn(vec![list("Sends."), list("Sends elsewhere.")])])
        .on_call("push", [Act::say("pushed ${message:/params/arguments/n}")])
        .on_call("pull", [Act::say("pulled")])
        .on_call("poke", [changed, Act::say("poked")])
}

fn waving_poke_through(server: &mut Server) {
    let approval = Some(ApprovalMode::Approve);
    let settings = ToolSettings { approval, ..ToolSettings::default() };
    server.tool_settings.insert("poke".to_owned(), settings);
}

pub(crate) fn caller(session: Option<&str>) -> Caller {
    Caller {
        session: session.map(|name| SessionId(name.to_owned())),
        client: Some("codex".to_owned()),
        ..Caller::new(Principal::named("ada"), "/code")
    }
}

pub(crate) fn options(caller: Caller) -> CallOptions {
    CallOptions { caller: Some(caller.into()), ..CallOptions::default() }
}

/// Somebody in this session calls a tool of `git`.
fn call_in(session: Option<&str>, tool: &str) -> Call {
    let call = Call::new(CallTarget::exact(id("git"), tool)).arguments(json(r#"{"n":1.50}"#));
    call.options(options(caller(session)))
}

fn push() -> Call {
    call_in(Some("s"), "push")
}

pub(crate) fn word(result: &Result<OperationOutcome, CallError>) -> String {
    match result {
        Ok(OperationOutcome::Done(done)) if done.is_error => "failed".to_owned(),
        Ok(OperationOutcome::Done(_) | OperationOutcome::DoneAtLength(_)) => "done".to_owned(),
        Ok(OperationOutcome::InputRequired(_)) => "input_required".to_owned(),
        Ok(OperationOutcome::ApprovalRequired(_)) => "approval_required".to_owned(),
        Ok(OperationOutcome::Task(_)) => "task".to_owned(),
        Err(error) => error.reason.unwrap_or(error.code.as_str()).to_owned(),
    }
}
