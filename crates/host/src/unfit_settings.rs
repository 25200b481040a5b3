//! What `[servers.X.tools.Y]` says and the server's tools do not bear out: a tool or a parameter that is
//! not there, a name that another tool has, a shape that no call can fit. As far as lists are known;
//! nobody is asked here.

use std::sync::Arc;

use toolgate_types::config::{Server, ToolSettings, ToolShaping};
use toolgate_types::{Definition, ListKind, ServerId, Trust, did_you_mean, visible};

use crate::shaping::{ShownNames, flaw};
use crate::{Host, members};

/// What a person should know about the settings of tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnfitSettings {
    /// The settings of one tool, and what is the matter with them.
    OfTool {
        /// Whose tool it is.
        server: ServerId,
        /// As the settings name it.
        tool: String,
        /// In one sentence.
        why: String,
    },
    /// The tools of this server were never seen since its entry is what it is now.
    Unseen(ServerId),
}

impl Host {
    /// Of all servers with settings of single tools, in the order of the configuration.
    pub fn unfit_tool_settings(&self) -> Vec<UnfitSettings> {
        let mut found = Vec::new();
        for upstream in self.inner.servers.all() {
            let (id, server) = (upstream.id(), &upstream.entry().value);
            if server.tool_settings.is_empty() || id.is_local() || !upstream.is_usable() {
                continue;
            }
            let Some(listing) = upstream.known(ListKind::Tools) else {
                found.push(UnfitSettings::Unseen(id.clone()));
                continue;
            };
            // What a list that was cut off does not have may be there all the same, and so may what
            // nobody accepted yet.
            let is_whole = listing.cut.is_none() && upstream.trust() == Trust::Trusted;
            for (tool, why) in unfit_settings(server, &listing.items, is_whole) {
                let tool = tool.to_owned();
                found.push(UnfitSettings::OfTool { server: id.clone(), tool, why });
            }
        }
        found
    }
}

fn unfit_settings<'s>(
    server: &'s Server,
    tools: &[Arc<Definition>],
    is_whole: bool,
) -> Vec<(&'s str, String)> {
    let names = ShownNames::of(server);
    let mut found = Vec::new();
    for (tool, settings) in &server.tool_settings {
        let told = match tools.iter().find(|definition| *definition.key == **tool) {
            None if !is_whole => Vec::new(),
            None => vec![missing(tools.iter().map(|definition| &*definition.key), tool)],
            Some(definition) => of_tool(definition, settings, tools, &names),
        };
        found.extend(told.into_iter().map(|why| (tool.as_str(), why)));
    }
    found
}

fn missing<'a>(known: impl Iterator<Item = &'a str>, name: &str) -> String {
    let meant = did_you_mean(name, known).map(|meant| format!("; {meant}"));
    format!("the server has no such tool{}", meant.unwrap_or_default())
}

fn of_tool(
    definition: &Definition,
    ToolSettings { shaping, .. }: &ToolSettings,
    tools: &[Arc<Definition>],
    names: &ShownNames<'_>,
) -> Vec<String> {
    let Some(shaping) = shaping else { return Vec::new() };
    let mut found = unknown_parameters(definition, shaping);
    if let Some(name) = &shaping.rename {
        let is_taken = |other: &Arc<Definition>| {
            *other.key == *name.as_str()
                && other.key != definition.key
                && names.shown(&other.key).is_err()
        };
        if tools.iter().any(is_taken) {
            let name = visible(name.as_str());
            found.push(format!(
                "the server has a tool `{name}` too, which is set aside: give it another name"
            ));
        }
    }
    found.extend(flaw(definition, shaping));
    found
}

/// Parameters that are hidden or filled in, and that the schema of the tool does not have.
fn unknown_parameters(definition: &Definition, shaping: &ToolShaping) -> Vec<String> {
    let schema = definition.input_schema.as_deref();
    let [properties] =
        schema.and_then(|raw| members::members(raw, ["properties"])).unwrap_or([None]);
    let known = properties.map(members::names).unwrap_or_default();
    let filled_in = shaping.defaults.keys().filter(|name| !shaping.hidden.contains(*name));
    let unknown = shaping.hidden.iter().chain(filled_in).filter(|name| !known.contains(*name));
    unknown
        .map(|name| {
            let meant = did_you_mean(name, &known).map(|meant| format!("; {meant}"));
            format!("it has no parameter `{}`{}", visible(name), meant.unwrap_or_default())
        })
        .collect()
}
