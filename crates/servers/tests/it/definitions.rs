//! What the server says of its tools, and whether it is so.

use serde_json::{Value, json};
use toolgate_servers::{ListFiles, PrivatePlaces, ReadFile, RepoServer, Search, manifest};
use toolgate_types::Trust;

use crate::session::{Ground, Session};

fn ground() -> Ground {
    let ground = Ground::with(&[("a.txt", "one\ntwo\n"), ("src/b.rs", "fn two() {}\n")]);
    ground.link("l", "a.txt");
    ground
}

/// Each tool with arguments that it takes.
fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("read_file", json!({ "path": "a.txt", "start_line": 2 })),
        ("read_file", json!({ "path": "a.txt" })),
        ("list_files", json!({})),
        ("list_files", json!({ "depth": 1, "limit": 1 })),
        ("search", json!({ "pattern": "two", "context": 1 })),
        ("search", json!({ "pattern": "nothing like it" })),
    ]
}

#[tokio::test]
async fn every_tool_says_that_it_only_reads() {
    for tool in ground().session().tools() {
        let expected = json!({
            "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
            "openWorldHint": false,
        });
        assert_eq!(tool["annotations"], expected);
        assert!(tool["title"].is_string() && tool["description"].is_string());
    }
}

/// Shows: S2-8.
#[tokio::test]
async fn schemas_come_from_the_types_and_take_what_the_types_take() {
    let tools = ground().session().tools();
    let attempts = [
        json!({}),
        json!({ "path": "a" }),
        json!({ "path": 7 }),
        json!({ "path": "a", "start_line": 1, "end_line": 2 }),
        json!({ "path": "a", "start_line": 0 }),
        json!({ "path": "a", "start_line": "1" }),
        json!({ "path": "a", "depth": 2, "limit": 5, "glob": "*.rs" }),
        json!({ "pattern": "x", "literal": true, "case_insensitive": true, "context": 3 }),
        json!({ "pattern": "x", "context": -1 }),
        json!({ "pattern": "x", "recursive": true }),
    ];
    for tool in &tools {
        for schema in [&tool["inputSchema"], &tool["outputSchema"]] {
            assert_eq!(schema["type"], "object", "{schema}");
            jsonschema::meta::validate(schema).unwrap();
        }
        let schema = jsonschema::validator_for(&tool["inputSchema"]).unwrap();
        let mut taken = 0;
        for attempt in &attempts {
            let parsed = match tool["name"].as_str().unwrap() {
                "read_file" => serde_json::from_value::<ReadFile>(attempt.clone()).is_ok(),
                "list_files" => serde_json::from_value::<ListFiles>(attempt.clone()).is_ok(),
                _ => serde_json::from_value::<Search>(attempt.clone()).is_ok(),
            };
            assert_eq!(schema.is_valid(attempt), parsed, "{attempt} for {}", tool["name"]);
            taken += usize::from(parsed);
        }
        assert!((1..attempts.len()).contains(&taken));
    }
}

#[tokio::test]
async fn results_fit_the_schemas_that_the_tools_promise() {
    let ground = ground();
    let mut session = ground.session();
    let tools = session.tools();
    for (name, arguments) in calls() {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        let schema = jsonschema::validator_for(&tool["outputSchema"]).unwrap();
        let mut result = session.done(name, arguments).await;
        schema.validate(&result).unwrap();
        let required: Vec<String> = result.as_object().unwrap().keys().cloned().collect();
        result.as_object_mut().unwrap().remove(&required[0]);
        assert!(!schema.is_valid(&result), "a promise that nothing could break");
    }
}

/// Shows: S2-9.
#[tokio::test]
async fn a_call_in_process_gives_what_a_served_call_gives() {
    let ground = ground();
    let own = RepoServer::new(ground.root(), PrivatePlaces::default());
    let mut session = Session::with(&own);
    for (name, arguments) in calls() {
        let given = arguments.clone();
        let (text, structured) = match name {
            "read_file" => plain(own.call::<ReadFile>(parse(given)).await.unwrap()),
            "list_files" => plain(own.call::<ListFiles>(parse(given)).await.unwrap()),
            _ => plain(own.call::<Search>(parse(given)).await.unwrap()),
        };
        let served = session.call(name, arguments.clone()).await;
        assert_eq!(served["structuredContent"], structured);
        let blocks = served["content"].as_array().unwrap().iter();
        let blocks: Vec<&str> = blocks.map(|block| block["text"].as_str().unwrap()).collect();
        assert_eq!(blocks, text);
    }
}

fn parse<T: serde::de::DeserializeOwned>(arguments: Value) -> T {
    serde_json::from_value(arguments).unwrap()
}

fn plain(output: impl toolgate_servers::BuiltinToolOutput) -> (Vec<String>, Value) {
    (output.text(), serde_json::to_value(&output).unwrap())
}

/// Shows: S2-11.
#[tokio::test]
async fn the_manifest_lists_what_is_served_with_trust_exposure_and_roles() {
    let [server] = manifest() else { panic!("one server today") };
    assert_eq!((server.name, server.trust), ("repo", Trust::Trusted));
    let listed = server.tools.iter().map(|tool| (tool.name, tool.title, tool.description));
    let tools = ground().session().tools();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let served: Vec<_> = tools
        .iter()
        .map(|tool| (text(&tool["name"]), text(&tool["title"]), text(&tool["description"])))
        .collect();
    let served = served.iter().map(|(name, title, about)| (&**name, &**title, &**about));
    assert!(listed.eq(served));
    for tool in server.tools {
        assert!(tool.exposed && tool.approval.as_str() == "approve");
        assert!(tool.roles.contains(&"reviewer"));
    }
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_the_models_to_correct() {
    let ground = ground();
    let mut session = ground.session();
    let said = session.refused("read_file", json!({ "file": "a.txt" })).await;
    assert!(said.contains("unknown field `file`") && said.contains("`path`"), "{said}");
    let said = session.refused("search", json!({})).await;
    assert!(said.contains("missing field `pattern`"), "{said}");
}
