//! A server made with the SDK, over a pipe or as a process.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, Implementation, JsonObject, ListPromptsResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, Prompt, PromptMessage,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource,
    ResourceContents, Role, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, duplex};
use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The most that lies unread in the pipe.
const PIPE: usize = 64 * 1024;

/// The revisions that the server admits to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Eras {
    /// As the SDK does of itself.
    Both,
    /// As a server that narrows them to those with a handshake.
    Legacy,
}

/// A running server, as the test sees it.
#[derive(Debug)]
pub struct Serving {
    notes: watch::Receiver<Vec<&'static str>>,
    task: JoinHandle<String>,
}

impl Serving {
    /// Waits until the tool `wait` noted this: `waiting`, then `cancelled`.
    pub async fn noted(&self, note: &str) {
        self.notes.clone().wait_for(|notes| notes.contains(&note)).await.unwrap();
    }

    /// Waits until the server has ended; gives the reason in the SDK's words.
    pub async fn ended(self) -> String {
        self.task.await.unwrap()
    }
}

/// Serves at the other end of an in-memory pipe.
pub fn serve(eras: Eras) -> (DuplexStream, Serving) {
    let (ours, theirs) = duplex(PIPE);
    let server = Server::new(eras);
    let notes = server.notes.subscribe();
    let (reader, writer) = tokio::io::split(theirs);
    (ours, Serving { notes, task: tokio::spawn(run(server, reader, writer)) })
}

/// Serves on standard input and output, then ends the process.
pub fn stdio(eras: Eras) -> ! {
    // Dropping it would wait for the thread that reads standard input.
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(run(Server::new(eras), tokio::io::stdin(), tokio::io::stdout()));
    std::process::exit(0)
}

async fn run(
    server: Server,
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
) -> String {
    match server.serve((reader, writer)).await {
        Ok(running) => format!("{:?}", running.waiting().await.unwrap()),
        Err(error) => error.to_string(),
    }
}

struct Server {
    eras: Eras,
    notes: watch::Sender<Vec<&'static str>>,
}

impl Server {
    fn new(eras: Eras) -> Self {
        Self { eras, notes: watch::Sender::default() }
    }

    fn note(&self, note: &'static str) {
        self.notes.send_modify(|notes| notes.push(note));
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts();
        ServerConfig::new(capabilities.build())
            .with_server_info(Implementation::new("foreign", "3.8.0"))
            .with_instructions("Say, sum, fail or wait.")
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(match self.eras {
            Eras::Both => ProtocolVersion::KNOWN_VERSIONS,
            Eras::Legacy => ProtocolVersion::known_up_to(&ProtocolVersion::V_2025_11_25),
        })
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let text = json!({"type": "object", "properties": {"text": {"type": "string"}}});
        let terms = json!({"type": "array", "items": {"type": "integer"}});
        let terms = json!({"type": "object", "properties": {"terms": terms}});
        let sum = json!({"type": "object", "properties": {"sum": {"type": "integer"}}});
        Ok(ListToolsResult::with_all_items(vec![
            Tool::new("say", "Says it again", object(text)),
            Tool::new("sum", "Adds numbers", object(terms)).with_raw_output_schema(object(sum)),
            Tool::new("fail", "Fails, and says so", object(json!({"type": "object"}))),
            Tool::new("wait", "Waits to be cancelled", object(json!({"type": "object"}))),
        ]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let text = |text: &str| vec![ContentBlock::text(text)];
        let result = match &*request.name {
            "say" => CallToolResult::success(text(arguments["text"].as_str().unwrap_or("nothing"))),
            "sum" => {
                let terms = arguments["terms"].as_array().into_iter().flatten();
                let sum: i64 = terms.filter_map(Value::as_i64).sum();
                CallToolResult::structured(json!({"sum": sum}))
            }
            "fail" => CallToolResult::error(text("it did not work")),
            "wait" => {
                self.note("waiting");
                context.ct.cancelled().await;
                self.note("cancelled");
                CallToolResult::success(text("too late"))
            }
            _ => return Err(ErrorData::invalid_params("there is no such tool", None)),
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let note = Resource::new("note://one", "one").with_mime_type("text/plain");
        Ok(ListResourcesResult::with_all_items(vec![note]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri != "note://one" {
            return Err(ErrorData::resource_not_found("there is no such note", None));
        }
        let contents = ResourceContents::text("the first note", request.uri);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(vec![Prompt::new("greet", Some("Greets"), None)]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name != "greet" {
            return Err(ErrorData::invalid_params("there is no such prompt", None));
        }
        let message = PromptMessage::new_text(Role::User, "Say hello.");
        Ok(GetPromptResult::new(vec![message]).into())
    }
}

fn object(value: Value) -> Arc<JsonObject> {
    Arc::new(value.as_object().cloned().unwrap_or_default())
}
