//! A server that wants answers before it goes on, and the same operation again with them.

use toolgate_testkit::{Act, Script};
use toolgate_types::{InputRequired, Operation, OperationOutcome, QuestionKind, RetryAnswers};
use toolgate_upstream::{OperationOptions, RequestError};

use crate::{calling, connected, parsed, perform, plainly, raw};

const WANTS: &str = r#"{"resultType":"input_required","inputRequests":{
    "who":{"method":"elicitation/create","params":{"message":"Who?","n":1.0}},
    "idea":{"method":"sampling/createMessage","params":{}},
    "where":{"method":"roots/list"},
    "tea":{"method":"tea/brew","params":{"a":1e2}}},"requestState":"kept\u0021"}"#;

fn operations() -> [(&'static str, Operation); 3] {
    [
        ("tools/call", calling("t", "{}")),
        ("resources/read", Operation::ReadResource { uri: "file:///a".to_owned() }),
        ("prompts/get", Operation::GetPrompt { name: "p".into(), arguments: None }),
    ]
}

/// Newlines end a message.
fn one_line(json: &str) -> String {
    json.replace('\n', "")
}

fn input_required(outcome: Result<OperationOutcome, RequestError>) -> InputRequired {
    match outcome {
        Ok(OperationOutcome::InputRequired(wanted)) => wanted,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn the_questions_of_a_server_are_read_out_with_their_keys_and_its_state() {
    for (method, operation) in operations() {
        let (connection, _peer) =
            connected(Script::modern().on(method, [Act::answer(one_line(WANTS))])).await;
        let wanted = input_required(perform(&connection, operation, plainly()).await);
        let questions: Vec<_> = wanted
            .questions
            .iter()
            .map(|it| (it.key.as_str(), it.kind, it.params.as_ref().map(|raw| raw.get())))
            .collect();
        let expected = [
            ("who", Some(QuestionKind::Elicit), Some(r#"{"message":"Who?","n":1.0}"#)),
            ("idea", Some(QuestionKind::Sample), Some("{}")),
            ("where", Some(QuestionKind::Roots), None),
            ("tea", None, Some(r#"{"a":1e2}"#)),
        ];
        assert_eq!(questions, expected, "{method}");
        assert_eq!(wanted.state.unwrap().get(), r#""kept\u0021""#, "as it is spelled");
        assert_eq!(wanted.result.get(), one_line(WANTS));
    }
}

#[tokio::test(start_paused = true)]
async fn the_answers_go_back_under_their_keys_with_the_state_as_it_came() {
    let state = r#"{"resultType":"input_required","requestState":"kept\u0021"}"#;
    let done = r#"{"resultType":"complete","content":[]}"#;
    for (method, operation) in operations() {
        let turns = Act::InTurn(vec![Act::answer(state), Act::answer(done), Act::answer(done)]);
        let (connection, peer) = connected(Script::modern().on(method, [turns])).await;
        let wanted = input_required(perform(&connection, operation.clone(), plainly()).await);
        assert!(wanted.questions.is_empty());
        let answers = vec![("b".to_owned(), raw(r#"{"n":1.0}"#)), ("a".to_owned(), raw("{}"))];
        let both = RetryAnswers { responses: answers, state: wanted.state.clone(), approval: None };
        let only_state =
            RetryAnswers { responses: Vec::new(), state: wanted.state, approval: None };
        for (retry, sent) in [
            (both, r#","inputResponses":{"b":{"n":1.0},"a":{}},"requestState":"kept\u0021","#),
            (only_state, r#","requestState":"kept\u0021","#),
        ] {
            let manner = OperationOptions { retry: Some(&retry), ..plainly() };
            let outcome = perform(&connection, operation.clone(), manner).await;
            assert!(matches!(outcome, Ok(OperationOutcome::Done(_))), "{outcome:?}");
            let again = peer.seen().pop().unwrap();
            assert!(again.contains(sent), "{again}");
            let has_responses = parsed(&again)["params"].get("inputResponses").is_some();
            assert_eq!(has_responses, sent.contains("inputResponses"));
        }
        let ids: Vec<_> = peer.seen().iter().map(|line| parsed(line)["id"].to_string()).collect();
        assert!(ids.is_sorted_by(|one, next| one != next), "each time with a new id: {ids:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn where_none_can_be_given_a_demand_for_input_breaks_the_protocol() {
    let script = Script::modern().on("completion/complete", [Act::answer(one_line(WANTS))]);
    let (connection, _peer) = connected(script).await;
    let complete = Operation::Complete { reference: raw("{}"), argument: raw("{}"), context: None };
    let broken = perform(&connection, complete, plainly()).await;
    assert!(matches!(broken, Err(RequestError::Protocol(_))), "{broken:?}");
}

#[tokio::test(start_paused = true)]
async fn a_result_that_cannot_be_understood_breaks_the_protocol() {
    for odd in [
        r#"{"resultType":"tasks","task":{}}"#,
        r#"{"resultType":7}"#,
        r#"{"resultType":"input_required"}"#,
        r#"{"resultType":"input_required","inputRequests":[]}"#,
        r#"{"resultType":"input_required","inputRequests":{"a":1}}"#,
        r#"{"resultType":"input_required","inputRequests":{"a":{"params":{}}}}"#,
        r#"{"resultType":"input_required","requestState":{"a":1}}"#,
    ] {
        let (connection, _peer) =
            connected(Script::modern().on_call("t", [Act::answer(odd)])).await;
        let broken = perform(&connection, calling("t", "{}"), plainly()).await;
        assert!(matches!(broken, Err(RequestError::Protocol(_))), "{odd}: {broken:?}");
    }
}

/// What a server was not told that its caller takes is not taken.
#[tokio::test(start_paused = true)]
async fn a_task_for_somebody_who_takes_none_is_no_answer() {
    let task = r#"{"resultType":"task","taskId":"t","status":"working"}"#;
    let (connection, _peer) = connected(Script::modern().on_call("t", [Act::answer(task)])).await;
    let broken = perform(&connection, calling("t", "{}"), plainly()).await;
    assert!(matches!(broken, Err(RequestError::UntoldTask)), "{broken:?}");
}

/// The older era has no kinds of results, so a member of that name is a tool's own.
#[tokio::test(start_paused = true)]
async fn an_older_server_may_call_its_results_what_it_likes() {
    for own in [WANTS, r#"{"resultType":"table","isError":false}"#, "null", "[]"] {
        let (connection, _peer) =
            connected(Script::legacy().on_call("t", [Act::answer(one_line(own))])).await;
        let outcome = perform(&connection, calling("t", "{}"), plainly()).await;
        assert!(matches!(outcome, Ok(OperationOutcome::Done(_))), "{own}: {outcome:?}");
    }
}
