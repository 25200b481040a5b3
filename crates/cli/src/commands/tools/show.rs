//! `toolgate tools show`: one tool as its server defines it, for a reader.

use serde::Serialize;
use serde_json::value::RawValue;
use toolgate_daemon::{DescribeTool, ListedTool, TypedTool};
use toolgate_terminal::{CommandOutput, ToolPage};

use crate::args::ToolsShowArgs;
use crate::errand::{self, ErrandPlace};
use crate::failure::{CommandResult, Exit};
use crate::surroundings::Surroundings;

#[derive(Serialize)]
struct ToolJson<'a> {
    name: Option<&'a str>,
    #[serde(rename = "reachedThrough", skip_serializing_if = "Option::is_none")]
    through: Option<&'a str>,
    server: Option<&'a str>,
    tool: Option<&'a str>,
    #[serde(rename = "ownName", skip_serializing_if = "Option::is_none")]
    own_name: Option<&'a str>,
    definition: Option<&'a RawValue>,
}

pub(super) fn run(
    arguments: &ToolsShowArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let ToolsShowArgs { name, tool, standalone } = arguments;
    let loaded = surroundings.load_as_hosted();
    let (typed, _) = TypedTool::read(name, tool.as_slice(), &loaded)?;
    let errand = DescribeTool { server: typed.server, tool: typed.tool };
    let place = ErrandPlace::new(*standalone);
    let found = errand::run(&errand, place, surroundings, output)??;
    let ListedTool { name, through, server, tool, own_name, description, definition, .. } = &found;
    let (name, through) = (name.as_deref(), through.as_deref());
    let (server, tool) = (server.as_deref(), tool.as_deref());
    let (own_name, definition) = (own_name.as_deref(), definition.as_deref());
    match output.json {
        true => output.document_of(&ToolJson { name, through, server, tool, own_name, definition }),
        false => {
            let description = description.as_deref();
            output.raw(&ToolPage { name, through, server, tool, description, definition }.text());
        }
    }
    Ok(Exit::Ok)
}
