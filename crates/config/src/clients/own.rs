//! Tells the entry that `connect` wrote from everybody else's.
//!
//! A gate that had itself as a server would ask itself without end.

use std::path::Path;

use serde_json::{Map, Value};
use url::{Host, Url};

/// The name of the entry in every client's file.
pub const ENTRY: &str = "gate";

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
    let url = entry.get("url").and_then(Value::as_str).and_then(|url| Url::parse(url).ok());
    match url.as_ref().and_then(Url::host) {
        Some(Host::Domain(domain)) => domain == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
