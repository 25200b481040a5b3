//! The tools and the prompt of the suite that need input, in the modern way: the call is answered
//! with what is needed, and comes again with it.

use super::questions::{
    CAPITAL, COLOUR, CONSENT, CONTEXT, DEFAULTS, ENUMS, MESSAGE, NAME, PROMPT, Question, ROOTS,
};
use crate::{Act, Script};

const DONE: &str = r#"{"content":[{"type":"text","text":"state-ok"}],"resultType":"complete"}"#;

fn needs(requests: &str, state: Option<&str>) -> Act {
    let state = state.map(|state| format!(r#","requestState":"{state}""#)).unwrap_or_default();
    Act::answer(format!(
        r#"{{"resultType":"input_required","inputRequests":{{{requests}}}{state}}}"#
    ))
}

/// The text that shows an answer under this key.
fn answered(key: &str) -> String {
    format!(r#""inputResponses":{{"{key}":"#)
}

pub(super) fn requiring(script: Script) -> Script {
    let named = |key: &str, Question { method, params }: Question| {
        format!(r#""{key}":{{"method":"{method}","params":{params}}}"#)
    };
    let done = || [Act::answer(DONE)];
    let simple = [
        ("elicitation", "user_name", NAME),
        ("sampling", "capital_question", CAPITAL),
        ("list_roots", "client_roots", ROOTS),
    ];
    let mut script = script;
    for (tool, key, request) in simple {
        let call = format!("tools/call test_input_required_result_{tool}");
        script = script.on(&call, [needs(&named(key, request), None)]).on_when(
            &call,
            &answered(key),
            done(),
        );
    }
    // The tools of the older suite, whose text says what was answered.
    let elicited = "action=${message:/params/inputResponses/it/action}, content=${message:/params/inputResponses/it/content}";
    let completed = format!("Elicitation completed: {elicited}");
    let older = [
        (
            "test_sampling",
            PROMPT,
            "LLM response: ${message:/params/inputResponses/it/content/text}".to_owned(),
        ),
        ("test_elicitation", MESSAGE, format!("User response: {elicited}")),
        ("test_elicitation_sep1034_defaults", DEFAULTS, completed.clone()),
        ("test_elicitation_sep1330_enums", ENUMS, completed),
    ];
    for (tool, question, said) in older {
        let call = format!("tools/call {tool}");
        let said =
            format!(r#"{{"content":[{{"type":"text","text":"{said}"}}],"resultType":"complete"}}"#);
        script = script.on(&call, [needs(&named("it", question), None)]).on_when(
            &call,
            &answered("it"),
            [Act::answer(said)],
        );
    }
    let all = [named("user_name", NAME), named("greeting", CAPITAL), named("client_roots", ROOTS)];
    let refused = || [Act::refuse(-32602, "the request state is not ours")];
    let call = |tool: &str| format!("tools/call test_input_required_result_{tool}");
    let state = |text: &str| format!(r#""requestState":"{text}""#);
    let prompt = "prompts/get test_input_required_result_prompt";
    let got = r#"{"messages":[{"role":"user","content":{"type":"text","text":"with context"}}],"resultType":"complete"}"#;
    let lacking = r#"{"jsonrpc":"2.0","id":${id},"error":{"code":-32021,"message":"sampling is needed","data":{"requiredCapabilities":{"sampling":{}}}}}"#;
    script
        .on(&call("request_state"), [needs(&named("confirm", CONSENT), Some("kept"))])
        .on_when(&call("request_state"), &state("kept"), done())
        .on(&call("multiple_inputs"), [needs(&all.join(","), Some("three"))])
        .on_when(&call("multiple_inputs"), &state("three"), done())
        .on(&call("multi_round"), [needs(&named("step1", NAME), Some("one"))])
        .on_when(&call("multi_round"), &state("one"), [needs(&named("step2", COLOUR), Some("two"))])
        .on_when(&call("multi_round"), &state("two"), done())
        .on(&call("tampered_state"), [needs(&named("confirm", CONSENT), Some("sealed"))])
        .on_when(&call("tampered_state"), r#""requestState":""#, refused())
        .on_when(&call("tampered_state"), &state("sealed"), done())
        .on(&call("capabilities"), done())
        .on_when(&call("capabilities"), r#""elicitation":{"#, [needs(&named("name", NAME), None)])
        .on_when(&call("capabilities"), r#""sampling":{"#, [needs(&named("ask", CAPITAL), None)])
        .on_when(&call("capabilities"), "inputResponses", done())
        .on(prompt, [needs(&named("user_context", CONTEXT), None)])
        .on_when(prompt, "inputResponses", [Act::answer(got)])
        .on_call("test_streaming_elicitation", [needs(&named("user_name", NAME), None)])
        .on_call("test_missing_capability", [Act::line(lacking)])
        .on_when("tools/call test_missing_capability", r#""sampling":{"#, done())
}
