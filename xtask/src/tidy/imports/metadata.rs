//! What `cargo metadata` says, as far as the checks need it.
//!
//! It starts cargo and reads its answer; it judges nothing.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub struct CargoMetadata {
    packages: Vec<CargoPackage>,
    workspace_members: Vec<String>,
    #[serde(default)]
    workspace_root: String,
    resolve: Option<ResolvedGraph>,
}

#[derive(Debug, Deserialize)]
pub struct CargoPackage {
    id: String,
    pub name: String,
    pub manifest_path: String,
    pub dependencies: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
pub struct Dependency {
    pub name: String,
    /// `None`, `dev` or `build`.
    pub kind: Option<String>,
    #[serde(default)]
    pub features: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct ResolvedGraph {
    nodes: Vec<MetadataNode>,
}

#[derive(Debug, Deserialize)]
struct MetadataNode {
    id: String,
    features: Vec<String>,
}

impl CargoMetadata {
    pub fn parse(json: &str) -> Result<Self> {
        serde_json::from_str(json).context("reading the answer of cargo metadata")
    }

    /// The packages of our own workspace.
    pub fn members(&self) -> impl Iterator<Item = &CargoPackage> {
        self.packages.iter().filter(|package| self.workspace_members.contains(&package.id))
    }

    /// The enabled features of each version of a package.
    pub fn features_of(&self, package: &str) -> impl Iterator<Item = &[String]> {
        let versions = self.packages.iter().filter(move |known| known.name == package);
        let nodes = self.resolve.iter().flat_map(|resolve| &resolve.nodes);
        versions.flat_map(move |known| {
            nodes.clone().filter(|node| node.id == known.id).map(|node| node.features.as_slice())
        })
    }
}

impl CargoPackage {
    /// The manifest, relative to the workspace.
    pub fn manifest(&self, metadata: &CargoMetadata) -> String {
        let path = self.manifest_path.replace('\\', "/");
        let root = metadata.workspace_root.replace('\\', "/");
        let below = path.strip_prefix(&root).unwrap_or(&path);
        below.trim_start_matches('/').to_owned()
    }
}

/// What the manifests say. Needs no network.
pub(super) fn declared(root: &Path) -> Result<CargoMetadata> {
    run(root, &["--no-deps"])
}

/// What cargo made of it on this platform, features of foreign crates included.
pub(super) fn resolved(root: &Path) -> Result<CargoMetadata> {
    run(root, &["--filter-platform", &host(root)?])
}

fn run(root: &Path, arguments: &[&str]) -> Result<CargoMetadata> {
    let mut command = vec!["metadata", "--format-version", "1"];
    command.extend(arguments);
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    CargoMetadata::parse(&answer(root, &cargo, &command)?)
}

fn host(root: &Path) -> Result<String> {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = answer(root, &rustc, &["-vV"])?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc -vV names no host")
}

fn answer(root: &Path, program: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(root)
        .output()
        .with_context(|| format!("starting {program}"))?;
    if !output.status.success() {
        bail!("{program} {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}
