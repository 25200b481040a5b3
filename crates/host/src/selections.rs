//! What each address selects, kept as long as nothing changed that it goes by: the lists of servers change
//! far more often, and come to many audiences.

use std::sync::Arc;

use toolgate_guard::{AudienceRules, ServerPlaces};
use toolgate_types::{Digest, ServerId};
use toolgate_upstream::Upstream;

use crate::AudienceAddress;
use crate::names::ConfiguredIds;
use crate::rulebook::{ResolveError, Rulebook, SelectedServers};

/// How many addresses are kept.
const KEPT: usize = 64;

/// What an address selects.
#[derive(Debug)]
pub(crate) struct AudienceServers {
    pub(crate) rules: Arc<AudienceRules>,
    /// Changes whenever what decides does.
    pub(crate) revision: Digest,
    /// The servers that are reached through the meta tools.
    pub(crate) meta: Vec<ServerId>,
    /// Those that are too where tools are not listed themselves.
    pub(crate) foldable: Vec<ServerId>,
}

/// What was selected, and what it goes by.
#[derive(Debug, Default)]
pub(crate) struct Selections {
    rulebook: Option<Arc<Rulebook>>,
    /// With the tools of each that a person accepted by name.
    upstreams: Vec<(Arc<Upstream>, Arc<[String]>)>,
    revision: Option<Digest>,
    ids: Option<Arc<ConfiguredIds>>,
    /// Of the state before: where nobody came and nobody left, names that were made by them stay.
    ids_before: Option<Arc<ConfiguredIds>>,
    /// Of the servers that were last selected among, in whatever state.
    places: Option<Arc<ServerPlaces>>,
    selected: Vec<(AudienceAddress, SelectedOrNot)>,
}

type SelectedOrNot = Result<Arc<AudienceServers>, ResolveError>;

impl Selections {
    /// With the servers that a name may be read as.
    pub(crate) fn select(
        &mut self,
        address: &AudienceAddress,
        rulebook: &Arc<Rulebook>,
        upstreams: &[Arc<Upstream>],
    ) -> (SelectedOrNot, Arc<ConfiguredIds>) {
        let ids = self.ids(rulebook, upstreams);
        (self.selected(address, rulebook, upstreams), ids)
    }

    fn selected(
        &mut self,
        address: &AudienceAddress,
        rulebook: &Rulebook,
        upstreams: &[Arc<Upstream>],
    ) -> SelectedOrNot {
        if let Some((_, known)) = self.selected.iter().find(|(of, _)| of == address) {
            return known.clone();
        }
        let revision = *self.revision.get_or_insert_with(|| rulebook.revision(upstreams));
        let places = self.places.as_ref();
        let selected = rulebook.select_at(address, upstreams, (revision, places)).map(|selected| {
            let SelectedServers { rules, revision, meta, foldable, .. } = selected;
            Arc::new(AudienceServers { rules: Arc::new(rules), revision, meta, foldable })
        });
        if let Ok(selected) = &selected {
            self.places = Some(Arc::clone(selected.rules.visibility().places()));
        }
        if self.selected.len() >= KEPT {
            drop(self.selected.remove(0));
        }
        self.selected.push((address.clone(), selected.clone()));
        selected
    }

    /// The servers that a name may be read as.
    pub(crate) fn ids(
        &mut self,
        rulebook: &Arc<Rulebook>,
        upstreams: &[Arc<Upstream>],
    ) -> Arc<ConfiguredIds> {
        self.forget_unless(rulebook, upstreams);
        let before = self.ids_before.take();
        let all = || {
            let ids = || {
                let own = upstreams.iter().map(|upstream| upstream.id());
                own.chain(rulebook.other_ids())
            };
            let known = before.filter(|before| before.are_those(ids()));
            known.unwrap_or_else(|| Arc::new(ConfiguredIds::new(ids())))
        };
        Arc::clone(self.ids.get_or_insert_with(all))
    }

    fn forget_unless(&mut self, rulebook: &Arc<Rulebook>, upstreams: &[Arc<Upstream>]) {
        let is_same_book = self.rulebook.as_ref().is_some_and(|mine| Arc::ptr_eq(mine, rulebook));
        let mut pairs = self.upstreams.iter().zip(upstreams);
        let are_same = self.upstreams.len() == upstreams.len()
            && pairs.all(|((mine, names), upstream)| {
                Arc::ptr_eq(mine, upstream) && *names == upstream.accepted_by_name()
            });
        if is_same_book && are_same {
            return;
        }
        let known = |upstream: &Arc<Upstream>| (Arc::clone(upstream), upstream.accepted_by_name());
        let upstreams = upstreams.iter().map(known).collect();
        let ids_before = self.ids.take().or_else(|| self.ids_before.take());
        let (rulebook, places) = (Some(Arc::clone(rulebook)), self.places.take());
        *self = Self { rulebook, upstreams, ids_before, places, ..Self::default() };
    }
}
