//! Bundles, roles, workflows, policy and the settings sections as they may be written.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use toolgate_types::config::{
    AuditSync, BundleMode, CallerAuth, Channel, Durability, Exposure, Naming, OuterWall,
    RuleEffect, SignatureAlgorithm,
};

/// A named slice of one server's tools.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Bundle")]
pub(crate) struct RawBundle {
    /// The id of the server it slices; `local` for command tools.
    #[serde(alias = "server_id")]
    pub(crate) server: Option<String>,
    /// `direct` shows the tools; `meta` reaches them through the meta tools; `auto` does as
    /// `gateway.exposure` says. A bundle's own word wins. `direct` where an S0 file says nothing.
    pub(crate) mode: Option<BundleMode>,
    /// A sentence for people.
    pub(crate) description: Option<String>,
    /// Only these tools (raw names, globs, case counts). Never empty; needed for an untrusted server.
    pub(crate) allow_tools: Option<Vec<String>>,
    /// Never these tools (case counts). Deny wins.
    pub(crate) deny_tools: Option<Vec<String>>,
}

/// What a caller acts as.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Role")]
pub(crate) struct RawRole {
    /// A sentence for people.
    pub(crate) description: Option<String>,
    /// The bundles it reaches.
    pub(crate) bundles: Option<Vec<String>>,
    /// Only these tools (case counts). Never empty.
    pub(crate) allow_tools: Option<Vec<String>>,
    /// Never these tools (case counts).
    pub(crate) deny_tools: Option<Vec<String>>,
}

/// Role → step → bundles. What is not listed resolves to nothing.
pub(crate) type RawWorkflow = IndexMap<String, IndexMap<String, Vec<String>>>;

/// Allow and deny lists over everything.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Policy")]
pub(crate) struct RawPolicy {
    /// Only these tools: `glob` on any server, or `server:glob`. Case counts. Never empty.
    pub(crate) allow_tools: Option<Vec<String>>,
    /// Never these tools (case counts).
    pub(crate) deny_tools: Option<Vec<String>>,
    /// Only these resources: globs over URIs, in every spelling of one. Case counts. Never empty.
    pub(crate) allow_resources: Option<Vec<String>>,
    /// Never these resources, in any spelling of their URI; case does not count.
    pub(crate) deny_resources: Option<Vec<String>>,
    /// Only these prompts (case counts). Never empty.
    pub(crate) allow_prompts: Option<Vec<String>>,
    /// Never these prompts (case counts).
    pub(crate) deny_prompts: Option<Vec<String>>,
    /// Folders a command tool may run in. Never empty.
    pub(crate) allowed_cwds: Option<Vec<String>>,
    /// Folders that a command tool's path arguments must lie in. Never empty.
    pub(crate) allowed_arg_paths: Option<Vec<String>>,
    /// Rules about calls. A deny wins over `ask`, and that over `allow`; what no rule is about is asked
    /// for as before. In a project's file a rule cannot allow.
    pub(crate) rules: Option<Vec<RawCallRule>>,
}

/// A rule about calls of some tools with some arguments.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CallRule")]
pub(crate) struct RawCallRule {
    /// Tools: `glob` on any server, or `server:glob`. Case counts.
    pub(crate) tool: String,
    /// Arguments by their names, each with a glob over its text; all of them hold. Without any, every
    /// call of these tools is meant. In doubt a deny is about a call, and an allow is not.
    pub(crate) when: Option<BTreeMap<String, String>>,
    /// `sha256:` and the hash of a tool's definition as its server sends it: the rule counts only while
    /// the definition is that one.
    pub(crate) definition: Option<String>,
    /// What becomes of such a call. An allow counts for trusted servers.
    pub(crate) then: RuleEffect,
}

