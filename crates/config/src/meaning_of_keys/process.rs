//! What servers and command tools share: a program, its environment, its wall.

use indexmap::IndexMap;
use toolgate_types::config::{
    Confinement, NamedHost, NetworkAccess, ResourceLimits, SandboxProfile,
};
use toolgate_types::{ConfigText, EnvName, HeaderName, is_sensitive_name};

use crate::place::DocumentPlace;
use crate::problem::Severity;
use crate::raw::{RawNetwork, RawResources, TextMap};
use crate::reader::DocumentReader;

pub(super) fn command(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    written: Option<String>,
) -> Option<ConfigText> {
    let at = place.at(&["command"]);
    let Some(written) = written else {
        if place.find(&["command"]).is_none() {
            let message = "the `command` is missing".to_owned();
            let help = Some("name the program to run: `command = \"npx\"`".to_owned());
            reader.report(Severity::Error, place, "missing-command", message, help);
        }
        return None;
    };
    if written.trim().is_empty() {
        reader.error(&at, "missing-command", "the `command` is empty".into());
        return None;
    }
    if written.contains("://") {
        let message = "the `command` is a URL".to_owned();
        let help = Some("a remote server has a `url` instead of a `command`".to_owned());
        reader.report(Severity::Error, &at, "command-is-url", message, help);
        return None;
    }
    reader.text(&at, written)
}

/// Arguments; a value that follows a flag such as `--api-key` is a secret, and so is the one in
/// `--api-key=…`, in `API_KEY=…` and in `Authorization: …`.
pub(super) fn args(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    written: Option<Vec<String>>,
) -> Vec<ConfigText> {
    let at = place.at(&["args"]);
    let mut after_secret_flag = false;
    let mut args = Vec::new();
    for text in written.unwrap_or_default() {
        let is_flag = text.starts_with('-');
        let is_value_of_secret = after_secret_flag && !is_flag;
        after_secret_flag =
            is_flag && !text.contains('=') && is_sensitive_name(text.trim_start_matches('-'));
        args.extend(match secret_starts_at(&text) {
            Some(at_byte) => {
                let shown = format!("{}{}", &text[..at_byte], ConfigText::STARS);
                reader.text(&at, text).map(|arg| match arg {
                    ConfigText::Plain(value) => ConfigText::masked(shown, value),
                    expanded => expanded,
                })
            }
            None if is_value_of_secret || looks_secret("", &text) => reader.secret(&at, text),
            None => reader.text(&at, text),
        });
    }
    args
}

/// Where the value begins in an argument that holds both a name and a secret.
fn secret_starts_at(text: &str) -> Option<usize> {
    let separator = text.find(['=', ':'])?;
    let name = text[..separator].trim_start_matches('-');
    let is_name = match &text[separator..=separator] {
        "=" => text.starts_with('-') || EnvName::parse(name).is_ok(),
        _ => HeaderName::parse(name).is_ok(),
    };
    (is_name && is_sensitive_name(name)).then_some(separator + 1)
}

pub(super) fn cwd(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    written: Option<String>,
) -> Option<ConfigText> {
    written.and_then(|text| reader.text(&place.at(&["cwd"]), text))
}

pub(super) fn env(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    written: Option<TextMap>,
) -> IndexMap<EnvName, ConfigText> {
    let table = place.at(&["env"]);
    let places = table.by_key();
    let mut env = IndexMap::new();
    for (name, value) in written.unwrap_or_default() {
        let at = places.get(name.as_str()).unwrap_or(&table);
        let text = match looks_secret(&name, &value) {
            true => reader.secret(at, value),
            false => reader.text(at, value),
        };
        match (EnvName::parse(&name), text) {
            (Ok(name), Some(text)) => drop(env.insert(name, text)),
            (Err(error), _) => reader.error(at, "variable-name", error.to_string()),
            (Ok(_), None) => {}
        }
    }
    env
}

/// By its name, or by the shape that common access tokens have.
fn looks_secret(name: &str, value: &str) -> bool {
    const PREFIXES: [&str; 8] =
        ["sk-", "ghp_", "gho_", "github_pat_", "xox", "glpat-", "AKIA", "Bearer "];
    is_sensitive_name(name) || PREFIXES.iter().any(|prefix| value.starts_with(prefix))
}

