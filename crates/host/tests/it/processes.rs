//! Servers that are processes: what they play, how they are called, and what can be seen of them
//! from outside.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::value::RawValue;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;
use toolgate_host::{Attendant, Call, CallOptions, CallTarget, Host};
use toolgate_testkit::{Act, Script};
use toolgate_types::config::{Config, Server};
use toolgate_types::{
    Asker, CallError, Caller, LayerGrade, OperationOutcome, Principal, QuestionAnswer,
    QuestionKind, ServerQuestion, SessionId,
};

use crate::gate::{entry, id, list, peer_path, server, stdio, within};

/// A server that tells its process (`pid`), that takes until somebody answers (`slow`), that gets
/// another tool (`grow`), and that ends (`die`).
pub(crate) fn worker() -> Script {
    let tools = ["pid", "slow", "grow", "die"];
    let more = ["pid", "slow", "grow", "die", "grown"];
    Script::legacy()
        .offering(r#"{"tools":{"listChanged":true}}"#)
        .on("tools/list", [Act::InTurn(vec![Act::answer(list(&tools)), Act::answer(list(&more))])])
        .on_call("pid", [Act::say("${pid}")])
        .on_call("slow", [Act::ask("elicitation/create", r#"{"message":"?"}"#), Act::say("done")])
        .on_call("grow", [Act::notify("notifications/tools/list_changed", "{}"), Act::say("grown")])
        .on_call("die", [Act::Exit(1)])
}

/// An entry for a process that plays this.
pub(crate) fn process(script: &Script) -> Server {
    server(stdio(peer_path().to_str().unwrap(), &[&script.to_argument()]))
}

/// A configuration with these servers, each of which a person wrote.
pub(crate) fn config<const N: usize>(servers: [(&str, Server); N]) -> Config {
    let mut config = Config::default();
    for (name, server) in servers {
        config.servers.insert(id(name), entry(name, server, LayerGrade::Person));
    }
    config
}

pub(crate) async fn call(host: &Host, server: &str, tool: &str) -> Result<String, CallError> {
    call_with(host, server, tool, CallOptions::default()).await
}

pub(crate) async fn call_with(
    host: &Host,
    server: &str,
    tool: &str,
    options: CallOptions,
) -> Result<String, CallError> {
    let call = Call::new(CallTarget::exact(id(server), tool)).options(options);
    match within(host.call(call)).await? {
        OperationOutcome::Done(done) => {
            let result: serde_json::Value = serde_json::from_str(done.result.get()).unwrap();
            Ok(result["content"][0]["text"].as_str().unwrap_or_default().to_owned())
        }
        other => panic!("{other:?}"),
    }
}

/// The process that answers a call to a server.
pub(crate) async fn pid(host: &Host, server: &str) -> u32 {
    call(host, server, "pid").await.unwrap().parse().unwrap()
}

/// The process that answers a call of a session.
pub(crate) async fn pid_in(host: &Host, server: &str, session: &str) -> u32 {
    let mut caller = Caller::new(Principal::local_user(), "/");
    caller.session = Some(SessionId(session.to_owned()));
    let options = CallOptions { caller: Some(caller.into()), ..CallOptions::default() };
    call_with(host, server, "pid", options).await.unwrap().parse().unwrap()
}

/// A call that is under way at its server until the test lets it end.
pub(crate) struct Slow {
    patient: Arc<Patient>,
    call: JoinHandle<Result<String, CallError>>,
}

impl Slow {
    /// Begins one, and waits until its server has it.
    pub(crate) async fn begin(host: &Host, server: &str) -> Self {
        let patient = Arc::new(Patient::default());
        let attendant = Attendant {
            asker: Arc::clone(&patient) as _,
            capabilities: None,
            party: None,
            takes_logs: false,
        };
        let options = CallOptions { attendant: Some(attendant), ..CallOptions::default() };
        let (host, server) = (host.clone(), server.to_owned());
        let mut call =
            tokio::spawn(async move { call_with(&host, &server, "slow", options).await });
        let mut is_asked = patient.is_asked.subscribe();
        tokio::select! {
            ended = &mut call => panic!("it should still run: {ended:?}"),
            asked = is_asked.wait_for(|asked| *asked) => drop(asked.unwrap()),
        }
        Self { patient, call }
    }

    pub(crate) async fn end(self) -> Result<String, CallError> {
        self.patient.answer.add_permits(1);
        within(self.call).await.unwrap()
    }
}

/// Answers when the test says so.
pub(crate) struct Patient {
    is_asked: watch::Sender<bool>,
    answer: Semaphore,
}

impl Default for Patient {
    fn default() -> Self {
        Self { is_asked: watch::Sender::new(false), answer: Semaphore::new(0) }
    }
}

#[async_trait]
impl Asker for Patient {
    fn answers(&self, kind: QuestionKind) -> bool {
        kind == QuestionKind::Elicit
    }

    async fn ask(&self, _: ServerQuestion) -> QuestionAnswer {
        self.is_asked.send_replace(true);
        self.answer.acquire().await.unwrap().forget();
        let answer = r#"{"action":"accept","content":{}}"#;
        QuestionAnswer::Answered(RawValue::from_string(answer.to_owned()).unwrap())
    }
}

pub(crate) fn is_running(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

/// Waits for the end of a process that nobody tells us of.
pub(crate) async fn gone(pid: u32) {
    within(async {
        while is_running(pid) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

pub(crate) fn folder_of(pid: u32) -> PathBuf {
    std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap()
}

pub(crate) fn variables_of(pid: u32) -> BTreeMap<String, String> {
    let environ = std::fs::read_to_string(format!("/proc/{pid}/environ")).unwrap();
    let variables = environ.split_terminator('\0').filter_map(|one| one.split_once('='));
    variables.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}
