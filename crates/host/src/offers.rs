//! Resources and prompts as an audience reaches them: prompts by public names like tools, resources
//! by their URI where one server only can mean it, else by its address at that server.

use toolgate_guard::MatterKind;
use toolgate_types::{ListKind, ServerId, Trust, split_uri_of_server};

use crate::await_lists::patient;
use crate::claims::ClaimedUri;
use crate::names::{NamedTool, ToolNames};
use crate::{Audience, AudienceAddress, CatalogItem, Host};

/// A resource or a template, under the URI that leads to it.
#[derive(Debug)]
pub struct ListedResource {
    /// The URI under which it is listed.
    pub uri: String,
    /// What it is, and whose.
    pub found: CatalogItem,
}

/// Where a URI leads.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ResourcePlace {
    /// The server that it is read from.
    pub server: ServerId,
    /// What the server calls it.
    pub uri: String,
}

/// Why a URI leads nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnplacedUri {
    /// Nobody who may be seen has it.
    Unknown,
    /// Several who may be seen do.
    Ambiguous,
}

/// The prompts of one audience, each under the name that is listed.
#[derive(Debug)]
pub struct ListedPrompts {
    found: Vec<CatalogItem>,
    names: ToolNames,
}

impl ListedPrompts {
    /// The listed prompts, sorted by name.
    pub fn listed(&self) -> Vec<(&str, &CatalogItem)> {
        let named = |(place, found)| Some((self.names.listed(place)?, found));
        let mut listed: Vec<_> = self.found.iter().enumerate().filter_map(named).collect();
        listed.sort_unstable_by_key(|(name, _)| *name);
        listed
    }

    /// The prompt with this name, in any of its forms.
    pub fn resolve(&self, name: &str) -> Option<&CatalogItem> {
        self.found.get(self.names.resolve(name)?)
    }
}

impl Host {
    /// The prompts that an audience sees, for whoever asks once and has time.
    pub async fn list_prompts(&self, audience: &Audience) -> ListedPrompts {
        self.await_list(ListKind::Prompts, patient()).await;
        self.known_prompts(audience)
    }

    /// The prompts that an audience sees of what is known now.
    pub fn known_prompts(&self, audience: &Audience) -> ListedPrompts {
        let found = self.known_at(&audience.address, ListKind::Prompts, None);
        let mut keys = Vec::with_capacity(found.len());
        for CatalogItem { server, definition } in &found {
            keys.push(NamedTool { server, tool: &definition.key });
        }
        let names = ToolNames::build(audience.naming, &keys, &[], self.configured_ids());
        ListedPrompts { found, names }
    }

    /// A prompt that a caller names. Servers that were not asked yet are asked where nobody is known to
    /// have it.
    pub async fn find_prompt(&self, audience: &Audience, name: &str) -> Option<CatalogItem> {
        if let Some(found) = self.known_prompts(audience).resolve(name) {
            return Some(found.clone());
        }
        self.list_prompts(audience).await.resolve(name).cloned()
    }

    /// The resources, or the templates, that an audience sees, for whoever asks once and has time.
    pub async fn list_resources(
        &self,
        address: &AudienceAddress,
        kind: ListKind,
    ) -> Vec<ListedResource> {
        self.await_offers(patient()).await;
        self.known_resources(address, kind)
    }

    /// The resources, or the templates, that an audience sees of what is known now, sorted by the URI
    /// that they are listed under.
    pub fn known_resources(
        &self,
        address: &AudienceAddress,
        kind: ListKind,
    ) -> Vec<ListedResource> {
        let found = self.known_at(address, kind, None);
        let claims = self.uri_claims();
        let listed = |found: CatalogItem| {
            let (server, key) = (&found.server, &found.definition.key);
            let uri = match kind {
                ListKind::ResourceTemplates => claims.public_template(server, key),
                _ => claims.public_uri(server, key).into_owned(),
            };
            ListedResource { uri, found }
        };
        let mut listed: Vec<_> = found.into_iter().map(listed).collect();
        listed.sort_by(|one, other| one.uri.cmp(&other.uri));
        listed.dedup_by(|second, first| second.uri == first.uri);
        listed
    }

    /// Where a URI leads that a caller at this address read in a list, or made up.
    pub async fn find_resource(
        &self,
        address: &AudienceAddress,
        uri: &str,
    ) -> Result<ResourcePlace, UnplacedUri> {
        let shows = |server: &ServerId, uri: &str| {
            let view = self.view(&Audience::at(address.clone()));
            view.shows(server, MatterKind::Resource, uri)
        };
        let seen = |server: ServerId, uri: &str| {
            let place = ResourcePlace { server, uri: uri.to_owned() };
            if shows(&place.server, uri) { Ok(place) } else { Err(UnplacedUri::Unknown) }
        };
        if let Some((server, uri)) = split_uri_of_server(uri) {
            return seen(server, uri);
        }
        // Others may have it too. They are waited for as for a list, and longer where nobody is known
        // to have it.
        self.await_offers(self.client_list_wait(None)).await;
        if matches!(self.uri_claims().claimed(uri), ClaimedUri::ByNobody) {
            self.await_offers(patient()).await;
        }
        match self.uri_claims().claimed(uri) {
            ClaimedUri::By(server) => seen(server, uri),
            ClaimedUri::BySeveral(servers) => {
                // That one who may not be seen has it too is nobody's business.
                let shown = servers.iter().filter(|server| shows(server, uri)).count();
                Err(if shown > 1 { UnplacedUri::Ambiguous } else { UnplacedUri::Unknown })
            }
            ClaimedUri::ByNobody => Err(UnplacedUri::Unknown),
        }
    }

    /// The same for a template.
    pub async fn find_template(
        &self,
        address: &AudienceAddress,
        template: &str,
    ) -> Result<ResourcePlace, UnplacedUri> {
        self.await_offers(self.client_list_wait(None)).await;
        let templates = self.known_resources(address, ListKind::ResourceTemplates);
        let is_it = |listed: &&ListedResource| listed.uri == template;
        match templates.iter().find(is_it) {
            Some(ListedResource { found, .. }) => {
                let (server, uri) = (found.server.clone(), found.definition.key.to_string());
                Ok(ResourcePlace { server, uri })
            }
            None => self.find_resource(address, template).await,
        }
    }

    /// What the servers say about how to use them, by server, as it was accepted: those that run now,
    /// and those that said it when they last ran. One that is not trusted says nothing to a model but
    /// through the tools that a person chose.
    pub fn instructions(&self, audience: &Audience) -> Vec<(ServerId, String)> {
        let said = self.inner.servers.all().into_iter().filter_map(|upstream| {
            let words = upstream.instructions().filter(|words| !words.trim().is_empty())?;
            let is_trusted = upstream.trust() == Trust::Trusted;
            is_trusted.then(|| (upstream.id().clone(), words))
        });
        let mut said: Vec<_> = said.collect();
        // Whoever arrives is told this first: what it sees is worked out only where something is said.
        if !said.is_empty() {
            let view = self.unasked_view(audience);
            said.retain(|(server, _)| view.knows(server));
        }
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn where_no_server_says_anything_whoever_arrives_waits_for_no_view() {
        let host = Host::builder().build();
        let is_made = || {
            host.inner.views.lock().of_state(&Audience::MODEL, host.inner.world.epoch()).is_some()
        };
        assert_eq!(host.instructions(&Audience::MODEL), []);
        assert!(!is_made());
        host.view(&Audience::MODEL);
        assert!(is_made(), "one that is made is seen here");
    }
}
