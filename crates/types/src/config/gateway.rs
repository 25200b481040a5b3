//! What agents see of the gate: address, credentials, names.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use indexmap::IndexMap;

use super::{Channel, HttpEntrance, TokenIssuer};
use crate::{Endpoint, Pattern, RoleId};

words! {
    /// How a caller proves who it is.
    CallerAuth {
        Token = "token",
        Oauth = "oauth",
        /// By one of our tokens or by one of the issuer's; what it begins with says which.
        Both = "both",
        None = "none",
    }
    /// The form of the names a client sees.
    Naming {
        Joined = "joined",
        Hashed = "hashed",
        Qualified = "qualified",
        Dotted = "dotted",
        Bare = "bare",
    }
    /// Whether tools are listed themselves or reached through the meta tools.
    Exposure {
        Auto = "auto",
        Direct = "direct",
        Meta = "meta",
    }
}

/// The `[gateway]` section; only a person's own layers may have one.
#[derive(Debug, Clone)]
pub struct GatewaySection {
    pub enable_mcp_server_surface: bool,
    pub listen: SocketAddr,
    pub entrance: HttpEntrance,
    pub auth: CallerAuth,
    /// Where clients reach the gateway: what tokens of an issuer are for. Never what a request says.
    pub public_url: Option<Endpoint>,
    pub oauth: Option<TokenIssuer>,
    pub naming: Naming,
    pub exposure: Exposure,
    pub always_visible: Vec<Pattern>,
    pub meta: MetaSection,
    /// Host names besides loopback that a request may name.
    pub allowed_hosts: Vec<String>,
    /// Origins besides our own that a browser may send.
    pub allowed_origins: Vec<String>,
    pub clients: IndexMap<String, ClientSettings>,
}

impl CallerAuth {
    /// Whether tokens of an issuer are taken.
    pub fn takes_oauth(self) -> bool {
        matches!(self, Self::Oauth | Self::Both)
    }

    /// Whether tokens that were made here are taken.
    pub fn takes_tokens(self) -> bool {
        matches!(self, Self::Token | Self::Both)
    }
}

impl GatewaySection {
    pub const DEFAULT_LISTEN: SocketAddr =
        SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7332);
}

impl Default for GatewaySection {
    fn default() -> Self {
        Self {
            enable_mcp_server_surface: true,
            listen: Self::DEFAULT_LISTEN,
            entrance: HttpEntrance::default(),
            auth: CallerAuth::default(),
            public_url: None,
            oauth: None,
            naming: Naming::default(),
            exposure: Exposure::default(),
            always_visible: Vec::new(),
            meta: MetaSection::default(),
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            clients: IndexMap::new(),
        }
    }
}

/// When tools go behind the meta tools by themselves, and how much those give at once. Nothing means no
/// limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetaSection {
    /// `auto` means `meta` for lists of more tools than this,
    pub above_tools: Option<u64>,
    /// and for those that cost a model more than so many tokens, as estimated.
    pub above_tokens: Option<u64>,
    /// The most tools that are listed in one answer.
    pub listed_tools: Option<u64>,
    /// The most characters of a description, of a schema and of a result.
    pub description_chars: Option<u64>,
    pub schema_chars: Option<u64>,
    pub result_chars: Option<u64>,
    /// How long a server may take for a call of what is never listed, where its own limit is not shorter.
    pub call_timeout: Option<Duration>,
}

impl Default for MetaSection {
    fn default() -> Self {
        Self {
            above_tools: Some(100),
            above_tokens: Some(25_000),
            listed_tools: Some(200),
            description_chars: Some(400),
            schema_chars: Some(64_000),
            result_chars: Some(64_000),
            call_timeout: Some(Duration::from_secs(30)),
        }
    }
}

/// What differs for one named client.
#[derive(Debug, Clone, Default)]
pub struct ClientSettings {
    pub naming: Option<Naming>,
    pub exposure: Option<Exposure>,
    pub result_bytes: Option<u64>,
    /// The only role that it may have.
    pub role: Option<RoleId>,
    pub approval_channels: Option<Vec<Channel>>,
    /// Whether resources and prompts are offered to it as tools.
    pub resource_tools: Option<bool>,
}

impl ClientSettings {
    /// Clients that `connect` names so and that know tools alone.
    const KNOWS_ONLY_TOOLS: [&str; 1] = ["windsurf"];

    /// Whether resources and prompts are offered as tools to the client of this name. It depends on
    /// the name that the person gave it, and on nothing that it says of itself.
    pub fn offers_resource_tools(client: Option<&str>, settings: Option<&Self>) -> bool {
        let is_known = || client.is_some_and(|name| Self::KNOWS_ONLY_TOOLS.contains(&name));
        settings.and_then(|settings| settings.resource_tools).unwrap_or_else(is_known)
    }
}
