//! Resources and prompts as an audience reaches them: prompts by public names like tools, resources
//! by their URI, whoever has them.

use toolgate_types::{ListKind, ServerId, Trust};

use crate::names::{Named, Names};
use crate::{Address, Audience, Found, Host};

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

    /// The resources, or the templates, that an audience sees: of several with one URI the first.
    pub async fn list_resources(&self, address: &Address, kind: ListKind) -> Vec<Found> {
        let mut found = self.found(address, kind, None).await;
        found.sort_by(|one, other| one.definition.key.cmp(&other.definition.key));
        found.dedup_by(|second, first| second.definition.key == first.definition.key);
        found
    }

    /// The server that has this resource, among those that the address shows: the one that lists
    /// it, else the one whose template fits best, else the only one that has resources at all.
    pub async fn owner_of(&self, address: &Address, uri: &str) -> Option<ServerId> {
        let listed = self.list_resources(address, ListKind::Resources).await;
        if let Some(found) = listed.iter().find(|found| found.definition.key == uri) {
            return Some(found.server.clone());
        }
        let templates = self.list_resources(address, ListKind::ResourceTemplates).await;
        let fitting = templates
            .iter()
            .filter_map(|found| Some((literal_start(&found.definition.key, uri)?, found)));
        if let Some((_, found)) = fitting.max_by_key(|(length, _)| *length) {
            return Some(found.server.clone());
        }
        let mut owners = listed.iter().chain(&templates).map(|found| &found.server);
        let first = owners.next()?;
        owners.all(|other| other == first).then(|| first.clone())
    }

    /// The server that has this template.
    pub async fn owner_of_template(&self, address: &Address, template: &str) -> Option<ServerId> {
        let templates = self.list_resources(address, ListKind::ResourceTemplates).await;
        let found = templates.iter().find(|found| found.definition.key == template);
        match found {
            Some(found) => Some(found.server.clone()),
            None => self.owner_of(address, template).await,
        }
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

/// How long the fixed beginning of a template is, if a URI begins so too.
fn literal_start(template: &str, uri: &str) -> Option<usize> {
    let fixed = template.split('{').next().unwrap_or_default();
    (!fixed.is_empty() && uri.starts_with(fixed)).then_some(fixed.len())
}
