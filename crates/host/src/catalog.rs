//! Resources, resource templates and prompts of all servers.

use std::sync::Arc;

use toolgate_guard::Kind;
use toolgate_types::{Definition, ListKind, ServerId};

use crate::{Address, Audience, Host};

/// Something that a server has.
#[derive(Debug, Clone)]
pub struct Found {
    pub server: ServerId,
    pub definition: Arc<Definition>,
}

impl Host {
    /// The resources of all servers, by server and URI.
    pub async fn resources(&self) -> Vec<Found> {
        self.found(&Address::Everything, ListKind::Resources, None).await
    }

    pub async fn resource_templates(&self) -> Vec<Found> {
        self.found(&Address::Everything, ListKind::ResourceTemplates, None).await
    }

    /// The prompts of all servers, by server and name. They are for a person to choose.
    pub async fn prompts(&self) -> Vec<Found> {
        self.found(&Address::Everything, ListKind::Prompts, None).await
    }

    /// Changes whenever something that lists are made of does.
    pub fn epoch(&self) -> u64 {
        self.inner.world.epoch()
    }

    /// Whether a list holds what every server has, as far as is known; one that is still starting
    /// is missing in it.
    pub fn is_complete(&self, kind: ListKind) -> bool {
        let all = self.inner.servers.all();
        all.iter().all(|upstream| !upstream.is_usable() || upstream.known(kind).is_some())
    }

    /// One list of one server, or of all, as far as it may be seen at an address; sorted.
    pub async fn found(
        &self,
        address: &Address,
        kind: ListKind,
        only: Option<&ServerId>,
    ) -> Vec<Found> {
        let mut all = self.found_any(kind, only).await;
        let view = self.view(&Audience::at(address.clone()));
        all.retain(|found| {
            let kind = match kind {
                ListKind::Tools => Kind::Tool,
                ListKind::Resources | ListKind::ResourceTemplates => Kind::Resource,
                ListKind::Prompts => Kind::Prompt,
            };
            view.shows(&found.server, kind, &found.definition.key)
        });
        all
    }

    /// The same with what may not be seen.
    pub(crate) async fn found_any(&self, kind: ListKind, only: Option<&ServerId>) -> Vec<Found> {
        let is_meant = |id: &ServerId| only.is_none_or(|only| only == id);
        self.refresh(kind, |upstream| is_meant(upstream.id())).await;
        let mut all = Vec::new();
        for upstream in self.inner.servers.all() {
            let id = upstream.id();
            let Some(listing) = upstream.known(kind).filter(|_| is_meant(id)) else { continue };
            let found =
                |item: &Arc<Definition>| Found { server: id.clone(), definition: Arc::clone(item) };
            all.extend(listing.items.iter().map(found));
        }
        all.sort_by(|one, other| {
            (&one.server, &one.definition.key).cmp(&(&other.server, &other.definition.key))
        });
        all
    }
}
