//! `toolgate get <id>`: one server as it is configured, with its origin and standing.

use serde_json::{Map, Value};
use toolgate_config::show;
use toolgate_daemon::find_server;
use toolgate_terminal::CommandOutput;
use toolgate_types::EntryStanding;

use super::config::show::as_toml;
use super::list::origin;
use crate::args::NamedArgs;
use crate::failure::{CommandResult, Exit};
use crate::surroundings::Surroundings;
use crate::trust_standing;

pub(crate) fn run(
    arguments: &NamedArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let loaded = surroundings.load_shown(arguments.scope);
    let id = arguments.id.as_str();
    let entry = find_server(&loaded, id)?;
    let known = surroundings.acceptances(&loaded)?;
    let standing = trust_standing::server_standing(id, entry, &known);
    let shown = show::server(&entry.value);
    if output.json {
        let mut fields = Map::new();
        fields.insert("id".into(), id.into());
        fields.insert("server".into(), Value::Object(shown));
        fields.insert("source".into(), entry.origin.layer.as_str().into());
        fields.insert("origin".into(), origin(&entry.origin));
        fields.insert("values".into(), entry.values.iter().map(origin).collect());
        fields.insert("trust".into(), standing.as_str().into());
        output.document(fields);
        return Ok(Exit::Ok);
    }
    output.line(format!("# {} · {}", entry.origin.layer, entry.origin));
    output.line(match &standing {
        EntryStanding::Accepted(trust) => format!("# {}", trust.as_str()),
        EntryStanding::Pending(reason) => format!("# pending: {reason}; see `toolgate trust`"),
    });
    output.raw(&as_toml(&["servers", id], &Value::Object(shown))?);
    Ok(Exit::Ok)
}
