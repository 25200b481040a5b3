//! Resources and prompts as an audience reaches them: prompts by public names like tools, resources
//! by their URI where one server only can mean it, else by its address at that server.

use toolgate_guard::Kind;
use toolgate_types::{ListKind, ServerId, Trust, split_uri_of_server};

use crate::claims::Claimed;
use crate::names::{Named, Names};
use crate::{Address, Audience, Found, Host};

/// A resource or a template, under the URI that leads to it.
#[derive(Debug)]
pub struct ListedResource {
    pub uri: String,
    pub found: Found,
}

/// Where a URI leads.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ResourcePlace {
    pub server: ServerId,
    /// What the server calls it.
    pub uri: String,
}

/// Why a URI leads nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unplaced {
    /// Nobody who may be seen has it.
    Unknown,
    /// Several who may be seen do.
    Ambiguous,
}

/// The prompts of one audience, each under the name that is listed.
#[derive(Debug)]
pub struct Prompts {
    found: Vec<Found>,
    names: Names,
}

impl Prompts {
    /// The listed prompts, sorted by name.
    pub fn listed(&self) -> Vec<(&str, &Found)> {
        let named = |(place, found)| Some((self.names.listed(place)?, found));
        let mut listed: Vec<_> = self.found.iter().enumerate().filter_map(named).collect();
        listed.sort_unstable_by_key(|(name, _)| *name);
        listed
    }

    /// The prompt with this name, in any of its forms.
    pub fn resolve(&self, name: &str) -> Option<&Found> {
        self.found.get(self.names.resolve(name)?)
    }
}

impl Host {
    /// The prompts that an audience sees.
    pub async fn list_prompts(&self, audience: &Audience) -> Prompts {
        let found = self.found(&audience.address, ListKind::Prompts, None).await;
        let mut keys = Vec::with_capacity(found.len());
        for Found { server, definition } in &found {
            keys.push(Named { server, tool: &definition.key });
        }
        let names = Names::build(audience.naming, &keys, &[], self.configured_ids());
        Prompts { found, names }
    }

    /// The resources, or the templates, that an audience sees, sorted by the URI that they are listed
    /// under.
    pub async fn list_resources(&self, address: &Address, kind: ListKind) -> Vec<ListedResource> {
        // Whether another server offers the same may be said in the other list.
        self.all_offers().await;
        let found = self.found(address, kind, None).await;
        let claims = self.uri_claims();
        let listed = |found: Found| {
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
        address: &Address,
        uri: &str,
    ) -> Result<ResourcePlace, Unplaced> {
        let shows = |server: &ServerId, uri: &str| {
            let view = self.view(&Audience::at(address.clone()));
            view.shows(server, Kind::Resource, uri)
        };
        let seen = |server: ServerId, uri: &str| {
            let place = ResourcePlace { server, uri: uri.to_owned() };
            if shows(&place.server, uri) { Ok(place) } else { Err(Unplaced::Unknown) }
        };
        if let Some((server, uri)) = split_uri_of_server(uri) {
            return seen(server, uri);
        }
        self.all_offers().await;
        match self.uri_claims().claimed(uri) {
            Claimed::By(server) => seen(server, uri),
            Claimed::BySeveral(servers) => {
                // That one who may not be seen has it too is nobody's business.
                let shown = servers.iter().filter(|server| shows(server, uri)).count();
                Err(if shown > 1 { Unplaced::Ambiguous } else { Unplaced::Unknown })
            }
            Claimed::ByNobody => Err(Unplaced::Unknown),
        }
    }

    /// The same for a template.
    pub async fn find_template(
        &self,
        address: &Address,
        template: &str,
    ) -> Result<ResourcePlace, Unplaced> {
        let templates = self.list_resources(address, ListKind::ResourceTemplates).await;
        let is_it = |listed: &&ListedResource| listed.uri == template;
        match templates.iter().find(is_it) {
            Some(ListedResource { found, .. }) => {
                let (server, uri) = (found.server.clone(), found.definition.key.clone());
                Ok(ResourcePlace { server, uri })
            }
            None => self.find_resource(address, template).await,
        }
    }

    /// Asks every server for both lists of resources, where they are not known.
    async fn all_offers(&self) {
        let lists = [ListKind::Resources, ListKind::ResourceTemplates];
        let [resources, templates] = lists.map(|kind| self.refresh(kind, |_| true));
        // Both at once: a server that hangs is waited for once.
        tokio::join!(resources, templates);
    }

    /// What the servers that run say about how to use them, by server, as it was accepted. One that
    /// is not trusted says nothing to a model but through the tools that a person chose.
    pub fn instructions(&self, address: &Address) -> Vec<(ServerId, String)> {
        let view = self.view(&Audience::at(address.clone()));
        let told = self.status().into_iter().filter_map(|status| {
            let words = status.connection?.instructions?;
            let upstream = self.inner.servers.get(&status.id)?;
            let is_trusted = upstream.trust() == Trust::Trusted;
            let is_seen = is_trusted && view.knows(&status.id) && !words.trim().is_empty();
            is_seen.then_some((status.id, words))
        });
        told.collect()
    }
}
