//! What clients were shown before a change, to tell them exactly when that may have changed.

use std::sync::Arc;

use toolgate_guard::MatterKind;
use toolgate_types::{Definition, ListKind, ServerId};
use toolgate_upstream::Upstream;

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

/// In the order of [`TOLD`].
type AudienceLists = [Vec<ShownItem>; 3];

/// One thing in a list: under which name it is shown, and which it is.
struct ShownItem {
    name: String,
    definition: Option<Arc<Definition>>,
}

impl PartialEq for ShownItem {
    /// A definition that is fetched anew is another, whatever it says; one that is not is the same.
    fn eq(&self, other: &Self) -> bool {
        let pointer = |item: &Self| item.definition.as_ref().map(Arc::as_ptr);
        self.name == other.name && pointer(self) == pointer(other)
    }
}

impl Host {
    pub(super) fn shown(&self) -> ShownLists {
        let audiences: Vec<Audience> = {
            let views = self.inner.views.lock();
            views.audiences().cloned().collect()
        };
        let upstreams = self.inner.servers.all();
        let seen = |audience: Audience| {
            let view = self.view(&audience);
            let lists = TOLD.map(|kind| items(&view, &upstreams, kind));
            (audience, lists)
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
        let is_other = |(place, kind): &(usize, ListKind)| {
            let is_shown_else = |(audience, before): &(Audience, AudienceLists)| {
                let mut after = now.audiences.iter().filter(|(of, _)| of == audience);
                after.any(|(_, after)| after[*place] != before[*place])
            };
            // Whether a schema is shown is a matter of its length; how tools are listed may be one of
            // who is there.
            let is_made_else =
                self.schema_bytes != now.schema_bytes || self.exposure != now.exposure;
            (*kind == ListKind::Tools && is_made_else) || self.audiences.iter().any(is_shown_else)
        };
        let others = TOLD.into_iter().enumerate().filter(is_other);
        others.map(|(_, kind)| (server.clone(), kind)).collect()
    }

    /// A server that came, went, or is another: what it has is not known yet. One that nobody may
    /// reach has nothing, whether it is there or not.
    fn another_server(&self, now: &Self) -> Option<ServerId> {
        let came = now.upstreams.iter().find(|one| one.is_usable() && !self.had(one));
        let gone = || self.upstreams.iter().find(|one| one.is_usable() && !now.had(one));
        came.or_else(gone).map(|one| one.id().clone())
    }
}

fn items(view: &ToolView, upstreams: &[Arc<Upstream>], kind: ListKind) -> Vec<ShownItem> {
    if kind == ListKind::Tools {
        let item = |tool: &Arc<crate::ToolEntry>| {
            let (name, definition) = (tool.name().to_owned(), tool.definition().cloned());
            ShownItem { name, definition }
        };
        return view.tools().map(item).collect();
    }
    let kinds: &[(ListKind, MatterKind)] = match kind {
        ListKind::Prompts => &[(ListKind::Prompts, MatterKind::Prompt)],
        _ => &[
            (ListKind::Resources, MatterKind::Resource),
            (ListKind::ResourceTemplates, MatterKind::Resource),
        ],
    };
    let mut items = Vec::new();
    for upstream in upstreams {
        for (list, kind) in kinds {
            let Some(listing) = upstream.known(*list) else { continue };
            let seen =
                listing.items.iter().filter(|one| view.shows(upstream.id(), *kind, &one.key));
            let name = |one: &Arc<Definition>| format!("{}/{}", upstream.id(), one.key);
            items.extend(
                seen.map(|one| ShownItem { name: name(one), definition: Some(one.clone()) }),
            );
        }
    }
    items
}
