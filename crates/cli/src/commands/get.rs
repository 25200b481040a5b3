//! `toolgate get <id>`: one server as it is configured, with its origin and standing.

use serde_json::{Map, Value};
use toolgate_config::show;
use toolgate_daemon::find_server;
use toolgate_types::Standing;

use super::config::show::as_toml;
use super::list::origin;
use crate::args::Named;
use crate::failure::{Done, Exit};
use crate::output::Output;
use crate::surroundings::Surroundings;
use crate::trust_standing;

pub(crate) fn run(arguments: &Named, surroundings: &Surroundings, output: &mut Output) -> Done {
    let loaded = surroundings.load(arguments.scope);
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
        fields.insert("trust".into(), trust_standing::word(&standing).into());
        output.document(fields);
        return Ok(Exit::Ok);
    }
    output.line(format!("# {} · {}", entry.origin.layer, entry.origin));
    output.line(match &standing {
        Standing::Accepted(trust) => format!("# {}", trust.as_str()),
        Standing::Pending(reason) => format!("# pending: {reason}; see `toolgate trust`"),
    });
    output.raw(&as_toml(&["servers", id], &Value::Object(shown))?);
    Ok(Exit::Ok)
}
