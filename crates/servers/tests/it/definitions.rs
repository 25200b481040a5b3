//! What the server says of its tools, and whether it is so.

use serde_json::{Value, json};
use toolgate_servers::{
    EditFile, GitBlame, GitDiff, GitLog, GitShow, GitStatus, ListFiles, PrivatePlaces, ReadFile,
    RepoServer, Search, WriteFile, manifest,
};
use toolgate_types::Trust;

use crate::session::{Ground, Session};

const WRITING: [&str; 2] = ["write_file", "edit_file"];

fn ground() -> Ground {
    let ground = Ground::with(&[("a.txt", "one\ntwo\n"), ("src/b.rs", "fn two() {}\n")]);
    ground.link("l", "a.txt");
    ground.git(&["init", "-q"]);
    ground.commit("first");
    ground.write("src/b.rs", "fn three() {}\nfn two() {}\n");
    ground.commit("second");
    ground.write("src/b.rs", "fn two() {}\n");
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
        #[cfg(feature = "outline")]
        ("outline", json!({ "path": "src/b.rs" })),
        ("git_status", json!({})),
        ("git_log", json!({ "paths": ["src"] })),
        ("git_diff", json!({})),
        ("git_show", json!({ "revision": "HEAD" })),
        ("git_show", json!({ "revision": "HEAD~1", "path": "a.txt" })),
        ("git_blame", json!({ "path": "src/b.rs" })),
        ("write_file", json!({ "path": "a.txt", "content": "one\ntwo\n", "overwrite": true })),
    ]
}

#[tokio::test]
async fn every_tool_says_whether_it_only_reads() {
    for tool in ground().session().tools() {
        let writes = WRITING.contains(&tool["name"].as_str().unwrap());
        let expected = json!({
            "readOnlyHint": !writes, "destructiveHint": writes, "idempotentHint": !writes,
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
        json!({ "revision": "HEAD" }),
        json!({ "revision": "HEAD", "path": "a", "start_line": 2 }),
        json!({ "paths": ["a"], "since": "2026-01-01", "limit": 3 }),
        json!({ "from": "a", "to": "b", "staged": true, "context": 2 }),
        json!({ "paths": "a" }),
        json!({ "path": "a", "content": "b", "overwrite": true }),
        json!({ "path": "a", "old_text": "b", "new_text": "c" }),
    ];
    for tool in &tools {
        for schema in [&tool["inputSchema"], &tool["outputSchema"]] {
            assert_eq!(schema["type"], "object", "{schema}");
            jsonschema::meta::validate(schema).unwrap();
        }
        let schema = jsonschema::validator_for(&tool["inputSchema"]).unwrap();
        let mut taken = 0;
        for attempt in &attempts {
            let parsed = is_taken(tool["name"].as_str().unwrap(), attempt);
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
        let required = tool["outputSchema"]["required"][0].as_str().unwrap();
        result.as_object_mut().unwrap().remove(required);
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
            "search" => plain(own.call::<Search>(parse(given)).await.unwrap()),
            "git_status" => plain(own.call::<GitStatus>(parse(given)).await.unwrap()),
            "git_log" => plain(own.call::<GitLog>(parse(given)).await.unwrap()),
            "git_diff" => plain(own.call::<GitDiff>(parse(given)).await.unwrap()),
            "git_show" => plain(own.call::<GitShow>(parse(given)).await.unwrap()),
            "write_file" => plain(own.call::<WriteFile>(parse(given)).await.unwrap()),
            "edit_file" => plain(own.call::<EditFile>(parse(given)).await.unwrap()),
            "git_blame" => plain(own.call::<GitBlame>(parse(given)).await.unwrap()),
            #[cfg(feature = "outline")]
            "outline" => plain(own.call::<toolgate_servers::Outline>(parse(given)).await.unwrap()),
            other => panic!("{other} is not known here"),
        };
        let served = session.call(name, arguments.clone()).await;
        assert_eq!(served["structuredContent"], structured);
        let blocks = served["content"].as_array().unwrap().iter();
        let blocks: Vec<&str> = blocks.map(|block| block["text"].as_str().unwrap()).collect();
        assert_eq!(blocks, text);
    }
}

/// Whether the type of a tool's arguments takes them.
fn is_taken(tool: &str, arguments: &Value) -> bool {
    fn takes<T: serde::de::DeserializeOwned>(arguments: &Value) -> bool {
        serde_json::from_value::<T>(arguments.clone()).is_ok()
    }
    match tool {
        "read_file" => takes::<ReadFile>(arguments),
        "list_files" => takes::<ListFiles>(arguments),
        "search" => takes::<Search>(arguments),
        "git_status" => takes::<GitStatus>(arguments),
        "git_log" => takes::<GitLog>(arguments),
        "git_diff" => takes::<GitDiff>(arguments),
        "git_show" => takes::<GitShow>(arguments),
        "git_blame" => takes::<GitBlame>(arguments),
        "write_file" => takes::<WriteFile>(arguments),
        "edit_file" => takes::<EditFile>(arguments),
        #[cfg(feature = "outline")]
        "outline" => takes::<toolgate_servers::Outline>(arguments),
        other => panic!("{other} is not known here"),
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
    let server = manifest().iter().find(|server| server.name == "repo").unwrap();
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
        let writes = WRITING.contains(&tool.name);
        let approval = if writes { "prompt" } else { "approve" };
        assert_eq!((tool.exposed, tool.approval.as_str()), (!writes, approval));
        assert_eq!(tool.roles.contains(&"reviewer"), !writes);
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
