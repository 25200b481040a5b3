//! `toolgate pins accept`: a person looks at what changed, tool by tool, and says yes or no. A server
//! that was never listed is listed first.

use toolgate_assembly::PinnedServer;
use toolgate_config::McpConfigLoadResult;
use toolgate_terminal::{CommandOutput, counted};
use toolgate_types::{Code, did_you_mean, visible};

use crate::failure::{CliFailure, CommandResult, Exit};
use crate::pinned_tools::{accept_each, accept_instructions, find, list_now};
use crate::surroundings::Surroundings;

pub(super) fn run(
    server: &str,
    tools: &[String],
    loaded: &McpConfigLoadResult,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let pinned = find(surroundings, loaded, server)?;
    if pinned.trust.is_none() {
        return Err(CliFailure::new(format!("the server `{}` is pending", visible(server)))
            .hint("accept its entry first: `toolgate trust`")
            .exits(Exit::TrustNeeded));
    }
    let is_known = |pinned: &PinnedServer| {
        let knows = |tool: &String| pinned.pins.iter().any(|pin| pin.tool == *tool);
        !pinned.pins.is_empty() && tools.iter().all(knows)
    };
    let mut pinned = pinned;
    if !is_known(&pinned) {
        // Nothing is started for somebody who could not answer.
        can_ask()?;
        let why = list_now(server, surroundings, output)?;
        pinned = find(surroundings, loaded, server)?;
        if let (Some(why), false) = (why, is_known(&pinned)) {
            return Err(CliFailure::new(visible(&why))
                .hint(format!("see `toolgate test {}`", visible(server)))
                .exits(Exit::Unreachable));
        }
    }
    if let Some(tool) = tools.iter().find(|tool| !pinned.pins.iter().any(|pin| pin.tool == **tool))
    {
        let unknown = format!("the server `{}` has no tool `{}`", visible(server), visible(tool));
        let known = pinned.pins.iter().map(|pin| &pin.tool);
        let hint =
            did_you_mean(tool, known).unwrap_or_else(|| "see `toolgate pins list`".to_owned());
        return Err(CliFailure::new(unknown).hint(hint).code(Code::NotFound));
    }
    let mut open = pinned.open();
    open.retain(|pin| tools.is_empty() || tools.contains(&pin.tool));
    let speaks = |pinned: &PinnedServer| {
        pinned.instructions.as_ref().is_some_and(|pin| pin.live.is_some() && tools.is_empty())
    };
    if open.is_empty() && !speaks(&pinned) {
        output.note("nothing to accept here");
        return Ok(Exit::Ok);
    }
    can_ask()?;
    let (accepted, mut left) = accept_each(&pinned, &open, surroundings, output)?;
    if !open.is_empty() {
        output.note(format!("accepted {}", counted(accepted, "tool")));
    }
    if tools.is_empty() {
        output.flush();
        match accept_instructions(&pinned, surroundings)? {
            Some(true) => output.note("accepted its instructions"),
            Some(false) => left += 1,
            None => {}
        }
    }
    if left > 0 {
        output.note(format!("{left} left as they were"));
        return Ok(Exit::TrustNeeded);
    }
    Ok(Exit::Ok)
}

fn can_ask() -> Result<(), CliFailure> {
    match toolgate_terminal::can_ask() {
        true => Ok(()),
        false => Err(CliFailure::new("accepting needs a person at a terminal")
            .hint("see `toolgate pins diff`")
            .exits(Exit::TrustNeeded)),
    }
}