/// What agents connect to.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Gateway")]
pub(crate) struct RawGateway {
    /// Serve the configured tools. Off, only the configured servers are served, under their own
    /// names: no command tools and no built-in servers. On, except where the only file is a
    /// `config.toml` of `[mcp.<tool>]` entries; `$TOOLGATE_ENABLE_MCP_SERVER_SURFACE` overrides it.
    pub(crate) enable_mcp_server_surface: Option<bool>,
    /// Address and port of the HTTP endpoint.
    pub(crate) listen: Option<String>,
    /// The certificate by which connections to that address are encrypted. Whoever connects is shown the
    /// one that lies there at that moment; connections that are open stay.
    pub(crate) tls: Option<RawTls>,
    /// Instead of `tls`: the addresses of programs in front that take the encryption off. Connections
    /// from elsewhere are turned away.
    pub(crate) tls_proxies: Option<Vec<String>>,
    /// How a caller proves who it is: by a token that `toolgate token` made, by one of the issuer below
    /// (`oauth`), by either (`both`); `none` only on a loopback address.
    pub(crate) auth: Option<CallerAuth>,
    /// The URL by which clients reach the gateway, needed for `oauth` and `both`. It is the resource that
    /// tokens are asked for and the audience that they must name, and its host may be called.
    pub(crate) public_url: Option<String>,
    /// Who issues callers' tokens when `auth` is `oauth` or `both`.
    pub(crate) oauth: Option<RawTokenIssuer>,
    /// The form of tool names. A server whose id holds `__`, or is another's but for case or `-` and
    /// `_`, has hashed names in every form but `bare`, and only `bare` resolves raw names.
    pub(crate) naming: Option<Naming>,
    /// `direct` lists tools themselves; `meta` lists the meta tools, through which all others are found
    /// and called; `auto` is `meta` where a list would be too long for a model (see `meta`), except for
    /// clients that search their tools themselves.
    pub(crate) exposure: Option<Exposure>,
    /// Tools that are listed whatever `exposure` says (`server:glob`).
    pub(crate) always_visible: Option<Vec<String>>,
    /// When `auto` means `meta`, and how much the meta tools give at once.
    pub(crate) meta: Option<RawMeta>,
    /// Host names besides loopback that a request may name.
    pub(crate) allowed_hosts: Option<Vec<String>>,
    /// Pages that may call from a browser, by their origin; browsers are told so (CORS).
    pub(crate) allowed_origins: Option<Vec<String>>,
    /// What differs for one named client.
    pub(crate) clients: Option<IndexMap<String, RawClient>>,
}

/// Files in PEM: absolute paths, or below the home with `~/`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Tls")]
pub(crate) struct RawTls {
    /// The certificate of the gate, followed by those that lead to its authority.
    pub(crate) cert: Option<String>,
    /// Its key.
    pub(crate) key: Option<String>,
    /// Authorities: a client has to show a certificate of one of them, besides its token.
    pub(crate) client_ca: Option<String>,
}

/// When `auto` means `meta`, and how much the meta tools give at once. `0` means no limit.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Meta")]
pub(crate) struct RawMeta {
    /// `auto` is `meta` for lists of more tools than this.
    pub(crate) above_tools: Option<u64>,
    /// `auto` is `meta` for lists that cost more tokens than this: a quarter of the bytes of their
    /// names, descriptions and schemas.
    pub(crate) above_tokens: Option<u64>,
    /// The most tools in one answer of `mcp.listTools`.
    pub(crate) listed_tools: Option<u64>,
    /// The most characters of a tool's description.
    pub(crate) description_chars: Option<u64>,
    /// The most characters of a tool's schema.
    pub(crate) schema_chars: Option<u64>,
    /// The most characters of the result of `mcp.callTool`, as JSON. Two fifths of it are the most text of
    /// a result that comes whole; the rest is kept, and read by its reference.
    pub(crate) result_chars: Option<u64>,
    /// How long a call by `mcp.callTool` may take, where the tool's own limit is not shorter. Called by
    /// its name, a tool has its own time, listed or not.
    pub(crate) call_timeout_ms: Option<u64>,
}

/// Who issues callers' tokens, and what must stand in them. A token is a JWT of the type `at+jwt`, or one
/// about which the issuer is asked (RFC 7662).
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "TokenIssuer")]
pub(crate) struct RawTokenIssuer {
    /// The issuer's URL, exactly as its tokens name it (`iss`).
    pub(crate) issuer: Option<String>,
    /// The audience that a token must name, where it is not `gateway.public_url`.
    pub(crate) audience: Option<String>,
    /// Where its keys are, instead of where its metadata says.
    pub(crate) jwks_uri: Option<String>,
    /// Where it is asked about tokens that are no JWT, instead of where its metadata says.
    pub(crate) introspection_endpoint: Option<String>,
    /// As which client it is asked; without one no such token is taken.
    pub(crate) client_id: Option<String>,
    /// The secret of that client.
    pub(crate) client_secret: Option<String>,
    /// Scopes that a token must have, all of them.
    pub(crate) required_scopes: Option<Vec<String>>,
    /// How a token may be signed: `RS256`, `PS256`, `ES256` and `EdDSA` where nothing is said; `RS384`,
    /// `RS512`, `PS384`, `PS512` and `ES384` can be named too.
    pub(crate) algorithms: Option<Vec<SignatureAlgorithm>>,
    /// The claim that says what a caller may act as, such as `groups`, `scope`, `sub` or
    /// `realm_access.roles`.
    pub(crate) role_claim: Option<String>,
    /// The role for each value of that claim, the most important first; `*` is every role, and also none.
    /// Without this table the values are the names of roles. A caller that has none sees nothing.
    pub(crate) roles: Option<IndexMap<String, String>>,
}

