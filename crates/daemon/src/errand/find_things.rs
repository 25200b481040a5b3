//! What servers have besides tools: resources, their templates, prompts.

use serde::{Deserialize, Serialize};
use toolgate_control::{CommandFailure, Verbatim};
use toolgate_types::{ListKind, ServerStatus};

use super::{Errand, ErrandHost, HostWish, MissingServer};

#[derive(Debug, Serialize, Deserialize)]
pub struct FindThings {
    pub kind: ThingKind,
    /// Only of this server.
    pub only: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThingKind {
    Resources,
    ResourceTemplates,
    Prompts,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct FoundThings {
    pub found: Vec<FoundThing>,
    pub missing: Vec<MissingServer>,
    pub is_any_listed: bool,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct FoundThing {
    pub server: String,
    /// A name, a URI or a URI template.
    pub key: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub definition: Verbatim,
}

impl Errand for FindThings {
    const METHOD: &'static str = "host.list";
    type Product = FoundThings;
    type Trouble = CommandFailure;

    fn verb(&self) -> &'static str {
        match self.kind {
            ThingKind::Resources | ThingKind::ResourceTemplates => "resources list",
            ThingKind::Prompts => "prompts list",
        }
    }

    fn wish(&self) -> HostWish<'_> {
        HostWish { only: self.only.as_deref(), ..HostWish::default() }
    }

    async fn run(&self, hosted: &ErrandHost) -> Result<FoundThings, CommandFailure> {
        let kind = match self.kind {
            ThingKind::Resources => ListKind::Resources,
            ThingKind::ResourceTemplates => ListKind::ResourceTemplates,
            ThingKind::Prompts => ListKind::Prompts,
        };
        hosted.connect().await?;
        hosted.progress.doing("listing");
        let found = hosted.host.found(&hosted.audience.address, kind, None);
        let found = hosted.unless_interrupted(found).await?;
        let is_listed = |status: &ServerStatus| status.connection.is_some();
        let missing = hosted.missing(is_listed);
        let is_any_listed = hosted.host.status().iter().any(is_listed);
        let unreached = hosted.unreached();
        let is_there = |one: &toolgate_host::CatalogItem| !unreached.contains(&one.server);
        let found = found.into_iter().filter(is_there).map(|one| FoundThing {
            server: one.server.to_string(),
            key: one.definition.key.to_string(),
            title: one.definition.title.clone(),
            description: one.definition.description.clone(),
            definition: Verbatim::from(&*one.definition.raw),
        });
        Ok(FoundThings { found: found.collect(), missing, is_any_listed })
    }
}
