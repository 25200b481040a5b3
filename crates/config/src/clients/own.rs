//! Tells the entry that `connect` wrote from everybody else's.
//!
//! A gate that had itself as a server would ask itself without end.

use std::path::Path;

use serde_json::{Map, Value};
use url::{Host, Url};

/// The name of the entry in every client's file.
pub const ENTRY: &str = "gate";

/// Whether an entry of our name, in any client's keys, is one that `connect` wrote.
pub(super) fn leads_to_toolgate(entry: &Map<String, Value>) -> bool {
    let words = |key: &str| match entry.get(key) {
        Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(word)) => vec![word.as_str()],
        _ => Vec::new(),
    };
    let line = [words("command"), words("args")].concat();
    let program = line.first().map(Path::new).and_then(Path::file_name);
    let starts = program.is_some_and(|name| name == "toolgate") && line.get(1) == Some(&"stdio");
    let keys = ["url", "httpUrl", "serverUrl"];
    starts || keys.iter().filter_map(|key| entry.get(*key)?.as_str()).any(is_local_url)
}

pub(super) fn is_own_entry(name: &str, entry: &Map<String, Value>) -> bool {
    runs_toolgate(entry) || (name == ENTRY && is_on_this_machine(entry))
}

/// `…/toolgate stdio …`, whatever the entry is called.
fn runs_toolgate(entry: &Map<String, Value>) -> bool {
    let command = entry.get("command").and_then(Value::as_str).unwrap_or_default();
    let program = Path::new(command).file_name().and_then(|name| name.to_str());
    let first = entry.get("args").and_then(|args| args.get(0)).and_then(Value::as_str);
    matches!(program, Some("toolgate" | "toolgate.exe")) && first == Some("stdio")
}

fn is_on_this_machine(entry: &Map<String, Value>) -> bool {
    entry.get("url").and_then(Value::as_str).is_some_and(is_local_url)
}

fn is_local_url(url: &str) -> bool {
    match Url::parse(url).ok().as_ref().and_then(Url::host) {
        Some(Host::Domain(domain)) => domain == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
