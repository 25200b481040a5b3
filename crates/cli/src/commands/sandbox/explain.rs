//! `toolgate sandbox explain <server>`: what it may read, write and reach.

use std::path::{Path, PathBuf};

use serde_json::json;
use toolgate_daemon::{PackageState, find_server, sandbox_view};
use toolgate_sandbox::SandboxView;
use toolgate_terminal::CommandOutput;
use toolgate_types::config::NetworkAccess;
use toolgate_types::config::{ResourceLimits, Transport};
use toolgate_types::{ServerId, visible};

use super::failure;
use crate::args::ScopeArg;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::fetch_packages::{package_state_of, versions};
use crate::surroundings::{Surroundings, wait};

pub(super) fn run(
    id: &str,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let loaded = surroundings.load(ScopeArg::Effective);
    let entry = find_server(&loaded, id)?;
    if !matches!(entry.value.transport, Transport::Stdio(_)) {
        return Err(CliFailure::new(format!("server {id} is no local process")));
    }
    let ground = surroundings.test_ground(&loaded.config);
    let server = ServerId::parse(id).map_err(CliFailure::new)?;
    let store = surroundings.store_to_read().ok();
    let store = store.as_ref().map(|store| store as _);
    let view =
        wait(sandbox_view(&server, entry, &ground, store)).map_err(|error| failure(&error))?;
    match (view, output.json) {
        (None, false) => {
            output
                .line(format!("{id} runs as you do: without walls (`sandbox_profile = \"none\"`)"));
        }
        (None, true) => output.document_of(&json!({ "server": id, "confined": false })),
        (Some(view), true) => output.document_of(&document(id, &view)),
        (Some(view), false) => {
            let made_of = match package_state_of(id, &loaded, surroundings) {
                PackageState::NoPackages => None,
                PackageState::NotFixed => Some("packages that are not fetched".to_owned()),
                PackageState::Fixed(fixed) => Some(versions(&fixed)),
            };
            if let Some(packages) = made_of {
                output.line("is made of");
                output.line(format!("  {packages}"));
            }
            output.raw(&text(&view));
        }
    }
    Ok(Exit::Ok)
}

fn text(view: &SandboxView) -> String {
    let SandboxView { readable, writable, scratch, hidden, network, limits } = view;
    let mut text = String::new();
    let places = [
        ("writes", writable),
        ("writes, and it is gone afterwards", scratch),
        ("reads", readable),
        ("sees as empty", hidden),
    ];
    for (what, places) in places.into_iter().filter(|(_, places)| !places.is_empty()) {
        text.push_str(&format!("{what}\n"));
        places.iter().for_each(|place| text.push_str(&format!("  {}\n", shown(place))));
    }
    text.push_str("reaches\n");
    match network {
        NetworkAccess::Everything => text.push_str("  the whole network\n"),
        NetworkAccess::Named(hosts) => {
            hosts.iter().for_each(|host| text.push_str(&format!("  {host}\n")));
        }
        NetworkAccess::Off => text.push_str("  nothing\n"),
    }
    let ResourceLimits { processes, memory_bytes, file_bytes, scratch_bytes, cpu_seconds } = limits;
    let mb = |bytes: &u64| bytes >> 20;
    text.push_str(&format!(
        "uses at most\n  {processes} processes\n  {} MiB of memory\n  {} MiB in one file\n  \
         {} MiB in /tmp\n",
        mb(memory_bytes),
        mb(file_bytes),
        mb(scratch_bytes)
    ));
    if *cpu_seconds > 0 {
        text.push_str(&format!("  {cpu_seconds} s of CPU time for each process\n"));
    }
    text
}

fn shown(path: &Path) -> String {
    visible(&path.display().to_string())
}

fn document(id: &str, view: &SandboxView) -> serde_json::Value {
    let SandboxView { readable, writable, scratch, hidden, network, limits } = view;
    let paths = |places: &[PathBuf]| places.iter().map(|p| shown(p)).collect::<Vec<_>>();
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
