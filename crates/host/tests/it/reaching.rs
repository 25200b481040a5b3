//! Resources and prompts: listed, read, completed; and as tools for models that only know tools.

use toolgate_host::{Audience, CallOptions};
use toolgate_testkit::{Act, Script};
use toolgate_types::{Code, Operation, OperationOutcome, OutputPart, Pattern};

use crate::gate::{Gate, id, json, tools, within};

fn library() -> Script {
    Script::legacy()
        .offering(r#"{"resources":{},"prompts":{},"completions":{}}"#)
        .on(
            "resources/list",
            [Act::answer(r#"{"resources":[{"uri":"doc:b","name":"b","x-odd":1.50},{"uri":"doc:a","name":"a"}]}"#)],
        )
        .on(
            "resources/templates/list",
            [Act::answer(r#"{"resourceTemplates":[{"uriTemplate":"doc:{name}","name":"any"}]}"#)],
        )
        .on(
            "resources/read",
            [Act::answer(r#"{"contents":[{"uri":"doc:a","mimeType":"text/plain","text":"Once"},{"uri":"doc:p","mimeType":"image/png","blob":"aGk="}]}"#)],
        )
        .on_when("resources/read", "doc:none", [Act::refuse(-32002, "no such resource")])
        .on("prompts/list", [Act::answer(r#"{"prompts":[{"name":"greet"}]}"#)])
        .on(
            "prompts/get",
            [Act::answer(r#"{"messages":[{"role":"user","content":{"type":"text","text":"Hi ${message:/params/arguments/name}"}}]}"#)],
        )
        .on("completion/complete", [Act::answer(r#"{"completion":{"values":["ada","alan"]}}"#)])
}

fn text(outcome: OperationOutcome) -> String {
    match outcome {
        OperationOutcome::Done(done) => done.result.get().to_owned(),
        other => panic!("{other:?}"),
    }
}

/// Shows: S1-86.
#[tokio::test(start_paused = true)]
async fn resources_and_prompts_are_listed_read_and_completed() {
    let gate = Gate::open().server("lib", library()).server("other", tools(&["t"])).run();
    let resources = gate.host.resources().await;
    let uris: Vec<_> = resources.iter().map(|found| &*found.definition.key).collect();
    assert_eq!(uris, ["doc:a", "doc:b"], "sorted");
    assert!(resources[1].definition.raw.get().contains("1.50"), "and as they came");
    assert_eq!(&*gate.host.resource_templates().await[0].definition.key, "doc:{name}");
    assert_eq!(&*gate.host.prompts().await[0].definition.key, "greet");
    let (lib, options) = (id("lib"), CallOptions::default);
    let read = gate.host.read_resource(&lib, "doc:a", options()).await.unwrap();
    assert!(text(read).contains("Once"));
    let arguments = Some(json(r#"{"name":"Ada"}"#).into());
    let prompt = gate.host.get_prompt(&lib, "greet", arguments, options()).await.unwrap();
    assert!(text(prompt).contains("Hi Ada"));
    let complete = Operation::Complete {
        reference: json(r#"{"type":"ref/prompt","name":"greet"}"#),
        argument: json(r#"{"name":"name","value":"a"}"#),
        context: None,
    };
    let completed = gate.host.operate(&lib, complete, options()).await.unwrap();
    assert_eq!(text(completed), r#"{"completion":{"values":["ada","alan"]}}"#);
    let absent = gate.host.read_resource(&lib, "doc:none", options()).await.unwrap_err();
    assert_eq!(absent.code, Code::NotFound);
}

/// Shows: S4-22.
#[tokio::test(start_paused = true)]
async fn resources_and_templates_of_several_pages_are_listed_to_the_last_cursor_and_read() {
    let more = library()
        .on_when("resources/list", "", [Act::answer(r#"{"resources":[{"uri":"doc:c","name":"c"}],"nextCursor":"two"}"#)])
        .on_when("resources/list", r#""cursor":"two""#, [Act::answer(r#"{"resources":[{"uri":"doc:a","name":"a"}],"nextCursor":"three"}"#)])
        .on_when("resources/list", r#""cursor":"three""#, [Act::answer(r#"{"resources":[{"uri":"doc:b","name":"b"}]}"#)])
        .on_when("resources/templates/list", "", [Act::answer(r#"{"resourceTemplates":[{"uriTemplate":"doc:{x}","name":"x"}],"nextCursor":"more"}"#)])
        .on_when("resources/templates/list", r#""cursor":"more""#, [Act::answer(r#"{"resourceTemplates":[{"uriTemplate":"img:{y}","name":"y"}]}"#)]);
    let gate = Gate::open().server("lib", more).run();
    let keys = |found: Vec<toolgate_host::CatalogItem>| -> Vec<String> {
        found.into_iter().map(|item| item.definition.key.to_string()).collect()
    };
    assert_eq!(keys(within(gate.host.resources()).await), ["doc:a", "doc:b", "doc:c"]);
    assert_eq!(keys(within(gate.host.resource_templates()).await), ["doc:{x}", "img:{y}"]);
    let asked = [r#""cursor":"two""#, r#""cursor":"three""#, r#""cursor":"more""#];
    assert_eq!(asked.map(|cursor| gate.peers.received("lib", cursor)), [1, 1, 1]);
    let lib = id("lib");
    let last = gate.host.read_resource(&lib, "doc:b", CallOptions::default());
    assert!(text(within(last).await.unwrap()).contains("Once"));
}

#[tokio::test(start_paused = true)]
async fn what_the_entry_hides_is_neither_listed_nor_read() {
    let deny = Pattern::parse("doc:b").unwrap();
    let gate =
        Gate::open().server_with("lib", library(), |server| server.resources.deny.push(deny)).run();
    assert_eq!(gate.host.resources().await.len(), 1);
    let hidden = gate.host.read_resource(&id("lib"), "doc:b", CallOptions::default()).await;
    let absent = gate.host.read_resource(&id("nowhere"), "doc:b", CallOptions::default()).await;
    let (hidden, absent) = (hidden.unwrap_err(), absent.unwrap_err());
    assert_eq!((hidden.code, absent.code), (Code::NotFound, Code::NotFound));
    assert_eq!(hidden.message.replace("lib", "nowhere"), absent.message);
    assert_eq!(gate.peers.received("lib", "resources/read"), 0);
}

/// Shows: S1-87, S0-46, S1-99.
#[tokio::test(start_paused = true)]
async fn a_model_reads_resources_and_prompts_with_tools() {
    let gate = Gate::open().server("lib", library()).run();
    let tools = within(gate.host.tools()).await;
    let names: Vec<_> = tools.iter().map(|tool| tool.name()).collect();
    assert_eq!(
        names,
        [
            "mcp_prompt_get",
            "mcp_prompts_list",
            "mcp_resource_read",
            "mcp_resource_templates_list",
            "mcp_resources_list"
        ]
    );
    let named = |name: &str| tools.iter().find(|tool| tool.name() == name).unwrap();
    let listed = named("mcp_resources_list").call(json("{}")).await.unwrap();
    assert!(listed.text().contains("doc:a"), "{}", listed.text());
    let read = named("mcp_resource_read").call(json(r#"{"server":"lib","uri":"doc:a"}"#)).await;
    let read = read.unwrap();
    assert!(matches!(&read.parts[0], OutputPart::Text(text) if text == "Once"), "{read:?}");
    assert!(matches!(&read.parts[1], OutputPart::Media { mime, .. } if mime == "image/png"));
    assert!(!read.text().contains("aGk="), "a model reads no base64");
    let wrong = named("mcp_resource_read").call(json(r#"{"uri":"doc:a"}"#)).await.unwrap_err();
    assert_eq!(wrong.code, Code::InvalidArgument);
    let absent = named("mcp_resource_read").call(json(r#"{"server":"no","uri":"doc:a"}"#)).await;
    assert_eq!(absent.unwrap_err().code, Code::NotFound);
    let listed = named("mcp_prompts_list").call(json(r#"{"server":"lib"}"#)).await.unwrap();
    assert!(listed.text().contains(r#""name":"greet""#), "{}", listed.text());
    let get = |arguments: &str| named("mcp_prompt_get").call(json(arguments));
    let prompt = get(r#"{"server":"lib","name":"greet","arguments":{"name":"Ada"}}"#).await;
    assert_eq!(prompt.unwrap().text(), "Hi Ada");
    let absent = get(r#"{"server":"no","name":"greet"}"#).await;
    assert_eq!(absent.unwrap_err().code, Code::NotFound);
    let wrong = get(r#"{"name":"greet"}"#).await;
    assert_eq!(wrong.unwrap_err().code, Code::InvalidArgument);
    let without = Audience { resource_tools: false, ..Audience::MODEL };
    assert_eq!(gate.host.list_tools(&without).await.tools().len(), 0);
}

/// Shows: S1-87.
#[tokio::test(start_paused = true)]
async fn a_prompt_that_its_entry_hides_is_none_for_the_tools_either() {
    let deny = Pattern::parse("greet").unwrap();
    let hide = |server: &mut toolgate_types::config::Server| server.prompts.deny.push(deny);
    let gate = Gate::open().server_with("lib", library(), hide).run();
    let tools = within(gate.host.tools()).await;
    let named = |name: &str| tools.iter().find(|tool| tool.name() == name).unwrap();
    let listed = named("mcp_prompts_list").call(json("{}")).await.unwrap();
    assert!(!listed.text().contains("greet"), "{}", listed.text());
    let hidden = named("mcp_prompt_get").call(json(r#"{"server":"lib","name":"greet"}"#)).await;
    assert_eq!(hidden.unwrap_err().code, Code::NotFound);
    assert_eq!(gate.peers.received("lib", "prompts/get"), 0);
}

/// Shows: S1-73.
#[tokio::test(start_paused = true)]
async fn a_server_cannot_take_the_name_of_one_of_the_hosts_own_tools() {
    let gate = Gate::open().server("lib", tools(&["mcp_resource_read"])).run();
    let bare = Audience::named(toolgate_types::config::Naming::Bare);
    let view = gate.host.list_tools(&bare).await;
    assert_eq!(view.resolve("mcp_resource_read").unwrap().server(), None);
    assert_eq!(view.set_aside().len(), 1, "{:?}", view.set_aside());
}
