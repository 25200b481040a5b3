//! Compiled lists: all denies in one set, each allow list by itself.

use std::sync::Arc;

use toolgate_types::Pattern;

use super::Why;
use crate::case::{Kind, Owner};
use crate::list::{List, Rule};
use crate::pattern::{PatternSet, Reading};

/// One of each for tools, resources and prompts.
#[derive(Debug, Default)]
pub(super) struct PerKind<T> {
    pub(super) tools: T,
    pub(super) resources: T,
    pub(super) prompts: T,
}

impl<T> PerKind<T> {
    pub(super) fn of(&self, kind: Kind) -> &T {
        match kind {
            Kind::Tool => &self.tools,
            Kind::Resource => &self.resources,
            Kind::Prompt => &self.prompts,
        }
    }
}

/// An allow list. An empty one, as it comes from computing, lets nothing through.
#[derive(Debug)]
pub(super) struct Allow {
    list: Arc<List>,
    names: PatternSet,
}

impl Allow {
    pub(super) fn new(list: List, patterns: &[Pattern], reading: Reading<'_>) -> Self {
        let names = PatternSet::new(list.clone().rules(patterns), reading);
        Self { list: Arc::new(list), names }
    }

    pub(super) fn contains(&self, owner: Owner<'_>, name: &str) -> bool {
        self.names.find(owner, name).is_some()
    }

    pub(super) fn list(&self) -> Arc<List> {
        Arc::clone(&self.list)
    }
}

/// Lists that hold together.
#[derive(Debug, Default)]
pub(super) struct Lists {
    allows: Vec<Allow>,
    denies: PatternSet,
}

impl Lists {
    pub(super) fn new(allows: Vec<Allow>, denies: Vec<Rule>) -> Self {
        // Either meaning of a pattern denies: a deny that was meant is never missed.
        Self { allows, denies: PatternSet::new(denies, Reading::Either) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.allows.is_empty() && self.denies.is_empty()
    }

    pub(super) fn has_allow(&self) -> bool {
        !self.allows.is_empty()
    }

    /// In no deny list, and in each allow list.
    pub(super) fn check(&self, owner: Owner<'_>, name: &str) -> Result<(), Why> {
        if let Some(rule) = self.denies.find(owner, name) {
            return Err(Why::Denied(rule.clone()));
        }
        match self.allows.iter().find(|allow| !allow.contains(owner, name)) {
            Some(allow) => Err(Why::NotAllowed(allow.list())),
            None => Ok(()),
        }
    }
}
