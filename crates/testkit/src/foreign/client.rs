//! A client made with the SDK, over a pipe.

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, GetPromptRequestParams,
    Implementation, ProtocolVersion, ReadResourceRequestParams,
};
use rmcp::service::RunningService;
use rmcp::{ClientLifecycleMode, ClientServiceExt as _, RoleClient};
use serde::Serialize;
use serde_json::Value;
use tokio::io::DuplexStream;

/// A client in a session. What the SDK understood comes back as JSON, a failure in its words.
#[derive(Debug)]
pub struct Client(RunningService<RoleClient, ClientConfig>);

impl Client {
    /// With the handshake of the older era, which is all that the SDK does unless told otherwise.
    pub async fn legacy(pipe: DuplexStream) -> Result<Self, String> {
        Self::connect(pipe, ClientLifecycleMode::Initialize).await
    }

    /// With `server/discover` and no handshake.
    pub async fn modern(pipe: DuplexStream) -> Result<Self, String> {
        let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
        Self::connect(pipe, ClientLifecycleMode::Discover { preferred_versions }).await
    }

    /// Asks in the modern way and falls back.
    pub async fn probing(pipe: DuplexStream) -> Result<Self, String> {
        let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
        let lifecycle = ClientLifecycleMode::Auto { preferred_versions, legacy_version: None };
        Self::connect(pipe, lifecycle).await
    }

    async fn connect(pipe: DuplexStream, lifecycle: ClientLifecycleMode) -> Result<Self, String> {
        let name = Implementation::new("foreign", "3.8.0");
        let config = ClientConfig::new(ClientCapabilities::default(), name);
        let connected = config.serve_with_lifecycle(pipe, lifecycle).await;
        connected.map(Self).map_err(|error| error.to_string())
    }

    /// The revision that both sides speak.
    pub fn version(&self) -> String {
        self.0.peer_info().unwrap().protocol_version.to_string()
    }

    /// The names of all tools.
    pub async fn tools(&self) -> Result<Vec<String>, String> {
        let tools = self.0.list_all_tools().await.map_err(|error| error.to_string())?;
        Ok(tools.into_iter().map(|tool| tool.name.into_owned()).collect())
    }

    pub async fn call(&self, tool: &str, arguments: Value) -> Result<Value, String> {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        as_json(self.0.call_tool(params).await)
    }

    pub async fn read(&self, uri: &str) -> Result<Value, String> {
        as_json(self.0.read_resource(ReadResourceRequestParams::new(uri)).await)
    }

    pub async fn prompt(&self, name: &str) -> Result<Value, String> {
        as_json(self.0.get_prompt(GetPromptRequestParams::new(name)).await)
    }

    pub async fn close(self) {
        self.0.cancel().await.unwrap();
    }
}

fn as_json(result: Result<impl Serialize, rmcp::ServiceError>) -> Result<Value, String> {
    let result = result.map_err(|error| error.to_string())?;
    Ok(serde_json::to_value(result).unwrap())
}
