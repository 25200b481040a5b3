//! An upstream server as configured.

use std::sync::Arc;

use indexmap::IndexMap;

use super::{CommandTool, Confinement, Entry, InheritEnv, NameFilter, ToolShaping};
use crate::{ConfigText, Endpoint, EnvName, HeaderName, Milliseconds, ToolId, Trust};

words! {
    /// When a server is started.
    Startup {
        Lazy = "lazy",
        Eager = "eager",
    }
    /// Who decides whether a call to a server's tool needs a person.
    ApprovalMode {
        Prompt = "prompt",
        Auto = "auto",
        Approve = "approve",
    }
    /// Who shares one running instance of a server.
    Isolation {
        Workspace = "workspace",
        Machine = "machine",
        Session = "session",
    }
    /// What happens to a child's standard error.
    Stderr {
        Pipe = "pipe",
        Inherit = "inherit",
        Ignore = "ignore",
    }
    /// How tokens for a server are come by.
    OauthGrant {
        AuthorizationCode = "authorization_code",
        ClientCredentials = "client_credentials",
        /// In exchange for the token that a caller brought.
        TokenExchange = "token_exchange",
    }
    /// Which HTTP transport a remote server speaks.
    RemoteKind {
        Auto = "auto",
        Http = "http",
        Sse = "sse",
    }
}

/// An upstream server.
#[derive(Debug, Clone)]
pub struct Server {
    pub label: Option<String>,
    pub description: Option<String>,
    pub enabled: bool,
    /// What the file says; whether it counts is a matter of [`crate::Standing`].
    pub declared_trust: Option<Trust>,
    pub transport: Transport,
    /// Folders whose pages a server of documentation has besides the workspace's; other servers have none.
    pub further_folders: Vec<String>,
    pub startup: Startup,
    /// A required server is started eagerly and its failure fails the start.
    pub required: bool,
    pub timeouts: ServerTimeouts,
    pub idle_timeout: Milliseconds,
    pub isolation: Isolation,
    pub tools: NameFilter,
    pub resources: NameFilter,
    pub prompts: NameFilter,
    pub approval: Option<ApprovalMode>,
    pub tool_settings: IndexMap<String, ToolSettings>,
    pub mask_results: bool,
    /// Its tools are listed without `outputSchema`, so that no client holds results to one.
    pub omit_output_schemas: bool,
    /// A result that is not what its tool's `outputSchema` promises is an error.
    pub strict_output: bool,
    /// Whether it may ask the caller's model for answers, where the caller has one to ask. A file has
    /// to say so: answers cost money and show what the model knows.
    pub sampling: bool,
}

impl Server {
    pub const DEFAULT_IDLE_TIMEOUT: Milliseconds = Milliseconds::at_least_one(600_000);

    /// A server of which nothing is said but how it is reached.
    pub fn new(transport: Transport) -> Self {
        Self {
            label: None,
            description: None,
            enabled: true,
            declared_trust: None,
            transport,
            further_folders: Vec::new(),
            startup: Startup::default(),
            required: false,
            timeouts: ServerTimeouts::DEFAULT,
            idle_timeout: Self::DEFAULT_IDLE_TIMEOUT,
            isolation: Isolation::default(),
            tools: NameFilter::default(),
            resources: NameFilter::default(),
            prompts: NameFilter::default(),
            approval: None,
            tool_settings: IndexMap::new(),
            mask_results: false,
            omit_output_schemas: false,
            strict_output: false,
            sampling: true,
        }
    }

    /// How one of its tools is shown and called, where that is not as it defines it.
    pub fn shaping(&self, tool: &str) -> Option<&Arc<ToolShaping>> {
        // Nearly no server has any.
        if self.tool_settings.is_empty() {
            return None;
        }
        self.tool_settings.get(tool)?.shaping.as_ref()
    }
}

/// How a server is reached.
#[expect(clippy::large_enum_variant, reason = "some tens of them exist, behind a map")]
#[derive(Debug, Clone)]
pub enum Transport {
    Stdio(StdioServer),
    Remote(RemoteServer),
    /// A first-party server in process.
    Builtin,
    /// The command tools, which the host itself runs. No file says so.
    Commands(Arc<IndexMap<ToolId, Entry<CommandTool>>>),
}

impl Transport {
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Stdio(_) => "stdio",
            Self::Remote(RemoteServer { kind: RemoteKind::Sse, .. }) => "sse",
            Self::Remote(_) => "http",
            Self::Builtin => "builtin",
            Self::Commands(_) => "command",
        }
    }
}

/// A local process.
#[derive(Debug, Clone)]
pub struct StdioServer {
    pub command: ConfigText,
    pub args: Vec<ConfigText>,
    pub cwd: Option<ConfigText>,
    pub env: IndexMap<EnvName, ConfigText>,
    /// Variables passed on from our own environment by name.
    pub env_vars: Vec<EnvName>,
    pub inherit_env: InheritEnv,
    pub stderr: Stderr,
    pub confinement: Confinement,
}

/// A remote endpoint.
#[derive(Debug, Clone)]
pub struct RemoteServer {
    pub endpoint: Endpoint,
    /// `Auto` is a bare `url`: Streamable HTTP, falling back to SSE.
    pub kind: RemoteKind,
    pub headers: IndexMap<HeaderName, HeaderValue>,
    pub bearer_token_env: Option<EnvName>,
    /// Who gives the token, by an id.
    pub auth_provider: Option<ConfigText>,
    pub oauth: Option<Oauth>,
    /// A PEM file of certificate authorities to believe besides the system's.
    pub ca_file: Option<ConfigText>,
}

/// A header's value, written down or taken from a variable when the request is made.
#[derive(Debug, Clone)]
pub enum HeaderValue {
    Given(ConfigText),
    FromEnv(EnvName),
}

/// OAuth facts given instead of discovered. Endpoints stay the strings they are.
#[derive(Debug, Clone, Default)]
pub struct Oauth {
    pub authorization_url: Option<Endpoint>,
    pub token_url: Option<Endpoint>,
    pub registration_url: Option<Endpoint>,
    pub client_id: Option<ConfigText>,
    pub client_secret: Option<ConfigText>,
    /// A private key in PEM, or the path of a file that holds one.
    pub client_key: Option<ConfigText>,
    pub scope: Option<ConfigText>,
    pub resource: Option<ConfigText>,
    pub callback_port: Option<u16>,
    pub grant: OauthGrant,
    /// The URL of a document about our client, which some servers take as its id.
    pub client_metadata_url: Option<Endpoint>,
    /// Which of the person's accounts is meant in which folders; the first that matches counts.
    pub account_for: IndexMap<String, String>,
}

/// The three time limits of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerTimeouts {
    pub startup: Milliseconds,
    pub request: Milliseconds,
    pub tool: Milliseconds,
}

impl ServerTimeouts {
    pub const DEFAULT: Self = Self {
        startup: Milliseconds::at_least_one(30_000),
        request: Milliseconds::at_least_one(30_000),
        tool: Milliseconds::at_least_one(300_000),
    };
}

/// Settings of one tool of a server, by its raw name.
#[derive(Debug, Clone, Default)]
pub struct ToolSettings {
    pub approval: Option<ApprovalMode>,
    pub timeout: Option<Milliseconds>,
    pub result_bytes: Option<u64>,
    /// Takes the place of the server's own.
    pub strict_output: Option<bool>,
    /// None where it is shown and called as its server defines it.
    pub shaping: Option<Arc<ToolShaping>>,
}
