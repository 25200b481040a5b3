//! `toolgate use <role>`: agents see what that role shows and nothing else, until `toolgate use --all`.

use serde_json::Map;
use toolgate_daemon::{PersonSwitches, SwitchReach};
use toolgate_terminal::CommandOutput;
use toolgate_types::{RoleId, visible};

use crate::args::UseArgs;
use crate::failure::{CommandResult, Exit};
use crate::surroundings::{Surroundings, wait};

pub(crate) fn run(
    arguments: &UseArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let switches = surroundings.switches()?;
    let reach = if arguments.here { SwitchReach::Here } else { SwitchReach::Everywhere };
    match &arguments.role {
        Some(role) => {
            let role = wait(switches.use_role(role, reach))?;
            output.note(format!("from now on agents see what role {role} shows, and nothing else"));
            output.note(match arguments.here {
                true => "undo with: toolgate use --all --here",
                false => "undo with: toolgate use --all",
            });
        }
        None if arguments.all => {
            let was_any = wait(switches.use_all(arguments.here.then_some(SwitchReach::Here)))?;
            if !was_any {
                output.note("no role was in use");
            }
        }
        None => {}
    }
    let is_shown = arguments.role.is_none();
    let roles: Vec<_> = switches.loaded.config.roles.keys().map(RoleId::as_str).collect();
    tell(&switches, is_shown.then_some(&roles), output)
}

/// Which role counts here now.
fn tell(
    switches: &PersonSwitches,
    roles: Option<&Vec<&str>>,
    output: &mut CommandOutput,
) -> CommandResult {
    let in_use = wait(switches.in_force())?.role;
    if output.json {
        let mut fields = Map::new();
        let (role, scope) =
            in_use.map(|(role, scope)| (role.to_string(), scope.to_string())).unzip();
        fields.insert("role".into(), role.into());
        fields.insert("scope".into(), scope.into());
        output.document(fields);
        return Ok(Exit::Ok);
    }
    let Some(roles) = roles else { return Ok(Exit::Ok) };
    output.line(match in_use {
        Some((role, scope)) => format!("role {role} is in use ({})", visible(&scope.to_string())),
        None => "no role is in use: agents see everything that is configured for them".to_owned(),
    });
    if !roles.is_empty() {
        output.note(format!("roles: {}", roles.join(", ")));
    }
    Ok(Exit::Ok)
}
