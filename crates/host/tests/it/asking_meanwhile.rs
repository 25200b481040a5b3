//! What a server asks and says while a call runs: in its order, on nobody's time but the caller's, and
//! taken back when it is over.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::watch;
use toolgate_host::{Attendant, Call, CallOptions, CallTarget, ServerRemark};
use toolgate_testkit::{Act, Script};
use toolgate_types::{
    Asker, Code, OperationOutcome, QuestionAnswer, QuestionKind, ServerQuestion, quiet_queue,
};

use crate::gate::{Gate, id, json, list, within};

/// A person who takes some time, and whose screen is cleared when nobody wants to know any more.
struct Thinking {
    takes: Duration,
    screen: Arc<watch::Sender<&'static str>>,
}

impl Thinking {
    fn for_long(takes: Duration) -> (Attendant, watch::Receiver<&'static str>) {
        let (screen, seen) = watch::channel("empty");
        let asker = Arc::new(Self { takes, screen: Arc::new(screen) });
        (Attendant { asker, capabilities: None, party: None, takes_logs: false }, seen)
    }
}

struct Question(Arc<watch::Sender<&'static str>>);

impl Drop for Question {
    fn drop(&mut self) {
        self.0.send_replace("cleared");
    }
}

#[async_trait]
impl Asker for Thinking {
    fn answers(&self, _: QuestionKind) -> bool {
        true
    }

    async fn ask(&self, _: ServerQuestion) -> QuestionAnswer {
        self.screen.send_replace("asked");
        let _shown = Question(Arc::clone(&self.screen));
        tokio::time::sleep(self.takes).await;
        QuestionAnswer::Answered(json(r#"{"action":"accept","content":{}}"#))
    }
}

fn server(acts: Vec<Act>) -> Script {
    Script::legacy().on("tools/list", [Act::answer(list(&["t"]))]).on_call("t", acts)
}

fn asking() -> Act {
    Act::ask("elicitation/create", r#"{"message":"who?"}"#)
}

fn call(options: CallOptions) -> Call {
    Call::new(CallTarget::exact(id("one"), "t")).options(options)
}

/// Log, progress and answer of one call come in the order in which they were said.
#[tokio::test(start_paused = true)]
async fn what_is_said_in_one_call_keeps_its_order() {
    let log = |data| Act::notify("notifications/message", &format!(r#"{{"data":"{data}"}}"#));
    let acts = vec![log("a"), Act::progress(1), log("b"), log("c"), Act::progress(2), Act::say("")];
    let gate = Gate::open().server("one", server(acts)).run();
    let (remarks, mut said) = quiet_queue(16);
    let (attendant, _) = Thinking::for_long(Duration::ZERO);
    let attendant = Some(Attendant { takes_logs: true, ..attendant });
    let options = CallOptions { attendant, remarks: Some(remarks), ..CallOptions::default() };
    within(gate.host.call(call(options))).await.unwrap();
    let mut order = Vec::new();
    while let Some(remark) = said.try_recv() {
        order.push(match &remark {
            ServerRemark::Progress(_) => "progress".to_owned(),
            ServerRemark::Log(raw) => raw.get().to_owned(),
        });
    }
    assert_eq!(
        order,
        [r#"{"data":"a"}"#, "progress", r#"{"data":"b"}"#, r#"{"data":"c"}"#, "progress"]
    );
}

/// A person may take longer than a server may.
#[tokio::test(start_paused = true)]
async fn the_time_of_a_call_stands_still_while_its_server_waits_for_an_answer() {
    let day = Duration::from_secs(24 * 60 * 60);
    let gate = Gate::open().server("one", server(vec![asking(), Act::say("done")])).run();
    let (attendant, _) = Thinking::for_long(day);
    let options = CallOptions { attendant: Some(attendant), ..CallOptions::default() };
    let outcome = gate.host.call(call(options)).await.unwrap();
    assert!(matches!(outcome, OperationOutcome::Done(_)), "{outcome:?}");
    // From then on it is the server's time again.
    let silent = vec![asking(), Act::hold("never")];
    let gate = Gate::open().server("one", server(silent)).run();
    let (attendant, _) = Thinking::for_long(day);
    let options = CallOptions { attendant: Some(attendant), ..CallOptions::default() };
    let error = gate.host.call(call(options)).await.unwrap_err();
    assert_eq!(error.code, Code::DeadlineExceeded, "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_question_is_taken_back_when_its_call_is_over_however_that_came() {
    let day = Duration::from_secs(24 * 60 * 60);
    // The caller gives up.
    let gate = Gate::open().server("one", server(vec![asking(), Act::say("done")])).run();
    let (attendant, mut screen) = Thinking::for_long(day);
    let options = CallOptions { attendant: Some(attendant), ..CallOptions::default() };
    let host = gate.host.clone();
    let running = tokio::spawn(async move { host.call(call(options)).await });
    within(screen.wait_for(|word| *word == "asked")).await.unwrap();
    running.abort();
    within(screen.wait_for(|word| *word == "cleared")).await.unwrap();
    // The server answers without waiting for it.
    let question = r#"{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}}"#;
    let acts = vec![Act::line(question), Act::hold("go"), Act::say("done")];
    let gate = Gate::open().server("one", server(acts)).run();
    let (attendant, mut screen) = Thinking::for_long(day);
    let options = CallOptions { attendant: Some(attendant), ..CallOptions::default() };
    let host = gate.host.clone();
    let running = tokio::spawn(async move { host.call(call(options)).await });
    within(screen.wait_for(|word| *word == "asked")).await.unwrap();
    gate.peers.last("one").signal("go");
    within(running).await.unwrap().unwrap();
    within(screen.wait_for(|word| *word == "cleared")).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_question_is_taken_back_when_its_server_does_not_want_to_know_any_more() {
    let question = r#"{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}}"#;
    let back = Act::notify("notifications/cancelled", r#"{"requestId":"q"}"#);
    let acts = vec![Act::line(question), Act::hold("go"), back, Act::hold("end"), Act::say("done")];
    let gate = Gate::open().server("one", server(acts)).run();
    let (attendant, mut screen) = Thinking::for_long(Duration::from_secs(24 * 60 * 60));
    let options = CallOptions { attendant: Some(attendant), ..CallOptions::default() };
    let host = gate.host.clone();
    let running = tokio::spawn(async move { host.call(call(options)).await });
    within(screen.wait_for(|word| *word == "asked")).await.unwrap();
    let peer = gate.peers.last("one");
    peer.signal("go");
    within(screen.wait_for(|word| *word == "cleared")).await.unwrap();
    peer.signal("end");
    within(running).await.unwrap().unwrap();
    assert_eq!(gate.peers.received("one", r#""id":"q""#), 0, "what was taken back is not answered");
}
