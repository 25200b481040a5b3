//! Bundles, roles and workflows: addresses that resolve to slices of servers.
//!
//! A role or step that names nothing resolves to nothing; resolving is the host's work.

use indexmap::IndexMap;

use super::NameFilter;
use crate::{BundleId, RoleId, ServerId, StepId};

words! {
    /// How a bundle reaches the model.
    BundleMode {
        /// As the exposure of the list says that it is in.
        Auto = "auto",
        Direct = "direct",
        Meta = "meta",
    }
}

/// A named slice of one server's tools.
#[derive(Debug, Clone)]
pub struct Bundle {
    pub server: ServerId,
    pub mode: BundleMode,
    pub description: Option<String>,
    pub tools: NameFilter,
}

/// What a caller acts as.
#[derive(Debug, Clone)]
pub struct Role {
    pub description: Option<String>,
    pub bundles: Vec<BundleId>,
    pub tools: NameFilter,
}

/// Role → step → bundles.
#[derive(Debug, Clone)]
pub struct Workflow {
    pub roles: IndexMap<RoleId, IndexMap<StepId, Vec<BundleId>>>,
}
