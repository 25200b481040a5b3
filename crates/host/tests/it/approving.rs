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
use serde_json::value::RawValue;
use tokio::sync::{broadcast, watch};
use tokio::task::JoinHandle;
use toolgate_host::{
    ApprovalChoice, Approver, Call, Desk, Guard, Host, News, NotWaiting, Options, Reference,
    Target, Verdict, Waiting,
};
use toolgate_testkit::{Act, Script};
use toolgate_types::config::{ApprovalMode, Server, ToolSettings};
use toolgate_types::{
    Answer, Asker, CallError, Caller, InputRequest, Millis, Outcome, Principal, Question,
    QuestionKind, SessionId,
};

use crate::gate::{Gate, Running, id, json, within};

/// How long these wait for a person; shorter than anything here may hang.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a caller's own channel does when it is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Says {
    /// Fills in the form at once.
    Fills(&'static str),
    /// Shows it, and nobody does anything.
    Waits,
    /// Sends it back to the caller.
    Defers,
    NoChannel,
    Refuses,
}

pub(crate) const ONCE: Says = Says::Fills(r#"{"action":"accept","content":{"decision":"once"}}"#);
pub(crate) const SESSION: Says =
    Says::Fills(r#"{"action":"accept","content":{"decision":"session"}}"#);
pub(crate) const DENY: Says = Says::Fills(r#"{"action":"accept","content":{"decision":"deny"}}"#);

/// Somebody behind the caller.
pub(crate) struct Person {
    says: Mutex<Says>,
    /// The forms that were shown.
    forms: watch::Sender<Vec<String>>,
    /// How many of them were taken away before they were answered.
    dropped: watch::Sender<usize>,
}

impl Person {
    fn who(says: Says) -> Arc<Self> {
        let (forms, dropped) = (watch::Sender::default(), watch::Sender::default());
        Arc::new(Self { says: Mutex::new(says), forms, dropped })
    }

    pub(crate) fn says(&self, says: Says) {
        *self.says.lock().unwrap() = says;
    }

    pub(crate) fn times(&self) -> usize {
        self.forms.borrow().len()
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

    async fn ask(&self, question: Question) -> Answer {
        let Question { kind, params, .. } = question;
        Answer::Defer(InputRequest { kind, params })
    }

    fn approves(&self) -> Option<&'static str> {
        Some("agent")
    }

    async fn approve(&self, form: Box<RawValue>) -> Answer {
        self.forms.send_modify(|forms| forms.push(form.get().to_owned()));
        let says = *self.says.lock().unwrap();
        match says {
            Says::Fills(answer) => Answer::Answered(json(answer)),
            Says::Waits => {
                let _shown = Shown(&self.dropped);
                std::future::pending().await
            }
            Says::Defers => {
                Answer::Defer(InputRequest { kind: QuestionKind::Elicit, params: Some(form) })
            }
            Says::NoChannel => Answer::NoChannel,
            Says::Refuses => Answer::Refused(json(r#"{"code":-32601,"message":"what?"}"#)),
        }
    }
}

/// A host with a server whose tools are asked for, and everybody who could be.
pub(crate) struct Shop {
    pub(crate) gate: Running,
    pub(crate) host: Host,
    pub(crate) desk: Desk,
    pub(crate) person: Arc<Person>,
    news: tokio::sync::Mutex<broadcast::Receiver<News>>,
}

impl Shop {
    /// With the server `git`, and nobody who looks at the desk.
    fn of(says: Says) -> Self {
        Self::around(says, asking().server_with("git", git(), waving_poke_through))
    }

    pub(crate) fn around(says: Says, gate: Gate) -> Self {
        Self::at(Desk::new(None), says, gate)
    }

    fn at(desk: Desk, says: Says, gate: Gate) -> Self {
        let person = Person::who(says);
        let (asker, own) = (Arc::clone(&person) as Arc<dyn Asker>, desk.clone());
        let gate = gate.building(|host| host.asker(asker).desk(own)).run();
        let news = tokio::sync::Mutex::new(desk.listen());
        let host = gate.host.clone();
        Self { gate, host, desk, person, news }
    }

    /// And somebody looks at the desk.
    pub(crate) fn with_queue(self) -> Self {
        self.desk.open_queue();
        self
    }

    /// What comes of a call, in a word.
    pub(crate) async fn call(&self, call: Call) -> String {
        word(&within(self.host.call(call)).await)
    }

    pub(crate) fn begin(&self, call: Call) -> JoinHandle<Result<Outcome, CallError>> {
        let host = self.host.clone();
        tokio::spawn(async move { host.call(call).await })
    }

    /// The next call that comes to the desk.
    pub(crate) async fn asked(&self) -> Waiting {
        let mut news = self.news.lock().await;
        loop {
            if let News::Asked(waiting) = within(news.recv()).await.unwrap() {
                return waiting;
            }
        }
    }

    /// Somebody who looks at the desk says this to the next call that comes.
    async fn answer(&self, choice: ApprovalChoice) {
        let waiting = self.asked().await;
        say_seen(&self.desk, &waiting.reference, choice).unwrap();
    }

    /// How often the server was really called.
    fn calls(&self) -> usize {
        self.gate.peers.received("git", r#""tools/call""#)
    }
}

/// As people in the queue say it.
pub(crate) fn queue(choice: ApprovalChoice) -> Verdict {
    Verdict { choice, approver: Approver::over("queue"), reason: None, seen: None }
}

/// The same by somebody who saw all of it.
pub(crate) fn say_seen(
    desk: &Desk,
    reference: &Reference,
    choice: ApprovalChoice,
) -> Result<(), NotWaiting> {
    let seen = desk.find(reference).map(|waiting| waiting.petition.shown.digest());
    desk.answer(reference, Verdict { seen, ..queue(choice) })
}

/// A gate whose tools are asked for, for no longer than people here are patient.
pub(crate) fn asking() -> Gate {
    Gate::guarded(Guard::default()).configured(|config| {
        let patience = u64::try_from(PATIENCE.as_millis()).unwrap();
        config.approval.timeout = Millis::at_least_one(patience);
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

pub(crate) fn options(caller: Caller) -> Options {
    Options { caller: Some(caller.into()), ..Options::default() }
}

/// Somebody in this session calls a tool of `git`.
fn call_in(session: Option<&str>, tool: &str) -> Call {
    let call = Call::new(Target::exact(id("git"), tool)).arguments(json(r#"{"n":1.50}"#));
    call.options(options(caller(session)))
}

fn push() -> Call {
    call_in(Some("s"), "push")
}

pub(crate) fn word(result: &Result<Outcome, CallError>) -> String {
    match result {
        Ok(Outcome::Done(done)) if done.is_error => "failed".to_owned(),
        Ok(Outcome::Done(_)) => "done".to_owned(),
        Ok(Outcome::InputRequired(_)) => "input_required".to_owned(),
        Err(error) => error.reason.unwrap_or(error.code.as_str()).to_owned(),
    }
}