pub(super) fn env_vars(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    written: Option<Vec<String>>,
) -> Vec<EnvName> {
    let at = place.at(&["env_vars"]);
    let names = written.unwrap_or_default().into_iter().enumerate();
    names.filter_map(|(index, name)| env_name(reader, &at.item(index), &name)).collect()
}

/// The name of a variable. What is none is not repeated: people put the token itself here.
pub(super) fn env_name(
    reader: &mut DocumentReader<'_>,
    at: &DocumentPlace<'_>,
    name: &str,
) -> Option<EnvName> {
    let parsed = EnvName::parse(name).ok();
    if parsed.is_none() {
        let message = "not the name of an environment variable".to_owned();
        let help = Some("name the variable, not its value".to_owned());
        reader.report(Severity::Error, at, "variable-name", message, help);
    }
    parsed
}

/// The keys of a wall, as they stand in a server or a tool.
pub(super) struct WrittenWall {
    pub(super) profile: Option<SandboxProfile>,
    pub(super) allow_network: Option<RawNetwork>,
    pub(super) readable: Option<Vec<String>>,
    pub(super) writable: Option<Vec<String>>,
    pub(super) resources: Option<RawResources>,
}

pub(super) fn confinement(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    written: WrittenWall,
    default: SandboxProfile,
) -> Confinement {
    let WrittenWall { profile, allow_network, readable, writable, resources } = written;
    let profile = profile.unwrap_or(default);
    if profile == SandboxProfile::Seatbelt && !cfg!(target_os = "macos") {
        let message = "the profile `seatbelt` exists on macOS only".to_owned();
        let help = Some("use `default`: the best wall of each platform".to_owned());
        let at = place.at(&["sandbox_profile"]);
        reader.report(Severity::Error, &at, "seatbelt-elsewhere", message, help);
    }
    Confinement {
        profile,
        network: network(reader, place, allow_network, profile),
        readable: readable.unwrap_or_default(),
        writable: writable.unwrap_or_default(),
        limits: limits(reader, place, resources.unwrap_or_default()),
    }
}

/// What is no host is a mistake; so is a list where no wall stands that could hold it.
fn network(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    written: Option<RawNetwork>,
    profile: SandboxProfile,
) -> NetworkAccess {
    let at = place.at(&["allow_network"]);
    let hosts = match written {
        None | Some(RawNetwork::Whole(false)) => return NetworkAccess::Off,
        Some(RawNetwork::Whole(true)) => return NetworkAccess::Everything,
        Some(RawNetwork::Named(hosts)) => hosts,
    };
    if profile == SandboxProfile::None {
        let message = "a list of hosts holds behind walls only".to_owned();
        let help = Some("write `sandbox_profile = \"default\"` beside it".to_owned());
        reader.report(Severity::Error, &at, "unwalled-network", message, help);
    }
    let mut named = Vec::new();
    for (index, host) in hosts.iter().enumerate() {
        match NamedHost::parse(host) {
            Ok(host) => named.push(host),
            Err(bad) => reader.error(&at.item(index), "network-host", bad.to_string()),
        }
    }
    NetworkAccess::Named(named)
}

/// What nothing could run with is a mistake.
fn limits(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    raw: RawResources,
) -> ResourceLimits {
    let written = [
        ("processes", raw.processes.map(u64::from)),
        ("memory_bytes", raw.memory_bytes),
        ("file_bytes", raw.file_bytes),
        ("scratch_bytes", raw.scratch_bytes),
    ];
    for (key, value) in written {
        if value == Some(0) {
            let at = place.at(&["resources"]).at(&[key]);
            reader.error(&at, "no-resources", "nothing runs with none of it".to_owned());
        }
    }
    let usual = ResourceLimits::default();
    ResourceLimits {
        processes: raw.processes.unwrap_or(usual.processes),
        memory_bytes: raw.memory_bytes.unwrap_or(usual.memory_bytes),
        file_bytes: raw.file_bytes.unwrap_or(usual.file_bytes),
        scratch_bytes: raw.scratch_bytes.unwrap_or(usual.scratch_bytes),
        cpu_seconds: raw.cpu_seconds.unwrap_or(usual.cpu_seconds),
    }
}

#[cfg(test)]
mod tests;
