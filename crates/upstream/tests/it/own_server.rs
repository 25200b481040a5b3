//! A server of the program itself: its resources, templates and prompts, line by line.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use toolgate_types::{
    OfferedResource, OfferedTemplate, Prompt, PromptArgument, PromptRefusal, ResourcePage,
    ResourceProvider, ResourceRefusal, ResourceText,
};
use toolgate_upstream::{OwnToolServer, serve_own_tools};

/// Two pages of one resource each.
struct Shelf;

#[async_trait]
impl ResourceProvider for Shelf {
    async fn list(&self, cursor: Option<&str>) -> Result<ResourcePage, ResourceRefusal> {
        let number = cursor.unwrap_or("1");
        let uri = format!("shelf:///{number}");
        let book = OfferedResource { name: uri.clone(), uri, mime: "text/plain", size: Some(3) };
        let next = cursor.is_none().then(|| "2".to_owned());
        Ok(ResourcePage { resources: vec![book], next })
    }

    fn templates(&self) -> Vec<OfferedTemplate> {
        vec![OfferedTemplate {
            uri_template: "shelf:///{number}",
            name: "book",
            title: "A book",
            description: "One of them.",
            mime: None,
        }]
    }

    async fn read(&self, uri: &str) -> Result<ResourceText, ResourceRefusal> {
        match uri {
            "shelf:///1" => {
                Ok(ResourceText { uri: uri.to_owned(), mime: "text/plain", text: "one".to_owned() })
            }
            _ => Err(ResourceRefusal::NotFound(uri.to_owned())),
        }
    }
}

struct Greeting;

#[async_trait]
impl Prompt for Greeting {
    fn name(&self) -> &str {
        "greet"
    }

    fn title(&self) -> &str {
        "Greet"
    }

    fn description(&self) -> &str {
        "Greets somebody."
    }

    fn arguments(&self) -> &[PromptArgument] {
        &[PromptArgument { name: "whom", description: "Who is greeted.", required: true }]
    }

    async fn get(&self, arguments: &BTreeMap<String, String>) -> Result<String, PromptRefusal> {
        match arguments["whom"].as_str() {
            "nobody" => Err(PromptRefusal("nobody is there".to_owned())),
            whom => Ok(format!("Greet {whom}.")),
        }
    }
}

struct Pipe(BufReader<DuplexStream>);

impl Pipe {
    async fn ask(&mut self, method: &str, params: Value) -> Value {
        let asked = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
        self.0.get_mut().write_all(format!("{asked}\n").as_bytes()).await.unwrap();
        let mut line = String::new();
        self.0.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

fn served(server: OwnToolServer) -> Pipe {
    Pipe(BufReader::new(serve_own_tools(server)()))
}

fn library() -> OwnToolServer {
    OwnToolServer {
        resources: Some(Arc::new(Shelf)),
        prompts: vec![Arc::new(Greeting)],
        ..OwnToolServer::new("library", Vec::new())
    }
}

#[tokio::test]
async fn it_says_what_it_has_beside_tools() {
    let version = json!({ "protocolVersion": "2025-06-18" });
    let about = served(library()).ask("initialize", version.clone()).await;
    let expected = json!({ "tools": {}, "resources": {}, "prompts": {} });
    assert_eq!(about["result"]["capabilities"], expected);
    let mut bare = served(OwnToolServer::new("bare", Vec::new()));
    let about = bare.ask("initialize", version).await;
    assert_eq!(about["result"]["capabilities"], json!({ "tools": {} }));
    for method in ["resources/list", "resources/templates/list", "prompts/list"] {
        assert_eq!(bare.ask(method, json!({})).await["error"]["code"], -32601, "{method}");
    }
}

#[tokio::test]
async fn resources_are_listed_by_the_page_and_read() {
    let mut pipe = served(library());
    let first = pipe.ask("resources/list", Value::Null).await;
    let row =
        json!({ "uri": "shelf:///1", "name": "shelf:///1", "mimeType": "text/plain", "size": 3 });
    assert_eq!(first["result"], json!({ "resources": [row], "nextCursor": "2" }));
    let second = pipe.ask("resources/list", json!({ "cursor": "2" })).await;
    assert_eq!(second["result"]["resources"][0]["uri"], "shelf:///2");
    assert!(second["result"]["nextCursor"].is_null());
    let templates = pipe.ask("resources/templates/list", json!({})).await;
    let template = &templates["result"]["resourceTemplates"][0];
    assert_eq!(template["uriTemplate"], "shelf:///{number}");
    let read = pipe.ask("resources/read", json!({ "uri": "shelf:///1" })).await;
    let contents = json!([{ "uri": "shelf:///1", "mimeType": "text/plain", "text": "one" }]);
    assert_eq!(read["result"]["contents"], contents);
    let absent = pipe.ask("resources/read", json!({ "uri": "shelf:///9" })).await;
    assert_eq!(absent["error"]["code"], -32002);
}

#[tokio::test]
async fn prompts_are_made_of_their_arguments() {
    let mut pipe = served(library());
    let listed = pipe.ask("prompts/list", json!({})).await;
    let argument = json!({ "name": "whom", "description": "Who is greeted.", "required": true });
    assert_eq!(listed["result"]["prompts"][0]["arguments"], json!([argument]));
    let whom = |whom: &str| json!({ "name": "greet", "arguments": { "whom": whom } });
    let made = pipe.ask("prompts/get", whom("them")).await;
    let message = json!({ "role": "user", "content": { "type": "text", "text": "Greet them." } });
    assert_eq!(made["result"]["messages"], json!([message]));
    for unfit in [whom("nobody"), whom(" "), json!({ "name": "greet" }), json!({ "name": "x" })] {
        assert_eq!(pipe.ask("prompts/get", unfit).await["error"]["code"], -32602);
    }
}
