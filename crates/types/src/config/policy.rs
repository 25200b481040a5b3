//! Allow and deny lists, as they were configured. Matching them is the guard's work.

use crate::Pattern;

/// An allow list (absent means all, never empty as configured) and a deny list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    pub allow: Option<Vec<Pattern>>,
    pub deny: Vec<Pattern>,
}

impl Filter {
    /// Adds what another filter denies; a deny is never lost by replacing an entry.
    pub fn inherit_denies(&mut self, from: &Self) {
        for pattern in &from.deny {
            if !self.deny.contains(pattern) {
                self.deny.push(pattern.clone());
            }
        }
    }
}

/// The `[policy]` of one layer.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    pub tools: Filter,
    pub resources: Filter,
    pub prompts: Filter,
    /// Folders a command tool may run in, as written.
    pub allowed_cwds: Option<Vec<String>>,
    /// Folders that path arguments of a command tool must lie in, as written.
    pub allowed_arg_paths: Option<Vec<String>>,
}
