//! Which server a URI means, and under which URI a server's resource is listed.
//!
//! Servers choose their URIs, and a client reads by URI alone. As long as one server only can mean
//! a URI, it passes as it is. What more than one offers, by its list, by a template or as the page of
//! a tool, is each one's own at an address with the server in it, and plainly nobody's. All servers
//! count here whose lists are known, also those that nobody may see and those that are down:
//! no server answers for another because of the state that one is in. Who may read what is the
//! guard's.

mod pages;
mod result_pages;
mod template;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use toolgate_types::{ListKind, ServerId, is_gate_uri, uri_key, uri_of_server};
use toolgate_upstream::{CatalogListing, Upstream};

use template::TemplateShape;

pub use pages::PAGE_MEMBERS;

/// What all servers offer, by URI.
#[derive(Debug, Default)]
pub struct UriClaims {
    /// By the key that all spellings of a URI have.
    listed: HashMap<String, BTreeSet<ServerId>>,
    templates: Vec<(TemplateShape, ServerId)>,
    /// Servers with resources or templates of any kind.
    offering: BTreeSet<ServerId>,
    /// Servers whose lists nobody knows.
    unknown: BTreeSet<ServerId>,
}

/// The claims of a host, with the state of the catalogs that they are of.
#[derive(Debug, Default)]
pub(crate) struct KnownClaims {
    known: Option<(u64, Arc<UriClaims>)>,
    pages: KnownPages,
}

/// The pages that the tools of each server refer to, with the list that they are of: all definitions of
/// thousands are not gone through again because one server has another list.
type KnownPages = HashMap<ServerId, (Arc<CatalogListing>, Arc<[String]>)>;

impl KnownClaims {
    /// Of these servers, in this state.
    pub(crate) fn at(&mut self, epoch: u64, upstreams: &[Arc<Upstream>]) -> Arc<UriClaims> {
        if let Some((_, claims)) = self.known.as_ref().filter(|(at, _)| *at == epoch) {
            return Arc::clone(claims);
        }
        if self.pages.len() > upstreams.len() {
            self.pages.retain(|id, _| upstreams.iter().any(|upstream| upstream.id() == id));
        }
        let claims = Arc::new(UriClaims::of(upstreams, &mut self.pages));
        self.known = Some((epoch, Arc::clone(&claims)));
        claims
    }
}

/// Whom a URI means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ClaimedUri {
    By(ServerId),
    BySeveral(BTreeSet<ServerId>),
    ByNobody,
}

impl UriClaims {
    fn of(upstreams: &[Arc<Upstream>], known_pages: &mut KnownPages) -> Self {
        let mut claims = Self::default();
        for upstream in upstreams {
            let known = |kind| upstream.known(kind);
            let keys = |kind| {
                let listing = known(kind);
                let keys = listing.iter().flat_map(|all| &all.items).map(|item| item.key.clone());
                keys.collect::<Vec<_>>()
            };
            let pages = known(ListKind::Tools).map(|tools| {
                let mine = known_pages.get(upstream.id());
                if let Some((_, pages)) = mine.filter(|(of, _)| Arc::ptr_eq(of, &tools)) {
                    return Arc::clone(pages);
                }
                let pages: Arc<[String]> =
                    tools.items.iter().flat_map(|tool| pages::of(tool)).collect();
                known_pages.insert(upstream.id().clone(), (tools, Arc::clone(&pages)));
                pages
            });
            let pages = pages.unwrap_or_default();
            let (resources, templates) =
                (keys(ListKind::Resources), keys(ListKind::ResourceTemplates));
            let lists = [ListKind::Resources, ListKind::ResourceTemplates];
            let is_known = lists.iter().all(|kind| known(*kind).is_some());
            claims.add(upstream.id(), &resources, &templates, &pages);
            if !is_known {
                claims.unknown.insert(upstream.id().clone());
            }
        }
        claims
    }

    fn add<T: AsRef<str>>(
        &mut self,
        server: &ServerId,
        uris: &[T],
        templates: &[T],
        pages: &[String],
    ) {
        if !uris.is_empty() || !templates.is_empty() {
            self.offering.insert(server.clone());
        }
        for uri in uris.iter().map(AsRef::as_ref).chain(pages.iter().map(String::as_str)) {
            self.listed.entry(uri_key(uri)).or_default().insert(server.clone());
        }
        let shapes = templates.iter().filter_map(|template| TemplateShape::of(template.as_ref()));
        self.templates.extend(shapes.map(|shape| (shape, server.clone())));
    }

    /// The server that a URI means as it is.
    pub(crate) fn claimed(&self, uri: &str) -> ClaimedUri {
        if is_gate_uri(uri) {
            return ClaimedUri::ByNobody;
        }
        let key = uri_key(uri);
        let mut servers = self.listed.get(&key).cloned().unwrap_or_default();
        let fitting = self.templates.iter().filter(|(shape, _)| shape.fits(&key));
        servers.extend(fitting.map(|(_, server)| server.clone()));
        match servers.len() {
            0 => self.only_one(),
            1 => servers.pop_first().map_or(ClaimedUri::ByNobody, ClaimedUri::By),
            _ => ClaimedUri::BySeveral(servers),
        }
    }

    /// The only server that can have a resource which nobody lists, where that is known.
    fn only_one(&self) -> ClaimedUri {
        let mut able: BTreeSet<&ServerId> = self.offering.iter().chain(&self.unknown).collect();
        let only = able.pop_first().filter(|only| able.is_empty() && self.offering.contains(*only));
        only.map_or(ClaimedUri::ByNobody, |only| ClaimedUri::By(only.clone()))
    }

    /// The URI that leads to what this server means by it: itself, where that is so.
    pub fn public_uri<'u>(&self, server: &ServerId, uri: &'u str) -> Cow<'u, str> {
        match self.claimed(uri) {
            ClaimedUri::By(owner) if owner == *server => Cow::Borrowed(uri),
            _ => Cow::Owned(uri_of_server(server, uri)),
        }
    }

    /// The same for a template: itself, where all that it stands for does.
    pub(crate) fn public_template(&self, server: &ServerId, template: &str) -> String {
        let shape = TemplateShape::of(template).filter(|_| !is_gate_uri(template));
        let is_own = shape.is_some_and(|shape| {
            let mut others = self.templates.iter().filter(|(_, owner)| owner != server);
            let is_met = others.any(|(other, _)| shape.meets(other));
            let has_other = |owners: &BTreeSet<ServerId>| owners.iter().any(|one| one != server);
            let mut listed = self.listed.iter().filter(|(_, owners)| has_other(owners));
            !is_met && !listed.any(|(key, _)| shape.fits(key))
        });
        if is_own { template.to_owned() } else { uri_of_server(server, template) }
    }
}

#[cfg(test)]
mod tests;
