//! What servers ask in the middle of a call, in both eras, and who answers.

use std::sync::{Arc, Mutex};

use toolgate_host::{Call, CallOptions, CallTarget};
use toolgate_testkit::{Act, Script};
use toolgate_types::{
    Asker, Code, InputRequest, OperationOutcome, QuestionAnswer, QuestionKind, RetryAnswers,
    ServerQuestion,
};

use crate::gate::{Gate, id, json, list, within};

/// Somebody with one answer to everything, or who sends everything back to the caller.
pub(crate) struct Someone {
    asked: Mutex<Vec<String>>,
    defers: bool,
}

impl Someone {
    pub(crate) fn who_answers() -> Self {
        Self { asked: Mutex::default(), defers: false }
    }
}

#[async_trait::async_trait]
impl Asker for Someone {
    fn answers(&self, _: QuestionKind) -> bool {
        true
    }

    async fn ask(&self, question: ServerQuestion) -> QuestionAnswer {
        let ServerQuestion { server, kind, params } = question;
        let text = params.as_ref().map(|raw| raw.get().to_owned()).unwrap_or_default();
        self.asked.lock().unwrap().push(format!("{server} {kind:?} {text}"));
        if self.defers {
            return QuestionAnswer::Defer(InputRequest { kind, params });
        }
        QuestionAnswer::Answered(json(match kind {
            QuestionKind::Elicit => r#"{"action":"accept","content":{"name":"Ada"}}"#,
            QuestionKind::Sample => {
                r#"{"role":"assistant","model":"m","content":{"type":"text","text":"four"}}"#
            }
            QuestionKind::Roots => r#"{"roots":[{"uri":"file:///w"}]}"#,
        }))
    }
}

fn someone(defers: bool) -> Arc<Someone> {
    Arc::new(Someone { asked: Mutex::default(), defers })
}

fn call() -> Call {
    Call::new(CallTarget::exact(id("one"), "t".to_owned()))
}

/// A modern server that wants a name before it goes on.
pub(crate) fn wants_a_name(tool: &str) -> Script {
    let question = r#"{"method":"elicitation/create","params":{"mode":"form","message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}"#;
    let required = format!(
        r#"{{"resultType":"input_required","inputRequests":{{"who":{question},"where":{{"method":"roots/list"}}}},"requestState":"st\u00e4te"}}"#
    );
    Script::modern()
        .on("tools/list", [Act::answer(list(&[tool]))])
        .on_when(
            &format!("tools/call {tool}"),
            "inputResponses",
            [Act::say("Hello ${message:/params/inputResponses/who/content/name}")],
        )
        .on_call(tool, [Act::answer(required)])
}

/// Shows: S4-20, S4-40.
#[tokio::test(start_paused = true)]
async fn a_modern_servers_questions_are_answered_and_the_call_goes_on() {
    let someone = someone(false);
    let asker = Arc::clone(&someone) as _;
    let gate = Gate::open()
        .server("one", wants_a_name("t"))
        .building(|builder| builder.asker(asker))
        .run();
    let OperationOutcome::Done(done) = within(gate.host.call(call())).await.unwrap() else {
        panic!()
    };
    assert!(done.result.get().contains("Hello Ada"), "{}", done.result);
    let again = within(gate.peers.last("one").received("inputResponses")).await;
    assert!(again.contains(r#""requestState":"st\u00e4te""#), "exactly as it came: {again}");
    assert!(again.contains("file:///w"), "{again}");
    assert_eq!(someone.asked.lock().unwrap().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_only_the_caller_can_answer_goes_back_to_the_caller() {
    let asker = someone(true);
    let gate = Gate::open()
        .server("one", wants_a_name("t"))
        .building(|builder| builder.asker(asker))
        .run();
    let OperationOutcome::InputRequired(required) = within(gate.host.call(call())).await.unwrap()
    else {
        panic!()
    };
    assert!(gate.events.all().contains(&"ended call t: InputRequired".to_owned()));
    let mut keys: Vec<_> = required.questions.iter().map(|question| &*question.key).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["where", "who"]);
    let responses = vec![
        ("who".to_owned(), json(r#"{"action":"accept","content":{"name":"Bob"}}"#)),
        ("where".to_owned(), json(r#"{"roots":[]}"#)),
    ];
    let retry = Some(RetryAnswers { responses, state: required.state, approval: None });
    let again = call().options(CallOptions { retry, ..CallOptions::default() });
    let OperationOutcome::Done(done) = within(gate.host.call(again)).await.unwrap() else {
        panic!()
    };
    assert!(done.result.get().contains("Hello Bob"), "{}", done.result);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_stops_asking_is_stopped() {
    let required = r#"{"resultType":"input_required","requestState":"again"}"#;
    let script = Script::modern()
        .on("tools/list", [Act::answer(list(&["t"]))])
        .on_call("t", [Act::answer(required)]);
    let gate = Gate::open().server("one", script).run();
    let error = within(gate.host.call(call())).await.unwrap_err();
    assert_eq!(error.code, Code::ResourceExhausted);
    assert_eq!(gate.peers.received("one", "tools/call"), 10);
}

#[tokio::test(start_paused = true)]
async fn an_older_servers_questions_are_answered_while_the_call_waits() {
    let script = Script::legacy().on("tools/list", [Act::answer(list(&["t"]))]).on_call(
        "t",
        [
            Act::ask("sampling/createMessage", r#"{"messages":[],"maxTokens":1}"#),
            Act::say("the model says ${answer:/result/content/text}"),
        ],
    );
    let someone = someone(false);
    let asker = Arc::clone(&someone) as _;
    let gate = Gate::open().server("one", script).building(|builder| builder.asker(asker)).run();
    let OperationOutcome::Done(done) = within(gate.host.call(call())).await.unwrap() else {
        panic!()
    };
    assert!(done.result.get().contains("the model says four"), "{}", done.result);
    assert!(someone.asked.lock().unwrap()[0].starts_with("one Sample"));
}

#[tokio::test(start_paused = true)]
async fn where_nobody_is_there_a_server_is_not_told_that_somebody_is() {
    let gate = Gate::open().server("one", wants_a_name("t")).run();
    let OperationOutcome::InputRequired(_) = within(gate.host.call(call())).await.unwrap() else {
        panic!("roots are for the caller")
    };
    let asked = within(gate.peers.last("one").received("tools/call")).await;
    assert!(asked.contains(r#"clientCapabilities":{}"#), "{asked}");
}
