//! A server as it may be written, in the native shape and in the two JSON shapes.

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use toolgate_types::Trust;
use toolgate_types::config::{
    ApprovalMode, InheritEnv, Isolation, OauthGrant, SandboxProfile, Startup, Stderr,
};

use super::{RawJson, RawNetwork, RawResources, TextMap};

/// An upstream server.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Server")]
pub(crate) struct RawServer {
    /// `http`, `sse`, `stdio` or `builtin`; also an object `{ "type": … }` that holds the
    /// transport's own keys. Left out, a `url` means http (falling back to sse) and a `command`
    /// means stdio.
    #[schemars(with = "Option<TransportForms>")]
    pub(crate) transport: Option<String>,
    /// Where a remote server is: an `http` or `https` URL.
    pub(crate) url: Option<String>,
    /// Headers sent with every request.
    pub(crate) headers: Option<TextMap>,
    /// Headers whose value is taken from the named environment variable.
    pub(crate) env_headers: Option<TextMap>,
    /// The environment variable that holds the bearer token.
    pub(crate) bearer_token_env: Option<String>,
    /// The id of a provider that gives the token: one of `[auth_providers]`, or of the program that embeds
    /// Toolgate. A local process goes without.
    #[serde(alias = "auth_provider_id")]
    pub(crate) auth_provider: Option<String>,
    /// OAuth facts that are given instead of discovered.
    pub(crate) oauth: Option<RawOauth>,
    /// A PEM file of certificate authorities to believe besides the system's.
    pub(crate) ca_file: Option<String>,
    /// The program of a stdio server, which is for your own machine; looked up like a shell would,
    /// run without one.
    pub(crate) command: Option<String>,
    /// The program's arguments.
    pub(crate) args: Option<Vec<String>>,
    /// The folder the program runs in; the workspace when left out.
    pub(crate) cwd: Option<String>,
    /// Environment variables of the program.
    pub(crate) env: Option<TextMap>,
    /// Environment variables passed on by name.
    pub(crate) env_vars: Option<Vec<String>>,
    /// What else of our own environment the program gets.
    pub(crate) inherit_env: Option<InheritEnv>,
    /// What happens to the program's standard error.
    pub(crate) stderr: Option<Stderr>,
    /// The wall around the program. Left out: `none` in a person's own file, `default` in a
    /// project's.
    pub(crate) sandbox_profile: Option<SandboxProfile>,
    /// What of the network a confined program reaches: all of it (`true`), nothing, or a list of hosts as
    /// in `["api.github.com:443", "*.example.com"]`.
    pub(crate) allow_network: Option<RawNetwork>,
    /// Folders a confined program may read besides the workspace; for the server `docs`, folders whose
    /// pages it has besides the workspace's.
    pub(crate) readable: Option<Vec<String>>,
    /// Folders a confined program may write besides the workspace.
    pub(crate) writable: Option<Vec<String>>,
    /// How much a confined program may use.
    pub(crate) resources: Option<RawResources>,
    /// Whether the server is believed. A project's file cannot say this for itself.
    pub(crate) trust: Option<Trust>,
    /// A disabled server is listed and never started.
    pub(crate) enabled: Option<bool>,
    /// A name for people.
    pub(crate) label: Option<String>,
    /// A sentence for people.
    pub(crate) description: Option<String>,
    /// When the server is started.
    pub(crate) startup: Option<Startup>,
    /// Start it eagerly and fail the start when it fails.
    pub(crate) required: Option<bool>,
    /// How long a start may take, in milliseconds.
    pub(crate) startup_timeout_ms: Option<f64>,
    /// How long one protocol request may take, in milliseconds.
    pub(crate) request_timeout_ms: Option<f64>,
    /// How long one tool call may take, in milliseconds; time held for approval does not count.
    pub(crate) tool_timeout_ms: Option<f64>,
    /// Stop the server after this long without use, in milliseconds.
    pub(crate) idle_timeout_ms: Option<f64>,
    /// Who shares one running instance.
    pub(crate) isolation: Option<Isolation>,
    /// Only these tools exist (globs over raw names, case counts). Never empty.
    #[serde(alias = "allow_tools")]
    pub(crate) enabled_tools: Option<Vec<String>>,
    /// These tools do not exist (case counts). Deny wins.
    #[serde(alias = "deny_tools")]
    pub(crate) disabled_tools: Option<Vec<String>>,
    /// Only these resources exist: globs over URIs, in every spelling of one. Case counts. Never
    /// empty.
    pub(crate) allow_resources: Option<Vec<String>>,
    /// These resources do not exist, in any spelling of their URI; case does not count.
    pub(crate) deny_resources: Option<Vec<String>>,
    /// Only these prompts exist (case counts). Never empty.
    pub(crate) allow_prompts: Option<Vec<String>>,
    /// These prompts do not exist (case counts).
    pub(crate) deny_prompts: Option<Vec<String>>,
    /// Who decides whether a call needs a person. Left out: always asked.
    pub(crate) approval: Option<ApprovalMode>,
    /// Settings of single tools, by raw name.
    pub(crate) tools: Option<IndexMap<String, RawToolSettings>>,
    /// Mask known secrets in what the server returns, too.
    pub(crate) mask_results: Option<bool>,
    /// List its tools without `outputSchema`. Results that are too long then come with a reference
    /// in place of their structured content, instead of being cut within that schema.
    pub(crate) omit_output_schemas: Option<bool>,
    /// Refuse a result that is not what the tool's `outputSchema` promises. Left out, the record of the
    /// call has a warning.
    pub(crate) strict_output: Option<bool>,
    /// Whether it may ask the caller's model for answers.
    pub(crate) sampling: Option<bool>,
}

