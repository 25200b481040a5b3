//! A server with the tools, resources and prompts that the official conformance suite names, in
//! either era.
//!
//! It is a [`Script`] like any other, so it plays on every transport.

mod asking;
mod inputs;
mod questions;
mod tools;

use crate::{Act, Script};

/// A PNG of one pixel.
pub(crate) const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/// A WAV of no length.
pub(crate) const SILENCE: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

/// The server of the older era.
pub fn legacy() -> Script {
    let offers = r#"{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"logging":{},"completions":{}}"#;
    let script = Script::legacy().offering(offers);
    asking::asking(shared(script, ""))
        .on("logging/setLevel", [Act::answer("{}")])
        .on("resources/subscribe", [Act::answer("{}")])
        .on("resources/unsubscribe", [Act::answer("{}")])
        .on("tools/call", [Act::refuse(-32602, "unknown tool")])
        .on("resources/read", [Act::refuse(-32002, "resource not found")])
        .on("prompts/get", [Act::refuse(-32602, "unknown prompt")])
}

/// The server of the modern era.
pub fn modern() -> Script {
    let script =
        Script::modern().offering(r#"{"tools":{},"resources":{},"prompts":{},"completions":{}}"#);
    let missing = r#"{"jsonrpc":"2.0","id":${id},"error":{"code":-32602,"message":"resource not found","data":{"uri":"${message:/params/uri}"}}}"#;
    inputs::requiring(shared(script, r#","resultType":"complete""#))
        .on("tools/call", [Act::refuse(-32602, "unknown tool")])
        .on("resources/read", [Act::line(missing)])
        .on("prompts/get", [Act::refuse(-32602, "unknown prompt")])
}

/// One server with both: to a request of the modern era it is [`modern`], to any other [`legacy`].
///
/// As with servers that were there before the modern era, the older tools ask in the older way alone:
/// who speaks to it for a caller of the older era in the modern one takes these away.
pub fn both() -> Script {
    let older = [
        "test_sampling",
        "test_elicitation",
        "test_elicitation_sep1034_defaults",
        "test_elicitation_sep1330_enums",
    ];
    let refused = || [Act::refuse(-32603, "this tool needs a client of the older era")];
    let without =
        |script: Script, tool: &&str| script.on_when(&format!("tools/call {tool}"), "", refused());
    legacy().and_to_modern_callers(older.iter().fold(modern(), without))
}

/// What both eras have; `more` is put into every result.
fn shared(script: Script, more: &str) -> Script {
    let cached = if more.is_empty() { "" } else { r#","ttlMs":60000,"cacheScope":"public""# };
    let script = tools::plain(script, more, cached);
    let script = resources(script, &format!("{more}{cached}"));
    let completion = format!(r#"{{"completion":{{"values":[],"total":0,"hasMore":false}}{more}}}"#);
    prompts(script, more, cached).on("completion/complete", [Act::answer(completion)])
}

fn resources(script: Script, more: &str) -> Script {
    let list = r#"{"uri":"test://static-text","name":"static-text","mimeType":"text/plain"},{"uri":"test://static-binary","name":"static-binary","mimeType":"image/png"},{"uri":"test://watched-resource","name":"watched-resource","mimeType":"text/plain"}"#;
    let template = r#"{"uriTemplate":"test://template/{id}/data","name":"template","mimeType":"application/json"}"#;
    let contents = |inner: &str| Act::answer(format!(r#"{{"contents":[{{{inner}}}]{more}}}"#));
    let binary = format!(r#""uri":"test://static-binary","mimeType":"image/png","blob":"{PIXEL}""#);
    script
        .on("resources/list", [Act::answer(format!(r#"{{"resources":[{list}]{more}}}"#))])
        .on(
            "resources/templates/list",
            [Act::answer(format!(r#"{{"resourceTemplates":[{template}]{more}}}"#))],
        )
        .on(
            "resources/read test://static-text",
            [contents(r#""uri":"test://static-text","mimeType":"text/plain","text":"This is the content of the static text resource.""#)],
        )
        .on("resources/read test://static-binary", [contents(&binary)])
        .on(
            "resources/read test://watched-resource",
            [contents(r#""uri":"test://watched-resource","mimeType":"text/plain","text":"Watched resource content""#)],
        )
        .on(
            "resources/read test://template/*/data",
            [contents(r#""uri":"${message:/params/uri}","mimeType":"application/json","text":"{\"templateTest\":true,\"of\":\"${message:/params/uri}\"}""#)],
        )
}

fn prompts(script: Script, more: &str, cached: &str) -> Script {
    let argument =
        |name: &str| format!(r#"{{"name":"{name}","description":"{name}","required":true}}"#);
    let prompt = |name: &str, arguments: &str| {
        format!(r#"{{"name":"{name}","description":"{name}","arguments":[{arguments}]}}"#)
    };
    let list = [
        prompt("test_simple_prompt", ""),
        prompt("test_prompt_with_arguments", &[argument("arg1"), argument("arg2")].join(",")),
        prompt("test_prompt_with_embedded_resource", &argument("resourceUri")),
        prompt("test_prompt_with_image", ""),
        prompt("test_input_required_result_prompt", ""),
    ]
    .join(",");
    let messages = |contents: &[&str]| {
        let message = |content: &&str| format!(r#"{{"role":"user","content":{{{content}}}}}"#);
        let messages: Vec<String> = contents.iter().map(message).collect();
        Act::answer(format!(r#"{{"messages":[{}]{more}}}"#, messages.join(",")))
    };
    let image = format!(r#""type":"image","mimeType":"image/png","data":"{PIXEL}""#);
    script
        .on("prompts/list", [Act::answer(format!(r#"{{"prompts":[{list}]{more}{cached}}}"#))])
        .on(
            "prompts/get test_simple_prompt",
            [messages(&[r#""type":"text","text":"This is a simple prompt for testing.""#])],
        )
        .on(
            "prompts/get test_prompt_with_arguments",
            [messages(&[r#""type":"text","text":"Prompt with arguments: arg1='${message:/params/arguments/arg1}', arg2='${message:/params/arguments/arg2}'""#])],
        )
        .on(
            "prompts/get test_prompt_with_embedded_resource",
            [messages(&[
                r#""type":"resource","resource":{"uri":"${message:/params/arguments/resourceUri}","mimeType":"text/plain","text":"Embedded resource content for testing."}"#,
                r#""type":"text","text":"Please process the embedded resource above.""#,
            ])],
        )
        .on(
            "prompts/get test_prompt_with_image",
            [messages(&[&image, r#""type":"text","text":"Please analyze the image above.""#])],
        )
}
