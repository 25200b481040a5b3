//! Plans, notes and kept results, each for the one who works there.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_servers::{WorkflowServer, manifest};
use toolgate_store::{ArtifactStore, KeptFor, MemoryStore, NewArtifact, WorkBook};
use toolgate_types::{OutputPart, Principal, Tool};

/// One folder with one store; others may have the same store.
pub(crate) struct Desk(Vec<Arc<dyn Tool>>);

impl Desk {
    fn at(workspace: &str, store: &Arc<MemoryStore>) -> Self {
        Self::with(workspace, store)
    }

    pub(crate) fn with<S: WorkBook + ArtifactStore + 'static>(
        workspace: &str,
        store: &Arc<S>,
    ) -> Self {
        let (book, artifacts) = (Arc::clone(store) as _, Arc::clone(store) as _);
        Self(WorkflowServer::new(workspace.into(), book, artifacts, None).tools())
    }

    pub(crate) async fn call(
        &self,
        who: &str,
        tool: &str,
        arguments: Value,
    ) -> Result<Value, String> {
        let tool = self.0.iter().find(|known| known.name() == tool).expect("a tool that is there");
        let arguments = serde_json::value::to_raw_value(&arguments).unwrap();
        let output = tool.call_for(&Principal::named(who), arguments).await.unwrap();
        let mut structured = None;
        let mut text = String::new();
        for part in output.parts {
            match part {
                OutputPart::Text(part) => text.push_str(&part),
                OutputPart::Json(json) => structured = serde_json::from_str(json.get()).ok(),
                other => panic!("{other:?}"),
            }
        }
        match output.is_error {
            true => Err(text),
            false => {
                let promised: Value =
                    serde_json::from_str(tool.output_schema().unwrap().get()).unwrap();
                let structured: Value = structured.unwrap();
                jsonschema::validator_for(&promised).unwrap().validate(&structured).unwrap();
                Ok(structured)
            }
        }
    }
}

async fn keep(store: &MemoryStore, workspace: &str, mime: &str, bytes: &[u8]) -> String {
    let artifact = NewArtifact {
        owner: KeptFor::new("ada", workspace),
        mime: mime.to_owned(),
        bytes: bytes.to_owned(),
        created_at: 1,
        server: None,
        tool: None,
        correlation: "c".to_owned(),
    };
    format!("toolgate://artifact/{}", store.keep_artifact(artifact).await.unwrap().id)
}

/// Shows: S2-4, S2-11.
#[tokio::test]
async fn its_tools_are_those_of_the_manifest_with_annotations_and_schemas() {
    let desk = Desk::at("/a", &Arc::default());
    let suite = manifest().iter().find(|server| server.name == "workflow").unwrap();
    let served: Vec<&str> = desk.0.iter().map(|tool| tool.name()).collect();
    let offered: Vec<&str> = suite.tools.iter().map(|tool| tool.name).collect();
    assert_eq!(served, offered);
    for (tool, offer) in desk.0.iter().zip(suite.tools) {
        let writes = matches!(tool.name(), "plan_set" | "note_add");
        assert_eq!(tool.hints().read_only, Some(!writes), "{}", tool.name());
        assert_eq!(tool.hints().open_world, Some(false));
        assert!(offer.description.len() < 200, "models read it each time");
        for schema in [tool.parameters(), tool.output_schema().unwrap()] {
            let schema: Value = serde_json::from_str(schema.get()).unwrap();
            assert_eq!(schema["type"], "object");
            jsonschema::meta::validate(&schema).unwrap();
        }
    }
}

#[tokio::test]
async fn a_plan_is_kept_for_who_works_there() {
    let store = Arc::default();
    let (here, there) = (Desk::at("/a", &store), Desk::at("/b", &store));
    let steps = json!([{ "text": "look", "state": "done" }, { "text": "write" }]);
    let set = json!({ "goal": "a door", "steps": steps });
    here.call("ada", "plan_set", set).await.unwrap();
    let plan = Desk::at("/a", &store).call("ada", "plan_get", json!({})).await.unwrap();
    assert_eq!(plan["goal"], "a door");
    assert_eq!(plan["steps"][1], json!({ "text": "write", "state": "pending" }));
    for (desk, who) in [(&here, "bob"), (&there, "ada")] {
        let plan = desk.call(who, "plan_get", json!({})).await.unwrap();
        assert_eq!(plan, json!({ "steps": [] }), "{who}");
    }
}

#[tokio::test]
async fn a_plan_has_bounds() {
    let desk = Desk::at("/a", &Arc::default());
    let step = json!({ "text": "x" });
    for (steps, wrong) in [
        (json!(vec![step; 101]), "100 steps"),
        (json!([{ "text": "x".repeat(501) }]), "500 is the most"),
        (json!([{ "text": " " }]), "empty"),
        (json!([{ "text": "x", "state": "finished" }]), "finished"),
    ] {
        let said = desk.call("ada", "plan_set", json!({ "steps": steps })).await.unwrap_err();
        assert!(said.contains(wrong), "{said}");
    }
}

#[tokio::test]
async fn notes_are_listed_newest_first_to_who_wrote_them() {
    let store = Arc::default();
    let (here, there) = (Desk::at("/a", &store), Desk::at("/b", &store));
    for number in 0..60 {
        let note = json!({ "text": format!("note {number}") });
        here.call("ada", "note_add", note).await.unwrap();
    }
    let first = here.call("ada", "notes_list", json!({})).await.unwrap();
    let notes = first["notes"].as_array().unwrap();
    assert_eq!((notes.len(), &first["more"]), (50, &json!(true)));
    assert_eq!(notes[0]["text"], "note 59");
    let before = &notes[49]["number"];
    let rest = here.call("ada", "notes_list", json!({ "before": before })).await.unwrap();
    assert_eq!(rest["notes"].as_array().unwrap().len(), 10);
    assert_eq!(rest["more"], false);
    for (desk, who) in [(&here, "bob"), (&there, "ada")] {
        let notes = desk.call(who, "notes_list", json!({})).await.unwrap();
        assert_eq!(notes["notes"], json!([]), "{who}");
    }
    let long = json!({ "text": "x".repeat(4001) });
    assert!(here.call("ada", "note_add", long).await.unwrap_err().contains("4000"));
}

