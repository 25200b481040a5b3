//! What a configuration may say, key by key, before it is known to mean anything.
//!
//! Every key is optional here and unknown keys are refused; the JSON Schema and the reference page
//! are generated from these structs. Meaning is given in [`crate::meaning`].

mod codex;
mod network;
mod resources;
mod sections;
mod server;
mod tool;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

pub(crate) use codex::RawCodexServer;
pub(crate) use network::RawNetwork;
pub(crate) use resources::RawResources;
pub(crate) use sections::{
    RawApproval, RawAudit, RawAuthProvider, RawBundle, RawCallRule, RawClient, RawGateway,
    RawLimits, RawMeta, RawPolicy, RawRole, RawSandbox, RawTls, RawTokenIssuer, RawWorkflow,
};
pub(crate) use server::{RawOauth, RawServer, RawToolSettings};
pub(crate) use tool::RawTool;

use crate::tree::RAW_JSON;

pub(crate) type TextMap = IndexMap<String, String>;

/// The whole file in its native shape. Only for the schema: each section is read by itself, so
/// that one mistake does not hide the next.
#[derive(Debug, JsonSchema)]
#[schemars(
    title = "Toolgate configuration",
    description = "Every key may also be written in camelCase. Other shapes that are read, and which \
                   file counts, are described in ARCHITECTURE.md.",
    deny_unknown_fields
)]
#[expect(dead_code, reason = "the fields exist for the schema that is generated from them")]
pub(crate) struct RawConfig {
    /// The schema that editors check the file against. Toolgate ignores it.
    #[serde(rename = "$schema")]
    schema: Option<String>,
    /// The version of this schema: 1.
    version: Option<u32>,
    /// Expand `${VAR}` and `${secret:NAME}` in a JSON file too. TOML always expands.
    expand_env: Option<bool>,
    /// A set of stricter rules: `production-http` refuses stdio servers, `auth = "none"`,
    /// missing tokens, and a listener without `tls` or `tls_proxies`. Not in a project's file.
    profile: Option<toolgate_types::config::Profile>,
    /// What agents connect to. Not in a project's file.
    gateway: Option<RawGateway>,
    /// Upstream servers by id.
    servers: Option<IndexMap<String, RawServer>>,
    /// Command tools by name (`[mcp.<name>]` in a `config.toml` of the older kind).
    tools: Option<IndexMap<String, RawTool>>,
    /// Named slices of one server's tools.
    bundles: Option<IndexMap<String, RawBundle>>,
    /// What callers act as.
    roles: Option<IndexMap<String, RawRole>>,
    /// Workflow → role → step → bundles.
    workflows: Option<IndexMap<String, RawWorkflow>>,
    /// Allow and deny lists over everything. Those of all layers apply together.
    policy: Option<RawPolicy>,
    /// How a person is asked. Not in a project's file.
    approval: Option<RawApproval>,
    /// What holds for every confined process. Not in a project's file.
    sandbox: Option<RawSandbox>,
    /// What is remembered. Not in a project's file.
    audit: Option<RawAudit>,
    /// Sizes and counts. Not in a project's file.
    limits: Option<RawLimits>,
    /// Programs of yours that give tokens for servers, by the id that entries name as `auth_provider`. Not
    /// in a project's file.
    auth_providers: Option<IndexMap<String, RawAuthProvider>>,
    /// Where the tokens of logins are kept: the system's `keyring`, a `file` for you alone, or `auto`, the
    /// keyring where one answers. Not in a project's file.
    credentials: Option<toolgate_types::config::CredentialStorage>,
}

/// JSON text taken as it is written.
#[derive(Debug, Clone)]
pub(crate) struct RawJson(pub(crate) String);

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl serde::de::Visitor<'_> for Text {
            type Value = RawJson;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a value")
            }

            fn visit_str<E>(self, text: &str) -> Result<RawJson, E> {
                Ok(RawJson(text.to_owned()))
            }
        }
        deserializer.deserialize_newtype_struct(RAW_JSON, Text)
    }
}

impl JsonSchema for RawJson {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "JsonSchema".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "description": "A JSON Schema, passed on as written." })
    }
}
