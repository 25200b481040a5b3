//! What servers have besides tools: resources, their templates, prompts.

use serde::{Deserialize, Serialize};
use toolgate_control::Verbatim;
use toolgate_types::{ListKind, ServerStatus};

use super::Errand;
use crate::failure::Failure;
use crate::hosting::{Hosted, Wish};
use crate::listing::Missing;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FindThings {
    pub(crate) kind: Kind,
    /// Only of this server.
    pub(crate) only: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    Resources,
    ResourceTemplates,
    Prompts,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FoundThings {
    pub(crate) found: Vec<FoundThing>,
    pub(crate) missing: Vec<Missing>,
    pub(crate) is_any_listed: bool,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FoundThing {
    pub(crate) server: String,
    /// A name, a URI or a URI template.
    pub(crate) key: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) definition: Verbatim,
}

impl Errand for FindThings {
    const METHOD: &'static str = "host.list";
    type Product = FoundThings;
    type Trouble = Failure;

    fn verb(&self) -> &'static str {
        match self.kind {
            Kind::Resources | Kind::ResourceTemplates => "resources list",
            Kind::Prompts => "prompts list",
        }
    }

    fn wish(&self) -> Wish<'_> {
        Wish { only: self.only.as_deref(), role: None, cached: false, answers: false, waits: false }
    }

    async fn run(&self, hosted: &Hosted) -> Result<FoundThings, Failure> {
        let kind = match self.kind {
            Kind::Resources => ListKind::Resources,
            Kind::ResourceTemplates => ListKind::ResourceTemplates,
            Kind::Prompts => ListKind::Prompts,
        };
        hosted.connect().await?;
        hosted.progress.doing("listing");
        let found = hosted.host.found(&hosted.audience.address, kind, None);
        let found = hosted.unless_interrupted(found).await?;
        let is_listed = |status: &ServerStatus| status.connection.is_some();
        let missing = hosted.missing(is_listed);
        let is_any_listed = hosted.host.status().iter().any(is_listed);
        let unreached = hosted.unreached();
        let is_there = |one: &toolgate_host::Found| !unreached.contains(&one.server);
        let found = found.into_iter().filter(is_there).map(|one| FoundThing {
            server: one.server.to_string(),
            key: one.definition.key.clone(),
            title: one.definition.title.clone(),
            description: one.definition.description.clone(),
            definition: Verbatim::from(&*one.definition.raw),
        });
        Ok(FoundThings { found: found.collect(), missing, is_any_listed })
    }
}