/// What differs for one named client.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Client")]
pub(crate) struct RawClient {
    /// Overrides `gateway.naming`.
    pub(crate) naming: Option<Naming>,
    /// Overrides `gateway.exposure`.
    pub(crate) exposure: Option<Exposure>,
    /// Overrides `limits.result_bytes`.
    pub(crate) result_bytes: Option<u64>,
    /// The only role that this client may have, and the one that it has where it names none. A client
    /// is known by its token or by `stdio --client`, never by what it says of itself.
    pub(crate) role: Option<String>,
    /// Those of `approval.channels` that this client's calls are asked about over.
    pub(crate) approval_channels: Option<Vec<Channel>>,
    /// Offer resources and prompts as tools too (`mcp_resources_list`, `mcp_resource_templates_list`,
    /// `mcp_resource_read`, `mcp_prompts_list`, `mcp_prompt_get`), for a client that knows tools alone.
    /// Left out: on for `windsurf`, off for all others.
    pub(crate) resource_tools: Option<bool>,
}

/// How a person is asked.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Approval")]
pub(crate) struct RawApproval {
    /// How long a question stays open, in milliseconds.
    pub(crate) timeout_ms: Option<f64>,
    /// Where a person is asked; all at once. The first answer counts, and a no until the call runs.
    pub(crate) channels: Option<Vec<Channel>>,
    /// An answer that comes sooner after its question was written, in milliseconds, is a machine's:
    /// it approves and declines nothing. 0 takes every answer for a person's.
    pub(crate) fastest_answer_ms: Option<u64>,
    /// How long a call waits where no person can be reached, in milliseconds: its client answered by
    /// itself or cannot ask, no desktop, nobody who watches what waits or used a command lately.
    pub(crate) unattended_ms: Option<f64>,
}

/// What holds for every confined process.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Sandbox")]
pub(crate) struct RawSandbox {
    /// What is the outer wall: `auto` is our own, or that of `bwrap` where the system lets only that have
    /// namespaces.
    pub(crate) outer: Option<OuterWall>,
    /// Folders every confined process may read.
    pub(crate) readable: Option<Vec<String>>,
    /// Folders every confined process may write.
    pub(crate) writable: Option<Vec<String>>,
}

/// A program that gives tokens for servers. It is run without a shell, and prints
/// `{"access_token": "…", "expires_in": 3600}`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AuthProvider")]
pub(crate) struct RawAuthProvider {
    /// The program and its arguments.
    pub(crate) command: Option<Vec<String>>,
    /// The servers that may have its tokens, such as `https://mcp.example.com`. An entry with a URL
    /// anywhere else gets nothing.
    pub(crate) origins: Option<Vec<String>>,
}

/// What is remembered.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Audit")]
pub(crate) struct RawAudit {
    /// When a call's opening record is safe; `auto` is `before_call` for tools that may change
    /// something.
    pub(crate) durability: Option<Durability>,
    /// When records are on the disk itself, so that a power cut costs none: `none` leaves that to the
    /// system, `interval` is within a second, `always` is before a call goes on.
    pub(crate) fsync: Option<AuditSync>,
    /// Keep full arguments, not only their keyed hash.
    pub(crate) arguments: Option<bool>,
    /// Forget records older than this many days.
    pub(crate) retention_days: Option<u32>,
    /// Forget the oldest records beyond this size.
    pub(crate) retention_bytes: Option<u64>,
    /// Keep finished calls in a plain file as well, one JSON document a line: an absolute path, or one
    /// below the home (`~/…`).
    pub(crate) jsonl: Option<String>,
}

/// Sizes and counts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Limits")]
pub(crate) struct RawLimits {
    /// The largest message taken from a peer. A larger result of a tool or a resource is put aside as it
    /// comes, so that nobody has to hold it.
    pub(crate) message_bytes: Option<u64>,
    /// The largest result text passed on whole, from the disk where it is larger than a message may be;
    /// more becomes a preview and a reference.
    pub(crate) result_bytes: Option<u64>,
    /// The largest result that is put aside when it is larger than a message may be. Where it is not passed
    /// on whole, the caller gets the beginnings of its texts and a reference.
    pub(crate) result_spill_bytes: Option<u64>,
    /// The largest input schema passed on.
    pub(crate) schema_bytes: Option<u64>,
    /// How much all kept result parts may take, and as much again those that are being passed on from the
    /// disk.
    pub(crate) artifact_bytes: Option<u64>,
    /// How many days they are kept.
    pub(crate) artifact_days: Option<u32>,
    /// How many sessions may be open.
    pub(crate) sessions: Option<u32>,
    /// How many connections may be open; a quarter of them is for those that have not shown a token.
    pub(crate) connections: Option<u32>,
    /// How many servers may run at once.
    pub(crate) pool_servers: Option<u32>,
    /// How much memory all running servers may take.
    pub(crate) pool_memory_bytes: Option<u64>,
    /// How long a list is kept where its server does not say, in milliseconds; of a local server half
    /// as long. Callers are never told more.
    pub(crate) tools_ttl_ms: Option<f64>,
    /// How long a client's list waits for servers that are still starting, in milliseconds; what comes
    /// later is told by `list_changed`.
    pub(crate) list_wait_ms: Option<f64>,
    /// How long the daemon that `toolgate stdio` started stays when nobody uses it, in milliseconds.
    pub(crate) daemon_idle_ms: Option<f64>,
}
