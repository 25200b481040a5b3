//! Which tool a person typed: by the name that agents see, or by its server and what that calls it.

use std::sync::Arc;

use toolgate_config::McpConfigLoadResult;
use toolgate_control::CommandFailure;
use toolgate_host::{ToolEntry, ToolView};
use toolgate_types::config::Naming;
use toolgate_types::{EntryKind, ServerId, visible};

use super::{ErrandHost, server_id, unknown_name};

/// A tool as it was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedTool {
    /// Left out where the tool is called by the name that agents see.
    pub server: Option<String>,
    pub tool: String,
}

impl TypedTool {
    /// From the first words of a command line, and the words that are left. What follows a public name
    /// are arguments, which have a `=`; what follows a server is a tool.
    pub fn read<'w>(
        first: &str,
        rest: &'w [String],
        loaded: &McpConfigLoadResult,
    ) -> Result<(Self, &'w [String]), CommandFailure> {
        let ids: Vec<&str> = ids(loaded).collect();
        let is_server = ids.contains(&first);
        let other = ids.iter().copied().find(|id| *id != first && reads_as(first, id).is_some());
        let public = || Self { server: None, tool: first.to_owned() };
        match rest.split_first() {
            Some((tool, left)) if !tool.contains('=') && (is_server || other.is_none()) => {
                let typed = Self { server: Some(first.to_owned()), tool: tool.clone() };
                Ok((typed, left))
            }
            _ if !is_server => Ok((public(), rest)),
            _ => Err(ambiguous(first, other, loaded.config.gateway.naming)),
        }
    }

    /// Whose tool it is, and what the server calls it.
    pub async fn found(&self, hosted: &ErrandHost) -> Result<(ServerId, String), CommandFailure> {
        if let Some(server) = &self.server {
            let server = server_id(server)?;
            // Whoever decides about a tool may know it by either name.
            let own = hosted.host.own_tool_name(&server, &self.tool);
            return Ok((server, own.unwrap_or_else(|| self.tool.clone())));
        }
        let entry = public_tool(&self.tool, hosted).await?;
        match (entry.server(), entry.definition()) {
            (Some(server), Some(definition)) => Ok((server.clone(), definition.key.to_string())),
            _ => Err(CommandFailure::new(format!(
                "`{}` is a tool of Toolgate's own, and leads to others",
                visible(&self.tool)
            ))),
        }
    }
}

/// The tool that agents see under this name; or why there is none.
pub(super) async fn public_tool(
    name: &str,
    hosted: &ErrandHost,
) -> Result<Arc<ToolEntry>, CommandFailure> {
    hosted.progress.doing(&format!("looking for {}", visible(name)));
    let found = hosted.host.find_tool(&hosted.audience, name);
    if let Some(entry) = hosted.unless_interrupted(found).await? {
        return Ok(entry);
    }
    // Its server may be the one that is not there.
    let mut missing = hosted.missing(|status| status.tools.is_some()).into_iter();
    Err(match missing.find(|one| reads_as(name, &one.id).is_some()) {
        Some(missing) => missing.failure().code(missing.code()),
        None => unknown_tool(name, &hosted.host.view(&hosted.audience)),
    })
}

/// A name that no tool has for those who see this; where tools have it at their servers, they are
/// meant.
fn unknown_tool(typed: &str, view: &ToolView) -> CommandFailure {
    let message = "no tool has this name";
    let is_its_own = |entry: &&Arc<ToolEntry>| {
        entry.definition().is_some_and(|definition| *definition.key == *typed)
    };
    let same: Vec<String> = view
        .tools()
        .filter(is_its_own)
        .map(|entry| format!("`{}`", visible(entry.name())))
        .collect();
    let servers = view.tools().filter_map(|entry| entry.server());
    let of_server = servers.into_iter().find(|id| reads_as(typed, id.as_str()).is_some());
    let see = of_server.map(|id| format!("toolgate tools --server {id}"));
    let see = see.unwrap_or_else(|| "toolgate tools".to_owned());
    let failure = unknown_name(message, typed, view.tools().map(|entry| entry.name()), &see);
    match same.is_empty() {
        true => failure,
        false => failure.hint(format!("did you mean {}?", same.join(" or "))),
    }
}

