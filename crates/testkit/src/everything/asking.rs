//! The tools and the prompt of the suite that need something of the client, in the older way: the
//! server asks in the middle of the request.

use super::questions::{
    CAPITAL, COLOUR, CONSENT, CONTEXT, DEFAULTS, ENUMS, MESSAGE, NAME, PROMPT, Question, ROOTS,
};
use crate::{Act, Script};

pub(super) fn asking(script: Script) -> Script {
    let ask = |question: &Question| Act::ask(question.method, question.params);
    let text =
        |text: &str| Act::answer(format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#));
    let elicited = "action=${answer:/result/action}, content=${answer:/result/content}";
    let completed = format!("Elicitation completed: {elicited}");
    let tools: [(&str, &[Question], String); 13] = [
        ("test_sampling", &[PROMPT], "LLM response: ${answer:/result/content/text}".to_owned()),
        ("test_elicitation", &[MESSAGE], format!("User response: {elicited}")),
        ("test_elicitation_sep1034_defaults", &[DEFAULTS], completed.clone()),
        ("test_elicitation_sep1330_enums", &[ENUMS], completed),
        ("test_streaming_elicitation", &[NAME], elicited.to_owned()),
        ("test_input_required_result_elicitation", &[NAME], elicited.to_owned()),
        (
            "test_input_required_result_sampling",
            &[CAPITAL],
            "${answer:/result/content/text}".to_owned(),
        ),
        ("test_input_required_result_list_roots", &[ROOTS], "${answer:/result/roots}".to_owned()),
        ("test_input_required_result_request_state", &[CONSENT], "state-ok".to_owned()),
        ("test_input_required_result_tampered_state", &[CONSENT], "state-ok".to_owned()),
        ("test_input_required_result_multi_round", &[NAME, COLOUR], elicited.to_owned()),
        // One after the other: the older era has no way to ask three things at once.
        (
            "test_input_required_result_multiple_inputs",
            &[NAME, CAPITAL, ROOTS],
            "${answer:/result/roots}".to_owned(),
        ),
        // Whoever cannot be asked the one may be asked the other.
        (
            "test_input_required_result_capabilities",
            &[NAME, CAPITAL],
            "${answer:/result/content/text}".to_owned(),
        ),
    ];
    let mut script = script;
    for (tool, questions, said) in tools {
        let acts: Vec<Act> = questions.iter().map(ask).chain([text(&said)]).collect();
        script = script.on_call(tool, acts);
    }
    let got = r#"{"messages":[{"role":"user","content":{"type":"text","text":"${answer:/result/content/context}"}}]}"#;
    script.on("prompts/get test_input_required_result_prompt", [ask(&CONTEXT), Act::answer(got)])
}
