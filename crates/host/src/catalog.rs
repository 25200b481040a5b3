//! Resources, resource templates and prompts of all servers.

use std::sync::Arc;
use std::time::Duration;

use toolgate_guard::MatterKind;
use toolgate_types::{Definition, ListKind, ServerId};
use toolgate_upstream::Upstream;

use crate::await_lists::patient;
use crate::claims::UriClaims;
use crate::{Audience, AudienceAddress, Host};

/// Something that a server has.
#[derive(Debug, Clone)]
pub struct CatalogItem {
    /// Whose it is.
    pub server: ServerId,
    /// As the server defines it.
    pub definition: Arc<Definition>,
}

impl Host {
    /// The resources of all servers, by server and URI.
    pub async fn resources(&self) -> Vec<CatalogItem> {
        self.found(&AudienceAddress::Everything, ListKind::Resources, None).await
    }

    /// The resource templates of all servers, by server and template.
    pub async fn resource_templates(&self) -> Vec<CatalogItem> {
        self.found(&AudienceAddress::Everything, ListKind::ResourceTemplates, None).await
    }

    /// The prompts of all servers, by server and name. They are for a person to choose.
    pub async fn prompts(&self) -> Vec<CatalogItem> {
        self.found(&AudienceAddress::Everything, ListKind::Prompts, None).await
    }

    /// Changes whenever something that lists are made of does.
    pub fn epoch(&self) -> u64 {
        self.inner.world.epoch()
    }

    /// What the servers are known to offer now, by URI.
    pub fn uri_claims(&self) -> Arc<UriClaims> {
        // Read before the catalogs, so that a change in between is seen the next time.
        let epoch = self.epoch();
        self.inner.claims.lock().at(epoch, &self.inner.servers.all())
    }

    /// Whether a list holds what every server has that an address may show, as far as is known; one
    /// that is still starting is missing in it.
    pub fn is_complete(&self, address: &AudienceAddress, kind: ListKind) -> bool {
        let all = self.inner.servers.all();
        let is_there = |upstream: &Arc<Upstream>| {
            let is_meant = upstream.is_usable() && address.means(upstream.id());
            !is_meant || upstream.known(kind).is_some()
        };
        all.iter().all(is_there)
    }

    /// How long a list at an address may be kept: no longer than that of any server it is made of, and not
    /// at all while one is missing in it; nothing where it is of none.
    pub fn list_ttl(&self, address: &AudienceAddress, kind: ListKind) -> Option<Duration> {
        let mut shortest: Option<Duration> = None;
        for upstream in self.inner.servers.all() {
            if !address.means(upstream.id()) {
                continue;
            }
            if upstream.is_usable() && upstream.known(kind).is_none() {
                return Some(Duration::ZERO);
            }
            shortest = shortest.into_iter().chain(upstream.list_ttl(kind)).min();
        }
        shortest
    }

    /// One list of one server, or of all, as far as it may be seen at an address; sorted.
    pub async fn found(
        &self,
        address: &AudienceAddress,
        kind: ListKind,
        only: Option<&ServerId>,
    ) -> Vec<CatalogItem> {
        self.await_items(kind, only).await;
        self.known_at(address, kind, only)
    }

    /// The same of what is known now, without asking anybody.
    pub(crate) fn known_at(
        &self,
        address: &AudienceAddress,
        kind: ListKind,
        only: Option<&ServerId>,
    ) -> Vec<CatalogItem> {
        let mut all = self.known_items(kind, only);
        let view = self.view(&Audience::at(address.clone()));
        all.retain(|found| {
            let kind = match kind {
                ListKind::Tools => MatterKind::Tool,
                ListKind::Resources | ListKind::ResourceTemplates => MatterKind::Resource,
                ListKind::Prompts => MatterKind::Prompt,
            };
            view.shows(&found.server, kind, &found.definition.key)
        });
        all
    }

    /// The same with what may not be seen.
    pub(crate) async fn found_any(
        &self,
        kind: ListKind,
        only: Option<&ServerId>,
    ) -> Vec<CatalogItem> {
        self.await_items(kind, only).await;
        self.known_items(kind, only)
    }

    async fn await_items(&self, kind: ListKind, only: Option<&ServerId>) {
        let is_meant = |upstream: &Upstream| only.is_none_or(|only| only == upstream.id());
        self.refresh(kind, patient(), is_meant).await;
    }

    fn known_items(&self, kind: ListKind, only: Option<&ServerId>) -> Vec<CatalogItem> {
        let is_meant = |id: &ServerId| only.is_none_or(|only| only == id);
        let mut all = Vec::new();
        for upstream in self.inner.servers.all() {
            let id = upstream.id();
            let Some(listing) = upstream.known(kind).filter(|_| is_meant(id)) else { continue };
            let found = |item: &Arc<Definition>| CatalogItem {
                server: id.clone(),
                definition: Arc::clone(item),
            };
            all.extend(listing.items.iter().map(found));
        }
        all.sort_by(|one, other| {
            (&one.server, &one.definition.key).cmp(&(&other.server, &other.definition.key))
        });
        all
    }
}
