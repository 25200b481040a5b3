//! Compiled lists: all denies in one set, each allow list by itself.

use std::sync::Arc;

use toolgate_types::{Pattern, allowed_spellings, denied_spellings};

use super::HiddenReason;
use crate::case::{MatterKind, MatterOwner};
use crate::list::{ListRule, NameList};
use crate::pattern::{PatternSet, PatternSpelling, PrefixReading};

/// One of each for tools, resources and prompts.
#[derive(Debug, Default)]
pub(super) struct PerKind<T> {
    pub(super) tools: T,
    pub(super) resources: T,
    pub(super) prompts: T,
}

impl<T> PerKind<T> {
    pub(super) fn of(&self, kind: MatterKind) -> &T {
        match kind {
            MatterKind::Tool => &self.tools,
            MatterKind::Resource => &self.resources,
            MatterKind::Prompt => &self.prompts,
        }
    }
}

/// An allow list. An empty one, as it comes from computing, lets nothing through.
#[derive(Debug)]
pub(super) struct AllowList {
    list: Arc<NameList>,
    names: PatternSet,
    /// Of URIs: the same in the spellings that the list itself could be written in.
    spelled: Option<PatternSet>,
}

impl AllowList {
    pub(super) fn new(
        kind: MatterKind,
        list: NameList,
        patterns: &[Pattern],
        reading: PrefixReading<'_>,
    ) -> Self {
        let set = |spelled| PatternSet::new(list.clone().rules(patterns), reading, spelled);
        let names = set(PatternSpelling::AsWritten);
        let spelled = (kind == MatterKind::Resource).then(|| set(PatternSpelling::ToAllow));
        Self { names, spelled, list: Arc::new(list) }
    }

    /// As it is written, and for a URI in every spelling that a server could make of it.
    pub(super) fn contains(&self, owner: MatterOwner<'_>, name: &str) -> bool {
        let in_every_spelling = |set: &PatternSet| {
            allowed_spellings(name).iter().all(|name| set.find(owner, name).is_some())
        };
        self.names.find(owner, name).is_some()
            && self.spelled.as_ref().is_none_or(in_every_spelling)
    }

    pub(super) fn list(&self) -> Arc<NameList> {
        Arc::clone(&self.list)
    }
}

/// Lists that hold together.
#[derive(Debug, Default)]
pub(super) struct JoinedLists {
    allows: Vec<AllowList>,
    denies: PatternSet,
    are_of_uris: bool,
}

impl JoinedLists {
    pub(super) fn new(kind: MatterKind, allows: Vec<AllowList>, denies: Vec<ListRule>) -> Self {
        let are_of_uris = kind == MatterKind::Resource;
        let spelled =
            if are_of_uris { PatternSpelling::ToDeny } else { PatternSpelling::AsWritten };
        // Either meaning of a pattern denies: a deny that was meant is never missed.
        let denies = PatternSet::new(denies, PrefixReading::Either, spelled);
        Self { allows, denies, are_of_uris }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.allows.is_empty() && self.denies.is_empty()
    }

    pub(super) fn has_allow(&self) -> bool {
        !self.allows.is_empty()
    }

    /// In no deny list, and in each allow list.
    pub(super) fn check(&self, owner: MatterOwner<'_>, name: &str) -> Result<(), HiddenReason> {
        if let Some(rule) = self.denied(owner, name) {
            return Err(HiddenReason::Denied(rule.clone()));
        }
        match self.allows.iter().find(|allow| !allow.contains(owner, name)) {
            Some(allow) => Err(HiddenReason::NotAllowed(allow.list())),
            None => Ok(()),
        }
    }

    fn denied(&self, owner: MatterOwner<'_>, name: &str) -> Option<&ListRule> {
        match (self.denies.is_empty(), self.are_of_uris) {
            (true, _) => None,
            (false, false) => self.denies.find(owner, name),
            (false, true) => {
                denied_spellings(name).iter().find_map(|name| self.denies.find(owner, name))
            }
        }
    }
}