#[tokio::test]
async fn a_kept_result_is_read_by_lines_and_by_bytes() {
    let store = Arc::default();
    let desk = Desk::at("/a", &store);
    let text: String = (1..=5000).map(|line| format!("line {line} é\n")).collect();
    let uri = keep(&store, "/a", "text/plain", text.as_bytes()).await;
    let read = async |more: Value| {
        let mut arguments = json!({ "artifact": uri });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        desk.call("ada", "artifact_read", arguments).await
    };
    let lines = read(json!({ "start_line": 4999, "end_line": 5000 })).await.unwrap();
    assert_eq!(lines["text"], "line 4999 é\nline 5000 é\n");
    let id = uri.rsplit('/').next().unwrap();
    let by_id = json!({ "artifact": id, "start_byte": 5, "end_byte": 5 });
    assert_eq!(desk.call("ada", "artifact_read", by_id).await.unwrap()["text"], "1");
    let (mut whole, mut next) = (String::new(), json!(0));
    while !next.is_null() {
        let part = read(json!({ "start_byte": next })).await.unwrap();
        whole.push_str(part["text"].as_str().unwrap());
        next = part["next_byte"].clone();
    }
    assert!(whole == text, "to its last byte");
    let first = read(json!({})).await.unwrap();
    assert!(first["text"].as_str().unwrap().len() <= 16 << 10);
    let quotes = keep(&store, "/a", "application/json", &[b'"'; 40_000]).await;
    let part = desk.call("ada", "artifact_read", json!({ "artifact": quotes })).await.unwrap();
    assert!(part.to_string().len() < 24 << 10, "written as JSON it fits a result twice");
    assert!(read(json!({ "start_line": 1, "end_byte": 2 })).await.is_err());
    assert!(read(json!({ "start_line": 3, "end_line": 2 })).await.is_err());
}

#[tokio::test]
async fn what_is_no_text_is_read_by_bytes_alone() {
    let store = Arc::default();
    let desk = Desk::at("/a", &store);
    let uri = keep(&store, "/a", "image/png", &[0, 255, 1]).await;
    let part = desk.call("ada", "artifact_read", json!({ "artifact": uri })).await.unwrap();
    assert_eq!((&part["base64"], &part["text"]), (&json!("AP8B"), &Value::Null));
    let lines = json!({ "artifact": uri, "start_line": 1 });
    assert!(desk.call("ada", "artifact_read", lines).await.unwrap_err().contains("image/png"));
}

#[tokio::test]
async fn a_kept_result_is_searched_with_line_numbers() {
    let store = Arc::default();
    let desk = Desk::at("/a", &store);
    let text: String = (1..=300).map(|line| format!("Line {line}.\n")).collect();
    let uri = keep(&store, "/a", "text/plain", text.as_bytes()).await;
    let search = async |more: Value| {
        let mut arguments = json!({ "artifact": uri });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        desk.call("ada", "artifact_search", arguments).await
    };
    let found = search(json!({ "pattern": "^Line 2[09]9" })).await.unwrap();
    let lines: Vec<&Value> =
        found["matches"].as_array().unwrap().iter().map(|found| &found["line"]).collect();
    assert_eq!(lines, [209, 299]);
    let found = search(json!({ "pattern": "E 7.", "literal": true })).await.unwrap();
    assert_eq!(found["matches"], json!([]));
    let any = json!({ "pattern": "e 7.", "literal": true, "case_insensitive": true });
    let found = search(any).await.unwrap();
    assert_eq!(found["matches"], json!([{ "line": 7, "byte": 51, "text": "Line 7." }]));
    let first = search(json!({ "pattern": "." })).await.unwrap();
    assert_eq!((first["matches"].as_array().unwrap().len(), &first["more"]), (50, &json!(true)));
    let last = search(json!({ "pattern": ".", "skip": 290 })).await.unwrap();
    assert_eq!((last["matches"].as_array().unwrap().len(), &last["more"]), (10, &json!(false)));
    assert!(search(json!({ "pattern": "(" })).await.unwrap_err().contains("pattern"));
}

/// Shows: C26.
#[tokio::test]
async fn nobody_elses_result_is_there() {
    let store = Arc::default();
    let (here, there) = (Desk::at("/a", &store), Desk::at("/b", &store));
    let uri = keep(&store, "/a", "application/json", b"{}").await;
    let calls = [
        ("artifact_read", json!({ "artifact": uri })),
        ("artifact_search", json!({ "artifact": uri, "pattern": "." })),
        ("artifact_query", json!({ "artifact": uri, "filter": "." })),
    ];
    for (tool, arguments) in calls {
        for (desk, who) in [(&here, "bob"), (&there, "ada"), (&here, "ad"), (&here, "")] {
            let said = desk.call(who, tool, arguments.clone()).await.unwrap_err();
            assert!(said.contains("there is no artifact"), "{tool}: {said}");
        }
    }
    for odd in ["", "../x", "file:///etc/passwd", "toolgate://artifact/", "0123", &"a".repeat(9999)]
    {
        let said = here.call("ada", "artifact_read", json!({ "artifact": odd })).await.unwrap_err();
        assert!(said.contains("is no artifact") && said.len() < 300, "{said}");
    }
}
