//! `toolgate explain <name>`, or `<server> <tool>`: how a tool is shown, what would be decided, and by which
//! rule. For the owner of the configuration; a caller is never told this much.

use serde::Serialize;
use toolgate_daemon::{ErrandHost, HostWish, TypedTool, unknown_server};
use toolgate_guard::ToolExposure;
use toolgate_host::Explanation;
use toolgate_terminal::CommandOutput;
use toolgate_types::{ListKind, ServerId, did_you_mean, visible};

use crate::args::ExplainArgs;
use crate::call_arguments::read_arguments;
use crate::command_host::with_host;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::Surroundings;

/// What was found out, and whether the server gave its list of tools.
struct ExplainedTool {
    server: ServerId,
    tool: String,
    /// What was probably meant, where the server has no such tool.
    suggestion: Option<String>,
    explanation: Explanation,
    is_listed: bool,
}

pub(crate) fn run(
    arguments: &ExplainArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let ExplainArgs { name, tool, role, at, args } = arguments;
    let acting = at.acting(role.as_deref());
    let given = read_arguments(&[], args.as_deref(), surroundings)?.object(None)?;
    let loaded = surroundings.load_as_hosted();
    let (typed, _) = TypedTool::read(name, tool.as_slice(), &loaded)?;
    let (only, role) = (typed.server.as_deref(), acting.as_deref());
    let wish = HostWish { only, role, explains: true, ..HostWish::default() };
    let explained = with_host(wish, surroundings, output, async |hosted| {
        let (server, tool) = typed.found(hosted).await?;
        hosted.progress.doing(&format!("asking {server}"));
        hosted.unless_interrupted(explain(hosted, server, tool, &given)).await?
    })??;
    let ExplainedTool { server, tool, explanation, is_listed, suggestion } = explained;
    let Explanation { exposed, ruling, is_known, shaping } = explanation;
    let (server, tool) = (server.as_str(), tool.as_str());
    let (exposure, hidden) = match &exposed {
        ToolExposure::Direct => ("direct", None),
        ToolExposure::Meta => ("meta", None),
        ToolExposure::Hidden { why } => ("hidden", Some(why.to_string())),
    };
    let (decision, reason) = (ruling.as_str(), ruling.reason().to_string());
    if output.json {
        let shaping = shaping.map(|shaping| shaping.to_string());
        let document = ExplainJson {
            server,
            tool,
            role,
            is_known,
            exposure,
            hidden,
            shaping,
            decision,
            reason,
        };
        output.document_of(&document);
    } else {
        let shown = match (&exposed, hidden) {
            (ToolExposure::Direct, _) => "listed itself".to_owned(),
            (ToolExposure::Meta, _) => "through the meta tools".to_owned(),
            (_, why) => format!("hidden: {}", visible(&why.unwrap_or_default())),
        };
        output.line(format!("tool      {server}/{}", visible(tool)));
        output.line(format!("shown     {shown}"));
        if let Some(shaping) = &shaping {
            output.line(format!("shaped    {shaping}"));
        }
        output.line(format!("decision  {decision}: {}", visible(&reason)));
    }
    if !is_known {
        let meant = suggestion.map_or_else(String::new, |meant| format!("; {meant}"));
        output.warning(match is_listed {
            true => format!("the server has no such tool{meant}"),
            false => {
                "the server gave no list, so what it says of its tools is not in this".to_owned()
            }
        });
    }
    Ok(Exit::Ok)
}

async fn explain(
    hosted: &ErrandHost,
    server: ServerId,
    tool: String,
    arguments: &serde_json::value::RawValue,
) -> Result<ExplainedTool, CliFailure> {
    let explained = hosted.host.explain(&hosted.audience, &server, &tool, Some(arguments)).await;
    let explanation = explained
        .map_err(CliFailure::new)?
        .ok_or_else(|| unknown_server(server.as_str(), [] as [&str; 0]))?;
    let is_listed =
        hosted.host.status().iter().any(|status| status.id == server && status.tools.is_some());
    let address = &hosted.audience.address;
    let known = hosted.host.found(address, ListKind::Tools, Some(&server)).await;
    let known = known.iter().map(|found| &found.definition.key);
    let suggestion = did_you_mean(&tool, known).filter(|_| !explanation.is_known);
    Ok(ExplainedTool { server, tool, suggestion, explanation, is_listed })
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
    /// How its entry has it shown and called.
    #[serde(rename = "shapedTo", skip_serializing_if = "Option::is_none")]
    shaping: Option<String>,
    decision: &'a str,
    reason: String,
}
