//! Which crate may depend on which, held against `cargo metadata`.
//!
//! The table is the one of the architecture; a change goes there first, with its reason. It looks at
//! declared dependencies, not at `use` lines: what is not declared does not compile.

mod metadata;

use anyhow::Result;

pub use metadata::{CargoMetadata, CargoPackage, Dependency};

use crate::{Finding, Repository};

/// The rooms in order, lowest first. A row may use what it names; rows of one level never use each
/// other.
pub const TABLE: [(usize, &str, &[&str]); 19] = [
    (0, "types", &[]),
    (1, "mask", &["types"]),
    (1, "wire", &["types"]),
    (1, "config", &["types"]),
    (1, "store", &["types"]),
    (1, "sandbox", &["types"]),
    (1, "search", &[]),
    (1, "terminal", &["types"]),
    (2, "control", &["types", "wire"]),
    (2, "auth", &["types", "store"]),
    (2, "audit", &["types", "mask", "store"]),
    (2, "guard", &["types", "mask", "store"]),
    (2, "servers", &["types", "store", "search"]),
    (3, "upstream", &["types", "wire", "store", "auth", "sandbox", "guard"]),
    (
        4,
        "host",
        &["types", "mask", "store", "search", "sandbox", "auth", "audit", "guard", "upstream"],
    ),
    (
        5,
        "assembly",
        &[
            "types", "mask", "config", "store", "sandbox", "auth", "guard", "servers", "upstream",
            "host",
        ],
    ),
    (5, "gateway", &["types", "wire", "control", "auth", "guard", "host"]),
    (
        6,
        "daemon",
        &[
            "types", "mask", "wire", "config", "store", "search", "sandbox", "control", "auth",
            "audit", "guard", "servers", "upstream", "host", "assembly", "gateway",
        ],
    ),
    (
        7,
        "cli",
        &[
            "types", "mask", "wire", "config", "store", "search", "sandbox", "control", "auth",
            "audit", "guard", "servers", "upstream", "host", "assembly", "gateway", "daemon",
            "terminal",
        ],
    ),
];

/// Beside the table: the room of test peers, which only tests use, and `xtask`, which generates the
/// reference of the configuration and so must see its schema.
const TESTKIT: (&str, &[&str]) = ("testkit", &["types", "wire"]);
const XTASK: (&str, &[&str]) = ("xtask", &["types", "config"]);

/// Foreign crates that have their place; `xtask` ships nothing and is exempt.
const PLACED: [(&str, &[&str]); 4] = [
    ("rmcp", &["auth", "testkit"]),
    ("clap", &["cli"]),
    ("anyhow", &["cli"]),
    ("rusqlite", &["store"]),
];

pub fn check(repository: &Repository) -> Result<Vec<Finding>> {
    let root = repository.root();
    let mut findings = edges(&metadata::declared(root)?);
    findings.extend(features(&metadata::resolved(root)?));
    Ok(findings)
}

/// The declared dependencies of our crates against the tables.
pub fn edges(metadata: &CargoMetadata) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in metadata.members() {
        let file = package.manifest(metadata);
        let mut add = |message: String| findings.push(Finding::new(&file, 0, message));
        let Some(room) = room(&package.name) else {
            add(format!("package `{}` is not called `toolgate-<folder>`", package.name));
            continue;
        };
        if !is_known(room) {
            add(format!("`{room}` is not in the table of allowed imports"));
            continue;
        }
        if room != "xtask" && !file.ends_with(&format!("crates/{room}/Cargo.toml")) {
            add(format!("package `{}` does not live in crates/{room}", package.name));
        }
        for dependency in &package.dependencies {
            let is_dev = dependency.kind.as_deref() == Some("dev");
            if let Some(message) = judge(room, &dependency.name, is_dev) {
                add(message);
            }
            if dependency.name == "serde_json" && is_imprecise(&dependency.features) {
                add("enables `arbitrary_precision` of serde_json".to_owned());
            }
        }
    }
    findings
}

/// The feature that would change numbers in the whole workspace, whoever enables it.
pub fn features(metadata: &CargoMetadata) -> Vec<Finding> {
    let message = "something in the dependency tree enables `arbitrary_precision` of serde_json \
                   (cargo tree -e features -i serde_json)";
    let enabled = metadata.features_of("serde_json").any(is_imprecise);
    enabled.then(|| Finding::new("Cargo.lock", 0, message)).into_iter().collect()
}

fn is_imprecise(features: &[String]) -> bool {
    features.iter().any(|feature| feature == "arbitrary_precision")
}

fn judge(room_name: &str, dependency: &str, is_dev: bool) -> Option<String> {
    if let Some((_, places)) = PLACED.iter().find(|(name, _)| *name == dependency) {
        let allowed = room_name == "xtask" || places.contains(&room_name);
        return (!allowed).then(|| {
            format!("`{room_name}` may not use `{dependency}`: only {}", places.join(", "))
        });
    }
    let used = room(dependency)?;
    let in_table =
        |(name, used_here): &(&str, &[&str])| *name == room_name && used_here.contains(&used);
    let allowed = TABLE.iter().any(|(_, name, uses)| in_table(&(name, uses)))
        || [TESTKIT, XTASK].iter().any(in_table)
        || (is_dev && (used == "testkit" || level(used) < level(room_name)));
    let kind = if is_dev { ", not even in tests" } else { "" };
    (!allowed).then(|| format!("`{room_name}` may not import `{used}`{kind}"))
}

/// `toolgate-wire` → `wire`; the binary's package is `toolgate`.
fn room(package: &str) -> Option<&str> {
    match package {
        "toolgate" => Some("cli"),
        "xtask" => Some("xtask"),
        _ => package.strip_prefix("toolgate-"),
    }
}

fn is_known(room: &str) -> bool {
    level(room).is_some() || [TESTKIT, XTASK].iter().any(|(name, _)| *name == room)
}

fn level(room: &str) -> Option<usize> {
    TABLE.iter().find(|(_, name, _)| *name == room).map(|(level, ..)| *level)
}
