//! `toolgate pins diff`: what servers send now against what was accepted, with nothing hidden.

use serde::Serialize;
use toolgate_assembly::{PinnedServer, pin_drift};
use toolgate_config::McpConfigLoadResult;
use toolgate_guard::DefinitionChange;
use toolgate_terminal::CommandOutput;
use toolgate_types::visible;

use crate::failure::{CommandResult, Exit};
use crate::pinned_tools::{find, pinned};
use crate::surroundings::Surroundings;

#[derive(Serialize)]
struct PinsDiffJson {
    changed: Vec<ChangedPin>,
}

#[derive(Serialize)]
struct ChangedPin {
    server: String,
    tool: String,
    severity: &'static str,
    changes: Vec<PinChangeJson>,
    more: usize,
}

#[derive(Serialize)]
struct PinChangeJson {
    place: String,
    before: Option<String>,
    after: Option<String>,
    severity: &'static str,
}

pub(super) fn run(
    server: Option<&str>,
    loaded: &McpConfigLoadResult,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let all = match server {
        Some(server) => vec![find(surroundings, loaded, server)?],
        None => pinned(surroundings, loaded)?,
    };
    let mut document = PinsDiffJson { changed: Vec::new() };
    for of in &all {
        for pin in of.all() {
            let Some(drift) = pin_drift(pin) else { continue };
            if !output.json {
                output.line(format!("{}/{}", of.key.server, visible(&pin.tool)));
                for line in drift.lines() {
                    output.line(format!("  {line}"));
                }
                continue;
            }
            let one = |DefinitionChange { place, before, after, severity }: DefinitionChange| {
                PinChangeJson { place, before, after, severity: severity.as_str() }
            };
            document.changed.push(ChangedPin {
                server: of.key.server.to_string(),
                tool: pin.tool.clone(),
                severity: drift.severity.as_str(),
                changes: drift.changes.into_iter().map(one).collect(),
                more: drift.more,
            });
        }
    }
    let is_changed = |of: &PinnedServer| of.all().any(|pin| pin.live.is_some());
    match output.json {
        true => output.document_of(&document),
        false if all.iter().any(is_changed) => {}
        false => output.line("every tool is as it was accepted, as far as its server was seen"),
    }
    Ok(Exit::Ok)
}
