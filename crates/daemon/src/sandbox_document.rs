//! What walls let through, as a document for programs.

use std::path::PathBuf;

use serde_json::json;
use toolgate_sandbox::SandboxView;
use toolgate_types::config::NetworkAccess;
use toolgate_types::visible;

/// Of one server or command tool.
pub fn sandbox_document(id: &str, view: &SandboxView) -> serde_json::Value {
    let SandboxView { readable, writable, scratch, hidden, network, limits } = view;
    let paths = |places: &[PathBuf]| -> Vec<String> {
        places.iter().map(|place| visible(&place.display().to_string())).collect()
    };
    json!({
        "server": id,
        "confined": true,
        "writable": paths(writable),
        "scratch": paths(scratch),
        "readable": paths(readable),
        "hidden": paths(hidden),
        "network": match network {
            NetworkAccess::Off => json!(false),
            NetworkAccess::Everything => json!(true),
            NetworkAccess::Named(hosts) => hosts.iter().map(ToString::to_string).collect(),
        },
        "resources": {
            "processes": limits.processes,
            "memoryBytes": limits.memory_bytes,
            "fileBytes": limits.file_bytes,
            "scratchBytes": limits.scratch_bytes,
            "cpuSeconds": limits.cpu_seconds,
        },
    })
}
