//! Only `sandbox` starts processes, and only `sandbox` may use `unsafe`.
//!
//! Tests, `xtask` and what runs where a program is built may start processes; nothing else may say `unsafe`. It
//! goes by the names that the file uses, so a process started by a foreign crate under another name is for reviewers.

use anyhow::Result;

use super::{over, shipped_code};
use crate::source::{LexedSource, NamedPath, named, room, words};
use crate::{Finding, Repository};

const SPAWNERS: [&str; 8] = [
    "std::process::Command",
    "std::process::*",
    "std::os::unix::process::CommandExt",
    "tokio::process",
    "async_process",
    "nix::spawn",
    "assert_cmd",
    "duct",
];

/// System calls, whatever module they come from.
const CALLS: [&str; 8] =
    ["posix_spawn", "posix_spawnp", "execve", "execvp", "execvpe", "execv", "fexecve", "execveat"];

pub fn check(repository: &Repository) -> Result<Vec<Finding>> {
    over(repository, repository.rust_files(), check_text)
}

pub fn check_text(file: &str, text: &str) -> Vec<Finding> {
    if room(file) == Some("sandbox") {
        return Vec::new();
    }
    let mut findings: Vec<Finding> = words(&LexedSource::new(text).code)
        .filter(|(_, word, _)| *word == "unsafe")
        .map(|(line, ..)| Finding::new(file, line, "`unsafe` outside crates/sandbox"))
        .collect();
    if room(file).is_none() || file.ends_with("/build.rs") {
        return findings;
    }
    let code = shipped_code(file, text);
    let mut add = |line, name: &str| {
        let message = format!("`{name}` starts a process; only crates/sandbox may");
        findings.push(Finding::new(file, line, message));
    };
    for name in named(&code).iter().filter(|name| spawns(name, &code)) {
        add(name.line, &name.full);
    }
    for (line, word, after) in words(&code) {
        let forks = matches!(word, "fork" | "vfork") && after.starts_with('(');
        if forks || CALLS.contains(&word) {
            add(line, word);
        }
    }
    findings
}

fn spawns(name: &NamedPath, code: &str) -> bool {
    SPAWNERS.iter().any(|spawner| name.is_below(spawner))
        || (name.full.ends_with("Command::new") && !is_other_command(name, code))
}

/// A `Command` of ours or of clap: neither runs anything.
fn is_other_command(name: &NamedPath, code: &str) -> bool {
    let root = name.full.split("::").next().unwrap_or_default();
    match root {
        "clap" | "crate" | "self" | "super" => true,
        "Command" => {
            let defines = words(code).any(|(_, word, after)| {
                matches!(word, "struct" | "enum" | "mod") && after.starts_with("Command")
            });
            defines || code.contains("use super::*") || code.contains("use clap::*")
        }
        // `SubCommand::new`, `builder::DeviceCommand::new`: a type of another name.
        root => root.starts_with("toolgate_") || !name.full.ends_with("::Command::new"),
    }
}
