//! Variables that servers take from the environment by name, and that are not set. What `${NAME}` names
//! is found by the load itself, since without it there is no value at all.

use toolgate_types::config::{Config, Entry, HeaderValue, Server, Transport};
use toolgate_types::{EnvName, Origin, Variables};

use crate::problem::{Problem, Severity};

/// A warning for each. They may well be set where the server is used.
pub fn unset_variables(config: &Config, variables: &Variables) -> Vec<Problem> {
    let enabled = config.servers.values().filter(|entry| entry.value.enabled);
    enabled.flat_map(|entry| of_server(entry, variables)).collect()
}

/// Whether a variable gives a server nothing.
pub(crate) fn is_unset(name: &EnvName, variables: &Variables) -> bool {
    variables.get(name.as_str()).is_none_or(|value| value.trim().is_empty())
}

fn of_server(entry: &Entry<Server>, variables: &Variables) -> Vec<Problem> {
    let named: Vec<(&EnvName, &str, &str)> = match &entry.value.transport {
        Transport::Builtin | Transport::Commands(_) => Vec::new(),
        Transport::Stdio(stdio) => {
            stdio.env_vars.iter().map(|name| (name, "env_vars", "the process gets none")).collect()
        }
        Transport::Remote(remote) => {
            let headers = remote.headers.values().filter_map(|value| match value {
                HeaderValue::FromEnv(name) => Some((name, "headers", "the server is not dialled")),
                HeaderValue::Given(_) => None,
            });
            let bearer = remote.bearer_token_env.iter();
            let bearer = bearer.map(|name| (name, "bearer_token_env", "the server is not dialled"));
            headers.chain(bearer).collect()
        }
    };
    let unset = named.into_iter().filter(|(name, ..)| is_unset(name, variables));
    let warning = |(name, key, without): (&EnvName, &str, &str)| {
        let at = place_of(entry, key);
        Problem {
            severity: Severity::Warning,
            rule: "unset-variable",
            source: at.source.clone(),
            key: at.key.clone(),
            line: at.line,
            message: format!("the variable {name} is not set here: {without}"),
            help: Some(format!("set {name} where agents and commands are started")),
        }
    };
    unset.map(warning).collect()
}

/// The place of a key in whatever spelling, or the entry's own.
fn place_of<'e>(entry: &'e Entry<Server>, key: &str) -> &'e Origin {
    let flat = |text: &str| text.replace('_', "").to_ascii_lowercase();
    let wanted = flat(key);
    let named = |at: &&Origin| {
        let inner = at.key.strip_prefix(&entry.origin.key).unwrap_or_default();
        inner.split('.').any(|part| flat(part).contains(&wanted))
    };
    entry.values.iter().find(named).unwrap_or(&entry.origin)
}
