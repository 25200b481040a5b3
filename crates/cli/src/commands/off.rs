//! `toolgate off <server>` and `toolgate on <server>`: agents do without a server for a while. No file
//! is edited.

use serde_json::Map;
use toolgate_control::{ControlClient, WindowSwitchAnswer, WindowSwitchRequest};
use toolgate_daemon::{PersonSwitches, SwitchReach};
use toolgate_terminal::{CommandOutput, counted};
use toolgate_types::{ServerId, visible};

use crate::args::OffArgs;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::{Surroundings, wait};

pub(crate) fn off(
    arguments: &OffArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let switches = surroundings.switches()?;
    let server = switches.server(&arguments.id, &surroundings.options())?;
    let (scope, undo) = if arguments.session {
        let WindowSwitchAnswer { windows, .. } = windows(&server, true, &switches, surroundings)?;
        if windows == 0 {
            return Err(CliFailure::new("no window of an agent is open here")
                .hint("leave --session out, or say --here"));
        }
        (
            format!("for {} that {} open here now", counted(windows, "window"), are(windows)),
            " --session",
        )
    } else {
        let reach = if arguments.here { SwitchReach::Here } else { SwitchReach::Everywhere };
        wait(switches.off(server.clone(), reach))?;
        match arguments.here {
            true => (format!("in {} and below", switches.here().display()), " --here"),
            false => ("everywhere".to_owned(), ""),
        }
    };
    output.note(format!("{server} is off {}", visible(&scope)));
    output.note(format!("undo with: toolgate on {server}{undo}"));
    report("off", &server, &switches, output)
}

pub(crate) fn on(
    arguments: &OffArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let switches = surroundings.switches()?;
    // One that is not configured any more can still be off.
    let is_off = wait(switches.in_force())?.off;
    let server = match is_off.keys().find(|off| off.as_str() == arguments.id) {
        Some(server) => server.clone(),
        None => switches.server(&arguments.id, &surroundings.options())?,
    };
    let reach = arguments.here.then_some(SwitchReach::Here);
    let was_off = !arguments.session && wait(switches.on(&server, reach))?;
    let changed = match arguments.here {
        true => 0,
        false => windows(&server, false, &switches, surroundings)?.changed,
    };
    output.note(match was_off || changed > 0 {
        true => format!("{server} is on again"),
        false => format!("{server} was not off by a switch"),
    });
    match wait(switches.in_force())?.off.get(&server) {
        Some(scope) => {
            let scope = visible(&scope.to_string());
            output.warning(format!("{server} is still off {scope}; see `toolgate on {server}`"));
        }
        None if is_disabled(&server, &switches) => {
            output.warning(format!("its entry is disabled; see `toolgate enable {server}`"));
        }
        None => {}
    }
    report("on", &server, &switches, output)
}

fn is_disabled(server: &ServerId, switches: &PersonSwitches) -> bool {
    let entry = switches.loaded.config.servers.get(server);
    entry.is_some_and(|entry| !entry.value.enabled)
}

/// What the windows that work here are to do. Without a daemon there are none.
fn windows(
    server: &ServerId,
    is_off: bool,
    switches: &PersonSwitches,
    surroundings: &Surroundings,
) -> Result<WindowSwitchAnswer, CliFailure> {
    let Some(daemon) = ControlClient::find(&surroundings.variables)? else {
        return Ok(WindowSwitchAnswer::default());
    };
    let (folder, server) = (switches.here().to_owned(), server.to_string());
    Ok(daemon.switch_windows(&WindowSwitchRequest { folder, server, is_off })?)
}

fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

fn report(
    word: &str,
    server: &ServerId,
    switches: &PersonSwitches,
    output: &mut CommandOutput,
) -> CommandResult {
    if output.json {
        let off = wait(switches.in_force())?.off.get(server).map(ToString::to_string);
        let mut fields = Map::new();
        fields.insert(word.to_owned(), server.as_str().into());
        fields.insert("switchedOff".into(), off.into());
        output.document(fields);
    }
    Ok(Exit::Ok)
}
