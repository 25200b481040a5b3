//! The tools of the servers, as an audience sees them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use toolgate_control::{CommandFailure, Verbatim};
use toolgate_host::{Audience, Host, ToolEntry, ToolView};
use toolgate_types::{Definition, ListCost, ListKind, ServerId, ServerStatus};

use super::{Errand, ErrandHost, HostWish, MissingServer, server_id};

#[derive(Debug, Serialize, Deserialize)]
pub struct ListTools {
    /// Only of this server.
    pub only: Option<String>,
    pub role: Option<String>,
    /// What was kept from the last time will do.
    pub cached: bool,
    /// What the lists that agents are given cost is wanted too.
    #[serde(default)]
    pub with_costs: bool,
    /// With how often each served, for a search.
    #[serde(default)]
    pub with_past: bool,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct ListedTools {
    pub tools: Vec<ListedTool>,
    pub missing: Vec<MissingServer>,
    pub is_any_listed: bool,
    /// Tools that are too odd to be listed, and why.
    pub set_aside: Vec<String>,
    /// Tools that no call can be right of as their entry has them shown, and why.
    pub flaws: Vec<String>,
    /// What the list of each audience costs.
    #[serde(default)]
    pub costs: Vec<ListCost>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct ListedTool {
    /// Under which agents see it; none where they reach it through another.
    pub name: Option<String>,
    /// The tool of Toolgate's own that leads to it, where it is not listed itself.
    pub through: Option<String>,
    /// None where it is a tool of Toolgate's own, which leads to others.
    pub server: Option<String>,
    /// By which name it is called after its server's.
    pub tool: Option<String>,
    /// What its server calls it, where its entry gives it another name.
    pub own_name: Option<String>,
    pub description: Option<String>,
    pub definition: Option<Verbatim>,
    /// How often it served this principal in this workspace, where that was asked for.
    #[serde(default)]
    pub successes: u32,
}

impl Errand for ListTools {
    const METHOD: &'static str = "host.tools";
    type Product = ListedTools;
    type Trouble = CommandFailure;

    fn verb(&self) -> &'static str {
        "tools"
    }

    fn wish(&self) -> HostWish<'_> {
        let (only, role) = (self.only.as_deref(), self.role.as_deref());
        HostWish { only, role, cached: self.cached, ..HostWish::default() }
    }

    async fn run(&self, hosted: &ErrandHost) -> Result<ListedTools, CommandFailure> {
        if !self.cached {
            hosted.connect().await?;
        }
        hosted.progress.doing("listing tools");
        let view = hosted.unless_interrupted(view(hosted)).await?;
        if let Some(error) = view.unresolved() {
            return Err(CommandFailure::new(error));
        }
        let is_listed = |status: &ServerStatus| {
            status.tools.is_some() && (self.cached || hosted.is_reached(status))
        };
        let missing = hosted.missing(is_listed);
        // Nothing is missing where a role has no bundles.
        let is_none_meant = hosted.meant.as_ref().is_some_and(Vec::is_empty);
        let is_any_listed = is_none_meant || hosted.host.status().iter().any(is_listed);
        let unreached = if self.cached { Vec::new() } else { hosted.unreached() };
        // A role's view holds its other servers too, where they are known from before.
        let is_meant = |entry: &&Arc<ToolEntry>| match (entry.server(), &self.only) {
            (Some(server), _) if unreached.contains(server) => false,
            (Some(server), Some(only)) => server.as_str() == only,
            (None, _) | (_, None) => true,
        };
        let mut tools: Vec<_> =
            view.tools().filter(is_meant).map(|entry| ListedTool::of(entry)).collect();
        let address = &hosted.audience.address;
        let only = self.only.as_deref().map(server_id).transpose()?;
        let found = hosted.host.found(address, ListKind::Tools, only.as_ref());
        // Servers that are not meant are asked for nothing: what is known of them is enough.
        let found = match &hosted.meant {
            Some(meant) if only.is_none() => {
                let mut each = Vec::new();
                for server in meant {
                    each.extend(hosted.host.found(address, ListKind::Tools, Some(server)).await);
                }
                each
            }
            _ => hosted.unless_interrupted(found).await?,
        };
        let reached = found.iter().filter(|found| !unreached.contains(&found.server));
        let told = (&hosted.host, &hosted.audience);
        let listed = reached
            .map(|found| ListedTool::of_definition(&found.server, &found.definition, &view, told));
        tools.extend(listed.filter(|tool| tool.through.is_some()));
        if self.with_past {
            recall(&mut tools, &hosted.host).await;
        }
        let (set_aside, flaws) = (view.set_aside().to_vec(), view.flaws().to_vec());
        let costs = match self.with_costs {
            true => hosted.host.list_costs(hosted.audience.naming),
            false => Vec::new(),
        };
        Ok(ListedTools { tools, missing, is_any_listed, set_aside, flaws, costs })
    }
}

/// What the audience sees; only the servers that are meant are asked for it.
async fn view(hosted: &ErrandHost) -> Arc<ToolView> {
    let Some(meant) = &hosted.meant else {
        return hosted.host.list_tools(&hosted.audience).await;
    };
    for server in meant {
        hosted.host.found(&hosted.audience.address, ListKind::Tools, Some(server)).await;
    }
    hosted.host.view(&hosted.audience)
}

impl ListedTool {
    /// A server's tool, as those who see this reach it.
    pub(super) fn of_definition(
        server: &ServerId,
        definition: &Arc<Definition>,
        view: &ToolView,
        (host, audience): (&Host, &Audience),
    ) -> Self {
        let is_it = |entry: &&Arc<ToolEntry>| {
            entry.server() == Some(server)
                && entry.definition().is_some_and(|known| known.key == definition.key)
        };
        if let Some(entry) = view.tools().find(is_it) {
            return Self::of(entry);
        }
        let through = view.leads_to(server, &definition.key).map(|entry| entry.name().to_owned());
        match host.told_tool(audience, server, definition) {
            Some(entry) => Self { name: None, through, ..Self::of(&entry) },
            // Another tool has its name.
            None => Self {
                name: None,
                through: None,
                server: Some(server.to_string()),
                tool: None,
                own_name: Some(definition.key.to_string()),
                description: definition.description.clone(),
                definition: Some(Verbatim::from(&*definition.raw)),
                successes: 0,
            },
        }
    }

    pub(super) fn of(entry: &ToolEntry) -> Self {
        let own_name = entry.definition().map(|definition| &*definition.key);
        let tool = own_name.map(|_| entry.name_at_server());
        Self {
            name: Some(entry.name().to_owned()),
            through: None,
            server: entry.server().map(ToString::to_string),
            tool: tool.map(str::to_owned),
            own_name: own_name.filter(|own| Some(*own) != tool).map(str::to_owned),
            description: entry.own_words().map(str::to_owned),
            definition: entry.shown_definition().map(|raw| Verbatim::from(&*raw)),
            successes: 0,
        }
    }
}

/// How often each served; Toolgate's own lead to others.
async fn recall(tools: &mut [ListedTool], host: &Host) {
    let (mut places, mut served) = (Vec::new(), Vec::new());
    for (place, tool) in tools.iter().enumerate() {
        let server = tool.server.as_deref().and_then(|name| ServerId::parse(name).ok());
        if let (Some(server), Some(definition)) = (server, tool.definition.as_deref()) {
            places.push(place);
            served.push((server, definition));
        }
    }
    let counts = host.past_successes(&served).await;
    for (place, count) in places.into_iter().zip(counts) {
        tools[place].successes = count;
    }
}
