//! The tools of the suite: what is listed, and those that answer by themselves.

use super::{PIXEL, SILENCE};
use crate::{Act, Script};

const NAMES: [&str; 22] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_tool_with_logging",
    "test_tool_with_progress",
    "test_error_handling",
    "test_reconnection",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_logging_tool",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
];

/// The list, and the tools of both eras.
pub(super) fn plain(script: Script, more: &str, cached: &str) -> Script {
    let list = format!(r#"{{"tools":[{}]{more}{cached}}}"#, definitions().join(","));
    let content = |blocks: &str| Act::answer(format!(r#"{{"content":[{blocks}]{more}}}"#));
    let text = |text: &str| content(&format!(r#"{{"type":"text","text":"{text}"}}"#));
    let image = format!(r#"{{"type":"image","mimeType":"image/png","data":"{PIXEL}"}}"#);
    let audio = format!(r#"{{"type":"audio","mimeType":"audio/wav","data":"{SILENCE}"}}"#);
    let embedded = r#"{"type":"resource","resource":{"uri":"test://embedded-resource","mimeType":"text/plain","text":"This is an embedded resource content."}}"#;
    let mixed = format!(
        r#"{{"type":"text","text":"Multiple content types test:"}},{image},{{"type":"resource","resource":{{"uri":"test://mixed-content-resource","mimeType":"application/json","text":"{{\"test\":\"data\",\"value\":123}}"}}}}"#
    );
    let log = |data: &str| {
        Act::notify("notifications/message", &format!(r#"{{"level":"info","data":"{data}"}}"#))
    };
    let failed = format!(
        r#"{{"isError":true,"content":[{{"type":"text","text":"This tool intentionally returns an error for testing"}}]{more}}}"#
    );
    let is_modern = !more.is_empty();
    let logged = text("Tool with logging executed successfully");
    let logs = ["Tool execution started", "Tool processing data", "Tool execution completed"];
    let mut logging: Vec<Act> = logs.into_iter().map(log).collect();
    logging.push(logged.clone());
    let reconnection = match is_modern {
        true => vec![text("Nothing to resume.")],
        false => vec![Act::Cut, text("Reconnection test completed successfully.")],
    };
    // A modern client says that it wants to be told.
    let script = match is_modern {
        true => script
            .on_when("tools/call test_tool_with_logging", "/logLevel\"", logging)
            .on_call("test_tool_with_logging", [logged]),
        false => script.on_call("test_tool_with_logging", logging),
    };
    script
        .on("tools/list", [Act::answer(list)])
        .on_call("test_simple_text", [text("This is a simple text response for testing.")])
        .on_call("test_image_content", [content(&image)])
        .on_call("test_audio_content", [content(&audio)])
        .on_call("test_embedded_resource", [content(embedded)])
        .on_call("test_multiple_content_types", [content(&mixed)])
        .on_when(
            "tools/call test_tool_with_progress",
            "progressToken",
            [
                progress(0),
                progress(50),
                progress(100),
                text("${message:/params/_meta/progressToken}"),
            ],
        )
        .on_call("test_tool_with_progress", [text("nobody wants to know")])
        .on_call("test_error_handling", [Act::answer(failed)])
        .on_call("test_reconnection", reconnection)
        .on_call("test_logging_tool", [text("logged nothing")])
        .on_call("json_schema_2020_12_tool", [text("called")])
}

fn progress(done: u64) -> Act {
    let params = format!(
        r#"{{"progressToken":${{token}},"progress":{done},"total":100,"message":"{done}"}}"#
    );
    Act::notify("notifications/progress", &params)
}

fn definitions() -> Vec<String> {
    let tool = |name: &str, schema: &str| {
        format!(r#"{{"name":"{name}","description":"{name}","inputSchema":{schema}}}"#)
    };
    let none = r#"{"type":"object","properties":{}}"#;
    let mut all: Vec<String> = NAMES.iter().map(|name| tool(name, none)).collect();
    let string = |name: &str| {
        format!(
            r#"{{"type":"object","properties":{{"{name}":{{"type":"string"}}}},"required":["{name}"]}}"#
        )
    };
    all.push(tool("test_sampling", &string("prompt")));
    all.push(tool("test_elicitation", &string("message")));
    all.push(tool("json_schema_2020_12_tool", r##"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}"##));
    all
}
