//! What an audience sees: a list of tools that stays as it is, and the way back from every name.
//!
//! Building one asks no server anything; it takes what is known.

use std::sync::{Arc, PoisonError};

use tokio::task::JoinSet;
use toolgate_guard::admits;
use toolgate_types::{Definition, ListKind, ServerId, visible};
use toolgate_upstream::Upstream;

use crate::bundles::Slices;
use crate::entry::{Source, ToolEntry};
use crate::names::{Named, Names};
use crate::own::{MetaScope, OwnTool};
use crate::{Audience, Host};

/// The tools of one audience at one time.
#[derive(Debug)]
pub struct View {
    /// By the place that their names know them by.
    entries: Vec<Arc<ToolEntry>>,
    own: Vec<Arc<ToolEntry>>,
    /// What is listed, by name.
    listed: Vec<Arc<ToolEntry>>,
    names: Names,
    set_aside: Vec<String>,
}

/// Which part of what the servers have is meant.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    /// Only these slices, each tool in at least one of them; everything where there is no such list.
    pub(crate) direct: Option<Slices>,
    /// What is reached through the meta tools.
    pub(crate) meta: Option<MetaScope>,
}

impl Scope {
    fn admits(&self, server: &ServerId, tool: &Definition) -> bool {
        let Some(slices) = &self.direct else { return true };
        let mut mine = slices.iter().filter(|(id, _)| id == server);
        mine.any(|(_, filter)| admits(filter, server, &tool.key))
    }
}

/// The last view of each audience, with the state of the catalogs it was made from.
#[derive(Debug, Default)]
pub(crate) struct Views(Vec<(Audience, u64, Arc<View>)>);

impl View {
    /// The listed tools, sorted by name.
    pub fn tools(&self) -> impl ExactSizeIterator<Item = &Arc<ToolEntry>> {
        self.listed.iter()
    }

    /// The tool with this name, in any of its forms.
    pub fn resolve(&self, name: &str) -> Option<&Arc<ToolEntry>> {
        match self.names.resolve(name) {
            Some(place) => self.entries.get(place),
            None => self.own.iter().find(|tool| tool.is_called(name)),
        }
    }

    /// What is not listed, and why.
    pub fn set_aside(&self) -> &[String] {
        &self.set_aside
    }

    /// Why a tool's name could not be listed, if one could not.
    pub(crate) fn set_aside_by_name(&self) -> Option<&str> {
        self.names.set_aside().first().map(|(_, why)| why.as_str())
    }

    fn build(
        audience: Audience,
        scope: &Scope,
        upstreams: &[Arc<Upstream>],
        schema_bytes: usize,
    ) -> Self {
        let mut found: Vec<(&Arc<Upstream>, Arc<Definition>)> = Vec::new();
        let mut set_aside = Vec::new();
        for upstream in upstreams {
            let Some(listing) = upstream.known(ListKind::Tools) else { continue };
            let (id, filter) = (upstream.id(), &upstream.entry().value.tools);
            let is_visible =
                |tool: &&Arc<Definition>| admits(filter, id, &tool.key) && scope.admits(id, tool);
            let visible_ones = listing.items.iter().filter(is_visible);
            found.extend(visible_ones.map(|tool| (upstream, Arc::clone(tool))));
            set_aside.extend(listing.set_aside.iter().map(|why| format!("{id}: {why}")));
            set_aside.extend(listing.cut.map(|why| format!("{id}: {why}")));
        }
        let named = |(upstream, tool): &'_ (&'_ Arc<Upstream>, Arc<Definition>)| {
            (upstream.id().clone(), tool.key.clone())
        };
        let keys: Vec<_> = found.iter().map(named).collect();
        let keys: Vec<_> = keys.iter().map(|(server, tool)| Named { server, tool }).collect();
        let names = Names::build(audience.naming, &keys, &OwnTool::NAMES);
        for (place, why) in names.set_aside() {
            let Named { server, tool } = keys[*place];
            set_aside.push(format!("{server}: {}: {why}", visible(tool)));
        }
        let entry = |name: &str, source| {
            Arc::new(ToolEntry::new(name.to_owned(), audience.naming, schema_bytes, source))
        };
        let own = OwnTool::resources().into_iter().filter(|_| audience.resource_tools);
        let own = own.chain(scope.meta.iter().flat_map(OwnTool::meta));
        let own: Vec<_> =
            own.map(|tool| entry(tool.name(audience.naming), Source::Own(tool))).collect();
        let entries: Vec<_> = found
            .into_iter()
            .enumerate()
            .map(|(place, (upstream, definition))| {
                // One that is not listed is still called by its other names.
                let name = names.listed(place).unwrap_or(&definition.key).to_owned();
                let upstream = Arc::clone(upstream);
                entry(&name, Source::Server { upstream, definition })
            })
            .collect();
        let is_listed = |(place, entry): (usize, &Arc<ToolEntry>)| {
            names.listed(place).map(|_| Arc::clone(entry))
        };
        let mut listed: Vec<_> = entries.iter().enumerate().filter_map(is_listed).collect();
        listed.extend(own.iter().cloned());
        listed.sort_by(|one, other| one.name().cmp(other.name()));
        Self { entries, own, listed, names, set_aside }
    }
}

impl Host {
    /// The tools of an audience. Servers that were never asked are asked, and waited for a little;
    /// those that have been are not started for it.
    pub async fn list_tools(&self, audience: &Audience) -> Arc<View> {
        self.refresh(ListKind::Tools, |_| true).await;
        self.view(audience)
    }

    /// What an audience sees of what is known now.
    pub fn view(&self, audience: &Audience) -> Arc<View> {
        // Read before the catalogs, so that a change in between is seen the next time.
        let epoch = self.inner.world.epoch();
        let known = {
            let views = self.inner.views.lock().unwrap_or_else(PoisonError::into_inner);
            let mine = views.0.iter().find(|(of, at, _)| of == audience && *at == epoch);
            mine.map(|(.., view)| Arc::clone(view))
        };
        known.unwrap_or_else(|| {
            let view = Arc::new(self.build_view(*audience, &Scope::default()));
            let mut views = self.inner.views.lock().unwrap_or_else(PoisonError::into_inner);
            views.0.retain(|(of, ..)| of != audience);
            views.0.push((*audience, epoch, Arc::clone(&view)));
            view
        })
    }

    pub(crate) fn build_view(&self, audience: Audience, scope: &Scope) -> View {
        View::build(audience, scope, &self.inner.servers.all(), self.schema_bytes())
    }

    /// Brings a list of some servers up to date, all at once.
    pub(crate) async fn refresh(&self, kind: ListKind, wanted: impl Fn(&Upstream) -> bool) {
        let mut refreshing = JoinSet::new();
        for upstream in self.inner.servers.all() {
            if wanted(&upstream) && !upstream.is_settled(kind) {
                refreshing.spawn(async move { upstream.refresh(kind).await });
            }
        }
        while refreshing.join_next().await.is_some() {}
    }
}
