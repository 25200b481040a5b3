//! How much a confined process may use, as it may be written.

use schemars::JsonSchema;
use serde::Deserialize;

/// How much a confined program and everything it starts may use together.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Resources")]
pub(crate) struct RawResources {
    /// Processes at once.
    pub(crate) processes: Option<u32>,
    /// Memory that is its own; what is shared with a file does not count.
    pub(crate) memory_bytes: Option<u64>,
    /// The largest file that it may write.
    pub(crate) file_bytes: Option<u64>,
    /// How much fits into its private `/tmp`, and into an empty home.
    pub(crate) scratch_bytes: Option<u64>,
    /// CPU time of one process, in seconds; 0 is as long as it takes.
    pub(crate) cpu_seconds: Option<u64>,
}