/// A server's id where a tool's name could stand.
fn ambiguous(id: &str, other: Option<&str>, naming: Naming) -> CommandFailure {
    let shown = visible(id);
    if let Some(other) = other {
        let tool = reads_as(id, other).unwrap_or_default();
        let message =
            format!("`{shown}` is a server, and may be the tool `{tool}` of the server `{other}`");
        return CommandFailure::usage(message)
            .hint(format!("name the server first: `{other} {tool}`, or `{shown} TOOL`"));
    }
    let failure = match naming {
        Naming::Bare => {
            let message = format!("`{shown}` is a server, and may be a tool of another");
            CommandFailure::usage(message)
        }
        _ => CommandFailure::usage(format!("`{shown}` is a server: which of its tools?")),
    };
    failure.hint(format!(
        "name the server first, then the tool; see `toolgate tools --server {shown}`"
    ))
}

/// Everything that was written down as a server, whether it makes sense or not.
fn ids(loaded: &McpConfigLoadResult) -> impl Iterator<Item = &str> {
    let rejected = loaded.rejected.iter().filter(|entry| entry.kind == EntryKind::Server);
    let rejected = rejected.map(|entry| entry.id.as_str());
    let local = (!loaded.config.tools.is_empty()).then_some(ServerId::LOCAL);
    loaded.config.servers.keys().map(|id| id.as_str()).chain(rejected).chain(local)
}

/// What is left of a public name after this server's id, where it has that in front.
pub(super) fn reads_as<'n>(name: &'n str, id: &str) -> Option<&'n str> {
    let name = name.strip_prefix("mcp__").unwrap_or(name);
    let rest = name.strip_prefix(id)?;
    rest.strip_prefix("__").or_else(|| rest.strip_prefix('.')).filter(|tool| !tool.is_empty())
}

#[cfg(test)]
mod tests {
    use toolgate_config::{LoadOptions, load};

    use super::*;

    fn loaded(text: &str) -> McpConfigLoadResult {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("own.toml");
        std::fs::write(&file, text).unwrap();
        let mut options = LoadOptions::new(folder.path());
        options.env.insert("TOOLGATE_GLOBAL_CONFIG".to_owned(), file.display().to_string());
        load(&options)
    }

    fn read(line: &str, loaded: &McpConfigLoadResult) -> Result<(TypedTool, usize), String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        TypedTool::read(&words[0], &words[1..], loaded)
            .map(|(typed, left)| (typed, left.len()))
            .map_err(|failure| {
                format!("{} | {}", failure.message, failure.hint.unwrap_or_default())
            })
    }

    fn exact(server: &str, tool: &str) -> TypedTool {
        TypedTool { server: Some(server.to_owned()), tool: tool.to_owned() }
    }

    fn public(name: &str) -> TypedTool {
        TypedTool { server: None, tool: name.to_owned() }
    }

    #[test]
    fn a_tool_is_named_by_its_public_name_or_after_its_server() {
        let loaded = loaded("[servers.files]\ncommand = \"x\"\n[servers.bad]\ncomand = \"x\"\n");
        for (line, meant, left) in [
            ("files read", exact("files", "read"), 0),
            ("files read a=1 b=2", exact("files", "read"), 2),
            ("bad read", exact("bad", "read"), 0),
            ("flies read", exact("flies", "read"), 0),
            ("files__read", public("files__read"), 0),
            ("files__read a=1", public("files__read"), 1),
            ("mcp__files__read a=1", public("mcp__files__read"), 1),
            // What has no `=` is no server's tool here, but an argument that was mistyped.
            ("files__read notes.md", public("files__read"), 1),
            ("files.read notes.md", public("files.read"), 1),
        ] {
            assert_eq!(read(line, &loaded), Ok((meant, left)), "{line}");
        }
        let which = read("files", &loaded).unwrap_err();
        assert!(which.starts_with("`files` is a server: which of its tools? | "), "{which}");
    }

    #[test]
    fn what_means_two_things_is_refused_with_both() {
        let two = "[servers.a]\ncommand = \"x\"\n[servers.a__b]\ncommand = \"x\"\n";
        let both = loaded(two);
        assert_eq!(
            read("a__b x=1", &both).unwrap_err(),
            "`a__b` is a server, and may be the tool `b` of the server `a` | \
             name the server first: `a b`, or `a__b TOOL`"
        );
        assert_eq!(read("a__b c x=1", &both), Ok((exact("a__b", "c"), 1)));
        let bare = loaded(&format!("gateway.naming = \"bare\"\n{two}"));
        assert!(read("a x=1", &bare).unwrap_err().contains("may be a tool of another"));
    }
}
