//! A client made with the SDK, over HTTP, with a person who fills in every form in the same way. How
//! the question gets to them and their answer back is the SDK's affair, in either era.

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationCapability, FormElicitationCapability, Implementation,
    ProtocolVersion,
};
use rmcp::service::{RequestContext, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt as _, ErrorData, RoleClient};
use serde_json::{Value, json};
use tokio::sync::watch;

/// What the person does with a form.
#[derive(Debug, Clone)]
pub enum Filled {
    /// Sends it off with this in it.
    With(Value),
    Declined,
    /// Looks at it until it is taken back.
    Never,
}

/// Such a client, connected.
#[derive(Debug)]
pub struct WithPerson {
    service: RunningService<RoleClient, Handler>,
    notes: watch::Receiver<Vec<String>>,
}

#[derive(Debug)]
struct Handler {
    filled: Filled,
    notes: watch::Sender<Vec<String>>,
}

impl WithPerson {
    /// With the handshake of the older era.
    pub async fn legacy(url: &str, filled: Filled) -> Result<Self, String> {
        Self::connect(url, filled, ClientLifecycleMode::Initialize).await
    }

    /// With `server/discover` and no handshake. Where an answer asks for input, the SDK shows it to
    /// its handler and sends the request again with what was filled in.
    pub async fn modern(url: &str, filled: Filled) -> Result<Self, String> {
        let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
        Self::connect(url, filled, ClientLifecycleMode::Discover { preferred_versions }).await
    }

    async fn connect(
        url: &str,
        filled: Filled,
        lifecycle: ClientLifecycleMode,
    ) -> Result<Self, String> {
        let (sender, notes) = watch::channel(Vec::new());
        let handler = Handler { filled, notes: sender };
        let transport = StreamableHttpClientTransport::from_uri(url);
        let connected = handler.serve_with_lifecycle(transport, lifecycle).await;
        let service = connected.map_err(|error| error.to_string())?;
        Ok(Self { service, notes })
    }

    /// What the person was shown so far; after it, `taken back` where that happened.
    pub fn shown(&self) -> Vec<String> {
        self.notes.borrow().clone()
    }

    /// Waits until the person saw this.
    pub async fn saw(&self, what: &str) {
        let mut notes = self.notes.clone();
        let saw = |notes: &Vec<String>| notes.iter().any(|note| note.contains(what));
        notes.wait_for(saw).await.unwrap();
    }

    /// Calls a tool to its end, however many rounds that takes.
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<Value, String> {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let result = self.service.call_tool(params).await.map_err(|error| error.to_string())?;
        Ok(serde_json::to_value(result).unwrap())
    }

    pub async fn close(self) {
        self.service.cancel().await.unwrap();
    }
}

impl Handler {
    fn note(&self, note: impl Into<String>) {
        self.notes.send_modify(|notes| notes.push(note.into()));
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        let forms = ElicitationCapability::new().with_form(FormElicitationCapability::default());
        capabilities.elicitation = Some(forms);
        ClientConfig::new(capabilities, Implementation::new("foreign", "3.8.0"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = request
        else {
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        };
        self.note(json!({"message": message, "schema": requested_schema}).to_string());
        Ok(match &self.filled {
            Filled::With(content) => {
                ElicitResult::new(ElicitationAction::Accept).with_content(content.clone())
            }
            Filled::Declined => ElicitResult::new(ElicitationAction::Decline),
            Filled::Never => {
                context.ct.cancelled().await;
                self.note("taken back");
                ElicitResult::new(ElicitationAction::Cancel)
            }
        })
    }
}
