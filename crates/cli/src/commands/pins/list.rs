//! `toolgate pins list`: what is pinned of the servers that are configured here.

use serde::Serialize;
use toolgate_assembly::{PinnedServer, pin_drift};
use toolgate_config::McpConfigLoadResult;
use toolgate_store::Pin;
use toolgate_terminal::{CommandOutput, table};
use toolgate_types::visible;

use crate::failure::{CommandResult, Exit};
use crate::pinned_tools::pinned;
use crate::surroundings::Surroundings;
use toolgate_terminal::moment::written;

const HEADER: [&str; 5] = ["server", "tool", "state", "by", "accepted"];

#[derive(Serialize)]
struct PinsListJson {
    pins: Vec<PinRow>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PinRow {
    server: String,
    tool: String,
    /// `instructions` where it is what the server says of how to use it, and no tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    /// `accepted`, `changed`, or `unnamed`: seen by nobody until it is accepted by name.
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<&'static str>,
    named: bool,
    by: &'static str,
    accepted_at: String,
    /// Whether it comes from the project's own file.
    of_project: bool,
}

pub(super) fn run(
    loaded: &McpConfigLoadResult,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let all = pinned(surroundings, loaded)?;
    let pins = || all.iter().flat_map(|of| of.all().map(move |pin| (of, pin)));
    if output.json {
        output.document_of(&PinsListJson { pins: pins().map(row).collect() });
        return Ok(Exit::Ok);
    }
    let cells = |(of, pin): (&PinnedServer, &Pin)| {
        vec![
            of.key.server.to_string(),
            visible(&pin.tool),
            state(of, pin),
            pin.by.to_string(),
            written(pin.accepted_at),
        ]
    };
    let rows: Vec<_> = pins().map(cells).collect();
    match rows.is_empty() {
        true => output.line("nothing is pinned yet; tools are when their server is first listed"),
        false => output.raw(&table(&HEADER, &rows)),
    }
    Ok(Exit::Ok)
}

/// In a word or two.
fn state(of: &PinnedServer, pin: &Pin) -> String {
    match pin_drift(pin) {
        Some(drift) => format!("changed ({})", drift.severity),
        None if of.is_unnamed(pin) => "not accepted by name".to_owned(),
        None => "accepted".to_owned(),
    }
}

fn row((of, pin): (&PinnedServer, &Pin)) -> PinRow {
    let drift = pin_drift(pin);
    PinRow {
        server: of.key.server.to_string(),
        tool: pin.tool.clone(),
        kind: of.is_instructions(pin).then_some("instructions"),
        state: match drift {
            Some(_) => "changed",
            None if of.is_unnamed(pin) => "unnamed",
            None => "accepted",
        },
        severity: drift.map(|drift| drift.severity.as_str()),
        named: pin.named,
        by: pin.by.as_str(),
        accepted_at: written(pin.accepted_at),
        of_project: of.key.root.is_some(),
    }
}
