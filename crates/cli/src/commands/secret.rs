//! `toolgate secret`: what a configuration names as `${secret:NAME}`.
//!
//! No secret is an argument, where every process of the machine could read it, and none is printed.

use std::time::SystemTime;

use serde::Serialize;
use toolgate_config::McpConfigLoadResult;
use toolgate_daemon::unknown_name;
use toolgate_store::SecretsFile;
use toolgate_terminal::moment::written;
use toolgate_terminal::{CommandOutput, can_ask, confirm, read_secret, table};
use toolgate_types::{SecretName, SecretsFailure, since_1970};

use crate::args::{ScopeArg, SecretVerb};
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::Surroundings;

pub(crate) fn run(
    verb: SecretVerb,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let kept = SecretsFile::of_state_folder(&surroundings.state_folder()?);
    match verb {
        SecretVerb::Set { name } => set(&name, &kept, output),
        SecretVerb::List => list(&kept, surroundings, output),
        SecretVerb::Remove { name, yes } => remove(&name, yes, &kept, surroundings, output),
    }
}

#[derive(Serialize)]
struct SecretSetJson<'a> {
    set: &'a str,
    replaced: bool,
}

fn set(name: &SecretName, kept: &SecretsFile, output: &mut CommandOutput) -> CommandResult {
    output.flush();
    // Before anybody types it in vain.
    kept.list().map_err(failed)?;
    let read = read_secret(&format!("secret {name} (not shown):"));
    let read = read.map_err(|error| CliFailure::new(format!("cannot read the secret: {error}")))?;
    let Some(value) = read.filter(|value| !value.expose().is_empty()) else {
        return Err(
            CliFailure::new("nothing was given, and nothing was changed").exits(Exit::Usage)
        );
    };
    if value.expose().contains('\0') {
        let why = "a secret cannot hold a NUL character, since no variable can";
        return Err(CliFailure::new(why).exits(Exit::Usage));
    }
    let now = since_1970(SystemTime::now());
    let replaced = kept.set(name, value, now).map_err(failed)?;
    if output.json {
        output.document_of(&SecretSetJson { set: name.as_str(), replaced });
    }
    output.note(match replaced {
        true => format!("replaced secret {name}; it counts for what starts from now on"),
        false => format!("kept secret {name}; entries name it as ${{secret:{name}}}"),
    });
    Ok(Exit::Ok)
}

#[derive(Serialize)]
struct SecretListJson {
    secrets: Vec<ListedSecret>,
    /// Named by entries here, and not kept.
    missing: Vec<ListedSecret>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedSecret {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    set_at: Option<String>,
    used_by: Vec<String>,
}

fn list(
    kept: &SecretsFile,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let all = kept.list().map_err(failed)?;
    let loaded = surroundings.load(ScopeArg::Effective);
    let listed = |name: &SecretName, set_at: Option<u64>| ListedSecret {
        name: name.to_string(),
        set_at: set_at.map(written),
        used_by: users(&loaded, name),
    };
    let secrets: Vec<_> = all.iter().map(|(name, one)| listed(name, Some(one.set_at))).collect();
    let missing = loaded.named_secrets().into_iter().filter(|name| !all.contains_key(*name));
    let missing: Vec<_> = missing.map(|name| listed(name, None)).collect();
    if output.json {
        output.document_of(&SecretListJson { secrets, missing });
    } else if secrets.is_empty() && missing.is_empty() {
        output.line("there are no secrets");
    } else {
        let rows = secrets.into_iter().chain(missing).map(|one| {
            let set_at = one.set_at.unwrap_or_else(|| "not set".to_owned());
            vec![one.name, set_at, one.used_by.join(", ")]
        });
        output.raw(&table(&["name", "set", "used here by"], &rows.collect::<Vec<_>>()));
    }
    Ok(Exit::Ok)
}

fn remove(
    name: &SecretName,
    yes: bool,
    kept: &SecretsFile,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let all = kept.list().map_err(failed)?;
    if !all.contains_key(name) {
        let known = all.keys().map(SecretName::as_str);
        let message = "there is no secret of this name";
        return Err(unknown_name(message, name.as_str(), known, "toolgate secret list").into());
    }
    let used_by = users(&surroundings.load(ScopeArg::Effective), name);
    let used = match used_by.is_empty() {
        true => String::new(),
        false => format!(", which {} here would not start without", used_by.join(" and ")),
    };
    output.flush();
    if !yes && !can_ask() {
        return Err(CliFailure::new("removing a secret asks, and nobody is there to answer")
            .hint("use --yes")
            .exits(Exit::Usage));
    }
    if !yes && !confirm(&format!("forget secret {name}{used}?")) {
        output.note("nothing was changed");
        return Ok(Exit::Ok);
    }
    kept.remove(name).map_err(failed)?;
    if output.json {
        let mut fields = serde_json::Map::new();
        fields.insert("removed".into(), name.as_str().into());
        output.document(fields);
    }
    output.note(format!("removed secret {name}"));
    Ok(Exit::Ok)
}

/// What names a secret in the configuration that counts here.
fn users(loaded: &McpConfigLoadResult, name: &SecretName) -> Vec<String> {
    loaded.users_of(name).into_iter().map(|(kind, id)| format!("{kind} {id}")).collect()
}

fn failed(failure: SecretsFailure) -> CliFailure {
    CliFailure::new(&failure.why).hint(failure.hint)
}
