//! What clients were shown before a change, to tell them exactly when that may have changed.

use std::sync::Arc;

use toolgate_guard::MatterKind;
use toolgate_types::{Definition, ListKind, ServerId};
use toolgate_upstream::{CatalogListing, Upstream};

use crate::exposure::ExposureRules;
use crate::{Audience, Host, ToolView};

/// The lists that clients are told of; one word covers both lists of resources.
const TOLD: [ListKind; 3] = [ListKind::Tools, ListKind::Resources, ListKind::Prompts];

/// The servers, and what every audience that ever asked sees of them.
pub(super) struct ShownLists {
    upstreams: Vec<Arc<Upstream>>,
    schema_bytes: usize,
    /// How lists are made for clients by their names.
    exposure: Arc<ExposureRules>,
    audiences: Vec<(Audience, AudienceLists)>,
}

/// What one audience sees.
struct AudienceLists {
    view: Arc<ToolView>,
    resources: Vec<ShownItem>,
    prompts: Vec<ShownItem>,
}

impl AudienceLists {
    fn are_those(&self, others: &Self, kind: ListKind) -> bool {
        match kind {
            ListKind::Tools => {
                Arc::ptr_eq(&self.view, &others.view) || self.view.lists_as(&others.view)
            }
            ListKind::Prompts => self.prompts == others.prompts,
            ListKind::Resources | ListKind::ResourceTemplates => self.resources == others.resources,
        }
    }
}

/// One thing in a list: under which name it is shown, and which it is.
struct ShownItem {
    name: String,
    definition: Arc<Definition>,
}

impl PartialEq for ShownItem {
    /// A definition that is fetched anew is another, whatever it says; one that is not is the same.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && Arc::ptr_eq(&self.definition, &other.definition)
    }
}

impl Host {
    pub(super) fn shown(&self) -> ShownLists {
        let audiences: Vec<Audience> = {
            let views = self.inner.views.lock();
            views.audiences().cloned().collect()
        };
        let upstreams = self.inner.servers.all();
        let known = known(&upstreams);
        let seen = |audience: Audience| {
            let view = self.view(&audience);
            let [resources, prompts] =
                [MatterKind::Resource, MatterKind::Prompt].map(|kind| items(&view, &known, kind));
            (audience, AudienceLists { view, resources, prompts })
        };
        let audiences = audiences.into_iter().map(seen).collect();
        let exposure = Arc::clone(self.rulebook().exposure());
        ShownLists { audiences, upstreams, schema_bytes: self.schema_bytes(), exposure }
    }
}

impl ShownLists {
    /// Whether this very server was there, so that it runs already if it should.
    pub(super) fn had(&self, upstream: &Upstream) -> bool {
        self.upstreams.iter().any(|one| one.id() == upstream.id() && one.is_same_as(upstream))
    }

    /// The lists that may be others now, each with a server that has to do with it.
    pub(super) fn changed(&self, now: &Self) -> Vec<(ServerId, ListKind)> {
        if let Some(server) = self.another_server(now) {
            return TOLD.map(|kind| (server.clone(), kind)).to_vec();
        }
        let Some(server) = now.upstreams.first().map(|one| one.id()) else { return Vec::new() };
        let is_other = |kind: &ListKind| {
            let is_shown_else = |(audience, before): &(Audience, AudienceLists)| {
                let mut after = now.audiences.iter().filter(|(of, _)| of == audience);
                after.any(|(_, after)| !after.are_those(before, *kind))
            };
            // Whether a schema is shown is a matter of its length; how tools are listed may be one of
            // who is there.
            let is_made_else =
                self.schema_bytes != now.schema_bytes || self.exposure != now.exposure;
            (*kind == ListKind::Tools && is_made_else) || self.audiences.iter().any(is_shown_else)
        };
        TOLD.into_iter().filter(is_other).map(|kind| (server.clone(), kind)).collect()
    }

    /// A server that came, went, or is another: what it has is not known yet. One that nobody may
    /// reach has nothing, whether it is there or not.
    fn another_server(&self, now: &Self) -> Option<ServerId> {
        let came = now.upstreams.iter().find(|one| one.is_usable() && !self.had(one));
        let gone = || self.upstreams.iter().find(|one| one.is_usable() && !now.had(one));
        came.or_else(gone).map(|one| one.id().clone())
    }
}

/// A list of a server, with what stands in it.
type KnownList = (ServerId, MatterKind, Arc<CatalogListing>);

/// Everything that is known besides tools. Most servers have nothing.
fn known(upstreams: &[Arc<Upstream>]) -> Vec<KnownList> {
    let kinds = [
        (ListKind::Resources, MatterKind::Resource),
        (ListKind::ResourceTemplates, MatterKind::Resource),
        (ListKind::Prompts, MatterKind::Prompt),
    ];
    let of_one = |upstream: &Arc<Upstream>| {
        let list = |(list, kind)| Some((upstream.id().clone(), kind, upstream.known(list)?));
        kinds.into_iter().filter_map(list).collect::<Vec<_>>()
    };
    let all = upstreams.iter().flat_map(of_one);
    all.filter(|(.., listing)| !listing.items.is_empty()).collect()
}

fn items(view: &ToolView, known: &[KnownList], wanted: MatterKind) -> Vec<ShownItem> {
    let meant = known.iter().filter(|(_, kind, _)| *kind == wanted);
    let all = meant.flat_map(|(server, kind, listing)| {
        let seen = listing.items.iter().filter(|one| view.shows(server, *kind, &one.key));
        seen.map(move |one| ShownItem {
            name: format!("{server}/{}", one.key),
            definition: Arc::clone(one),
        })
    });
    all.collect()
}
