//! What of the network a confined process reaches, as it may be written.

use schemars::JsonSchema;
use serde::Deserialize;

/// All of the network (`true`), nothing of it (`false`), or these hosts alone: `name`, `name:port`,
/// `*.name` or an address; without a port it is 443.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected true, false, or a list of hosts")]
#[schemars(rename = "Network")]
pub(crate) enum RawNetwork {
    Whole(bool),
    Named(Vec<String>),
}
