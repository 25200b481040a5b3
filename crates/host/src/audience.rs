//! Who a list is for: everything that it depends on besides the servers themselves.

use toolgate_types::config::Naming;

/// What differs between callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Audience {
    /// The form of the names that are listed; every form can be called.
    pub naming: Naming,
    /// Whether reading resources is offered as tools, for models whose program knows no resources.
    pub resource_tools: bool,
}

impl Audience {
    /// A model behind an embedding program.
    pub const MODEL: Self = Self { naming: Naming::Hashed, resource_tools: true };
}

impl Default for Audience {
    fn default() -> Self {
        Self::MODEL
    }
}
