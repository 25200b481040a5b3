//! What the server of the suite wants to know, in words that both eras have.

/// One question: a method and its parameters.
#[derive(Clone, Copy)]
pub(super) struct Question {
    pub(super) method: &'static str,
    pub(super) params: &'static str,
}

const fn form(params: &'static str) -> Question {
    Question { method: "elicitation/create", params }
}

pub(super) const NAME: Question = form(
    r#"{"mode":"form","message":"What is your name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}"#,
);
pub(super) const COLOUR: Question = form(
    r#"{"mode":"form","message":"What is your favorite color?","requestedSchema":{"type":"object","properties":{"color":{"type":"string"}},"required":["color"]}}"#,
);
pub(super) const CONSENT: Question = form(
    r#"{"mode":"form","message":"Please confirm","requestedSchema":{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}}"#,
);
pub(super) const CONTEXT: Question = form(
    r#"{"mode":"form","message":"What context should the prompt use?","requestedSchema":{"type":"object","properties":{"context":{"type":"string"}},"required":["context"]}}"#,
);
/// In the words of the call.
pub(super) const MESSAGE: Question = form(
    r#"{"mode":"form","message":"${message:/params/arguments/message}","requestedSchema":{"type":"object","properties":{"response":{"type":"string","description":"the answer"}},"required":["response"]}}"#,
);
pub(super) const DEFAULTS: Question = form(
    r#"{"mode":"form","message":"Please check these","requestedSchema":{"type":"object","properties":{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}},"required":[]}}"#,
);
pub(super) const ENUMS: Question = form(
    r#"{"mode":"form","message":"Please choose","requestedSchema":{"type":"object","properties":{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},"untitledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},"titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"anyOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]}}},"required":[]}}"#,
);
pub(super) const CAPITAL: Question = Question {
    method: "sampling/createMessage",
    params: r#"{"messages":[{"role":"user","content":{"type":"text","text":"What is the capital of France?"}}],"maxTokens":100}"#,
};
/// In the words of the call.
pub(super) const PROMPT: Question = Question {
    method: "sampling/createMessage",
    params: r#"{"messages":[{"role":"user","content":{"type":"text","text":"${message:/params/arguments/prompt}"}}],"maxTokens":100}"#,
};
pub(super) const ROOTS: Question = Question { method: "roots/list", params: "{}" };
