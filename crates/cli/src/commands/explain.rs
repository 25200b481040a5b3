//! `toolgate explain <server> <tool>`: how a tool is shown, what would be decided, and by which
//! rule. For the owner of the configuration; a caller is never told this much.

use serde::Serialize;
use toolgate_daemon::{ErrandHost, HostWish, server_id};
use toolgate_guard::ToolExposure;
use toolgate_host::Explanation;
use toolgate_terminal::CommandOutput;
use toolgate_types::visible;

use crate::args::ExplainArgs;
use crate::call_arguments::read_arguments;
use crate::command_host::with_host;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::Surroundings;

/// What was found out, and whether the server gave its list of tools.
struct ExplainedTool {
    explanation: Explanation,
    is_listed: bool,
}

pub(crate) fn run(
    arguments: &ExplainArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let ExplainArgs { server, tool, role, args } = arguments;
    let given = read_arguments(&[], args.as_deref(), surroundings)?.object(None)?;
    let role = role.as_deref();
    let wish = HostWish { only: Some(server), role, cached: false, answers: false, waits: false };
    let explained = with_host(wish, surroundings, output, async |hosted| {
        hosted.progress.doing(&format!("asking {server}"));
        hosted.unless_interrupted(explain(hosted, server, tool, &given)).await?
    })??;
    let ExplainedTool { explanation: Explanation { exposed, ruling, is_known }, is_listed } =
        explained;
    let (exposure, hidden) = match &exposed {
        ToolExposure::Direct => ("direct", None),
        ToolExposure::Meta => ("meta", None),
        ToolExposure::Hidden { why } => ("hidden", Some(why.to_string())),
    };
    let (decision, reason) = (ruling.as_str(), ruling.reason().to_string());
    if output.json {
        let document =
            ExplainJson { server, tool, role, is_known, exposure, hidden, decision, reason };
        output.document_of(&document);
    } else {
        let shown = match (&exposed, hidden) {
            (ToolExposure::Direct, _) => "listed itself".to_owned(),
            (ToolExposure::Meta, _) => "through the meta tools".to_owned(),
            (_, why) => format!("hidden: {}", visible(&why.unwrap_or_default())),
        };
        output.line(format!("tool      {server}/{}", visible(tool)));
        output.line(format!("shown     {shown}"));
        output.line(format!("decision  {decision}: {}", visible(&reason)));
    }
    if !is_known {
        output.warning(match is_listed {
            true => "the server has no such tool",
            false => "the server gave no list, so what it says of its tools is not in this",
        });
    }
    Ok(Exit::Ok)
}

async fn explain(
    hosted: &ErrandHost,
    server: &str,
    tool: &str,
    arguments: &serde_json::value::RawValue,
) -> Result<ExplainedTool, CliFailure> {
    let id = server_id(server)?;
    let explained = hosted.host.explain(&hosted.audience, &id, tool, Some(arguments)).await;
    let explanation = explained
        .map_err(CliFailure::new)?
        .ok_or_else(|| CliFailure::new(format!("MCP server not found: {server}")))?;
    let is_listed =
        hosted.host.status().iter().any(|status| status.id == id && status.tools.is_some());
    Ok(ExplainedTool { explanation, is_listed })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ExplainJson<'a> {
    server: &'a str,
    tool: &'a str,
    role: Option<&'a str>,
    /// Whether the server lists such a tool.
    is_known: bool,
    exposure: &'a str,
    #[serde(rename = "hiddenBecause")]
    hidden: Option<String>,
    decision: &'a str,
    reason: String,
}