/// A word, or the object in which older files put the transport's own keys.
struct TransportForms;

impl JsonSchema for TransportForms {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Transport".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                { "type": "string", "enum": ["http", "sse", "stdio", "builtin"] },
                { "type": "object", "required": ["type"] },
            ],
        })
    }
}

/// OAuth endpoints and client of a server.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Oauth")]
pub(crate) struct RawOauth {
    /// Where a person logs in.
    pub(crate) authorization_url: Option<String>,
    /// Where codes and refresh tokens are redeemed.
    pub(crate) token_url: Option<String>,
    /// Where a client registers itself.
    pub(crate) registration_url: Option<String>,
    /// A client id that is already registered.
    pub(crate) client_id: Option<String>,
    /// Its secret. Better kept out of files: `${VAR}` or `${secret:NAME}` in TOML.
    pub(crate) client_secret: Option<String>,
    /// The private key (PKCS #8, PEM) that the client proves itself with in a secret's place: `${secret:NAME}`,
    /// or the path of a file for you alone. Not in a project's file.
    pub(crate) client_key: Option<String>,
    /// The scopes to ask for.
    pub(crate) scope: Option<String>,
    /// The resource indicator, when it is not the server's URL.
    pub(crate) resource: Option<String>,
    /// The port of the loopback listener for the redirect.
    pub(crate) callback_port: Option<u16>,
    /// How tokens are come by: a person logs in (`authorization_code`), the client itself is known
    /// there (`client_credentials`), or each caller's own token is exchanged at `token_url`
    /// (`token_exchange`, in your own file only).
    pub(crate) grant: Option<OauthGrant>,
    /// The URL of a document about our client, for servers that take one in a registration's place.
    pub(crate) client_metadata_url: Option<String>,
    /// Which account is meant in which folders: `{ "~/work/**" = "work" }`. Not in a project's file.
    pub(crate) account_for: Option<TextMap>,
}

/// Settings of one tool of a server.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ToolSettings")]
pub(crate) struct RawToolSettings {
    /// Overrides the server's `approval`.
    #[serde(alias = "approval_mode")]
    pub(crate) approval: Option<ApprovalMode>,
    /// Overrides the server's `tool_timeout_ms`.
    pub(crate) timeout_ms: Option<f64>,
    /// Overrides `limits.result_bytes`.
    pub(crate) result_bytes: Option<u64>,
    /// Overrides the server's `strict_output`.
    pub(crate) strict_output: Option<bool>,
    /// What agents are told of the tool instead of the server's own words.
    pub(crate) description: Option<String>,
    /// The name that agents see and call instead of the server's own. Policies, patterns and pins go by
    /// the server's own.
    pub(crate) rename: Option<String>,
    /// Parameters that agents are not shown and may not give. One that the tool requires needs a
    /// `default`.
    pub(crate) hide_parameters: Option<Vec<String>>,
    /// Values for parameters that an agent leaves out. What is approved and recorded is the call with
    /// them, so no variable and no secret can stand here.
    pub(crate) default: Option<IndexMap<String, RawJson>>,
}
