//! Whose daemon it is: where that person's things are, and what their variables hold.
//!
//! A shim goes by the environment of the process that started it, not by its own: whoever wrote the
//! client's entry for it, perhaps in a cloned project, wrote what is in its own.

use std::collections::BTreeMap;
use std::path::Path;

use nix::unistd::{User, geteuid};
use toolgate_types::{BASELINE_VARIABLES, NETWORK_VARIABLES, Variables};

use crate::procfs::ParentProcess;

/// What a daemon is started with besides [`BASELINE_VARIABLES`] and [`NETWORK_VARIABLES`]: where things
/// are, where its person can be told something.
const KEPT: [&str; 7] = [
    "TOOLGATE_GLOBAL_CONFIG",
    "CODELIA_CONFIG_PATH",
    "TOOLGATE_LOG",
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
];

/// And what begins like this.
const KEPT_PREFIXES: [&str; 3] = ["XDG_", "LC_", "OTEL_"];

/// Where programs are, if nobody says.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A person, as far as variables tell.
#[derive(Debug, Clone)]
pub struct Person {
    variables: Variables,
    /// What is asked where the person's own variables cannot be seen, and only for other things than
    /// who that person is.
    instead: Variables,
}

impl Person {
    /// Whoever started the client that started this process with variables of its own.
    pub fn behind(parent: Option<&ParentProcess>, own: &Variables) -> Self {
        let seen = parent.and_then(|parent| parent.environ.clone());
        let instead = if seen.is_some() { Variables::new() } else { own.clone() };
        let mut variables = seen.unwrap_or_else(usual_variables);
        if let (false, Some(home)) = (variables.contains_key("HOME"), home()) {
            variables.insert("HOME".to_owned(), home);
        }
        Self { variables, instead }
    }

    /// Whoever types a command, with variables of their own.
    pub fn oneself(variables: &Variables) -> Self {
        Self { variables: variables.clone(), instead: Variables::new() }
    }

    /// What says where the person's things are.
    pub fn variables(&self) -> &Variables {
        &self.variables
    }

    /// What a variable holds that the configuration names.
    pub fn value_of(&self, name: &str) -> Option<&str> {
        let instead = || self.instead.get(name).filter(|_| !is_kept(name));
        self.variables.get(name).or_else(instead).map(String::as_str)
    }

    /// The same for several, as far as they are set.
    pub fn values_of(&self, names: &[String]) -> BTreeMap<String, String> {
        let value = |name: &String| Some((name.clone(), self.value_of(name)?.to_owned()));
        names.iter().filter_map(value).collect()
    }

    /// What a daemon of this person is started with.
    pub fn clean_environment(&self) -> Variables {
        let kept = self.variables.iter().filter(|(name, _)| is_kept(name));
        kept.map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

/// Whether it says who a person is, or where things are.
fn is_kept(name: &str) -> bool {
    BASELINE_VARIABLES.contains(&name)
        || NETWORK_VARIABLES.contains(&name)
        || KEPT.contains(&name)
        || KEPT_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// What holds for whoever this process runs as.
fn usual_variables() -> Variables {
    let mut variables = Variables::from([("PATH".to_owned(), USUAL_PATH.to_owned())]);
    // As login managers make it; that it is ours alone is checked where it is used.
    let runtime = format!("/run/user/{}", geteuid());
    if Path::new(&runtime).is_dir() {
        variables.insert("XDG_RUNTIME_DIR".to_owned(), runtime);
    }
    if let Ok(Some(user)) = User::from_uid(geteuid()) {
        variables.insert("USER".to_owned(), user.name.clone());
        variables.insert("LOGNAME".to_owned(), user.name);
        if let Some(shell) = user.shell.to_str() {
            variables.insert("SHELL".to_owned(), shell.to_owned());
        }
    }
    variables
}

/// The home that the system knows.
fn home() -> Option<String> {
    let user = User::from_uid(geteuid()).ok()??;
    user.dir.to_str().map(str::to_owned)
}

#[cfg(test)]
mod tests;
