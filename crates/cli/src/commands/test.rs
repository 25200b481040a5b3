//! `toolgate test <id>`: connects to one server, shakes hands, lists its tools, and says what
//! failed and why.

use serde_json::{Map, Value, json};
use toolgate_daemon::{ServerTest, find_server, in_lines, login_hint, test_server};
use toolgate_mask::Masker;
use toolgate_terminal::{CommandOutput, counted};
use toolgate_types::config::Transport;
use toolgate_types::{Accepted, ServerId, visible};
use toolgate_upstream::ConnectError;

use crate::args::NamedArgs;
use crate::command_runtime::command_runtime;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::progress::keep_from_terminal;
use crate::surroundings::Surroundings;
use crate::trust_standing;

/// The most that is shown of each line of a server's last words.
const LONGEST_LINE: usize = 500;

pub(crate) fn run(
    arguments: &NamedArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let mut loaded = surroundings.load_shown(arguments.scope);
    // What it complains of is in its last words, where it fails.
    keep_from_terminal(&mut loaded.config);
    let entry = find_server(&loaded, &arguments.id)?;
    if matches!(entry.value.transport, Transport::Builtin) {
        let id = &arguments.id;
        return Err(CliFailure::usage(format!(
            "server {id} is built in: there is nothing to reach"
        ))
        .hint(format!("see `toolgate tools --server {id}`")));
    }
    let known = surroundings.acceptances(&loaded)?;
    let standing = trust_standing::server_standing(&arguments.id, entry, &known);
    let server = Accepted::new(&entry.value, &standing).map_err(|reason| {
        CliFailure::new(format!("server {} is pending: {reason}", arguments.id))
            .hint("nothing was started; accept it with: toolgate trust")
            .exits(Exit::TrustNeeded)
    })?;
    let runtime = command_runtime()?;
    let id = ServerId::parse(&arguments.id).map_err(CliFailure::new)?;
    let store = surroundings.store().ok();
    let store = store.as_ref().map(|store| store as _);
    let ground = surroundings.test_ground(&loaded.config);
    // Of all that is configured, and of what it will be shown: a secret is one wherever it turns up.
    let masker = ground.masker.clone();
    let tested = runtime.block_on(test_server(&id, server, entry, ground, store));
    let tested = tested.map_err(|error| explain(&id, &error, &masker))?.masked(&masker);
    if output.json {
        output.document(document(&tested, &id));
    } else {
        output.line(sentence(&tested, &id));
        for odd in &tested.tools.set_aside {
            output.warning(format!("a tool was set aside: {}", visible(odd)));
        }
    }
    Ok(Exit::Ok)
}

fn sentence(tested: &ServerTest, id: &ServerId) -> String {
    let ServerTest { name, revision, era, tools } = tested;
    let tools = counted(tools.items.len(), "tool");
    format!("ok: {id} is {name}, speaks {revision} ({era}), offers {tools}")
}

fn document(tested: &ServerTest, id: &ServerId) -> Map<String, Value> {
    let ServerTest { name, revision, era, tools } = tested;
    let names: Vec<&str> = tools.items.iter().map(|(name, _)| name.as_str()).collect();
    let fields = json!({
        "id": id.as_str(), "ok": true, "server": name, "revision": revision, "era": era,
        "tools": names, "setAside": tools.set_aside,
    });
    fields.as_object().cloned().unwrap_or_default()
}

fn explain(id: &ServerId, error: &ConnectError, masker: &Masker) -> CliFailure {
    let (exit, hint) = match error {
        ConnectError::Unauthorized { .. } | ConnectError::NoLogin { .. } => {
            (Exit::LoginNeeded, Some(login_hint(id.as_str(), &error.to_string())))
        }
        ConnectError::Setup { hint, .. } => (Exit::Unreachable, hint.map(str::to_owned)),
        ConnectError::Status { status: 404 } => {
            (Exit::Unreachable, Some("check the path of the URL".to_owned()))
        }
        ConnectError::Html => (Exit::Unreachable, Some("check the path of the URL".to_owned())),
        ConnectError::TimedOut(_) | ConnectError::StartTimedOut { .. } => {
            (Exit::Unreachable, Some("give it more time with `startup_timeout_ms`".to_owned()))
        }
        _ => (Exit::Unreachable, None),
    };
    let why = masker.mask_and_cut(&error.to_string(), LONGEST_LINE);
    let failure = CliFailure::new(format!("{id}: {}", in_lines(&why))).exits(exit);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
