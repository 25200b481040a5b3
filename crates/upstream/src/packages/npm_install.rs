//! Packages of npm: fetched without running anything of them, then their scripts without network.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use toolgate_sandbox::PACKAGE_PLACE;
use toolgate_types::config::{PackageName, PackageProgram, PackageServer};

use super::fixed_packages::FixedPackages;
use super::install_step::{InstallGround, InstallStep};
use super::package_error::PackageError;
use super::package_room::{PackageRoom, read, write};
use super::registries::Registries;

const MANIFEST: &str = "package.json";
const LOCK: &str = "package-lock.json";

/// Of every command: nothing is asked, told or looked up besides, and somebody waits.
const QUIET: [&str; 7] = [
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
    "--loglevel=error",
    "--no-progress",
    "--fetch-retry-mintimeout=1000",
    "--fetch-retry-maxtimeout=4000",
];

#[derive(Deserialize)]
struct LockFile {
    packages: BTreeMap<String, LockedPackage>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct LockedPackage {
    version: Option<String>,
    integrity: Option<String>,
    link: bool,
    in_bundle: bool,
    has_install_script: bool,
}

#[derive(Deserialize)]
struct Manifest {
    bin: Option<ManifestPrograms>,
    name: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ManifestPrograms {
    /// Under the package's own name.
    One(#[allow(dead_code, reason = "which file it is, npm knows")] String),
    Several(BTreeMap<String, String>),
}

/// Fetches the packages that an entry names, as they are now.
pub(super) async fn resolve(
    ground: &InstallGround<'_>,
    (room, tree): (&PackageRoom, &Path),
    server: &PackageServer,
    registries: &Registries,
) -> Result<FixedPackages, PackageError> {
    write(&tree.join(MANIFEST), "{\"private\":true}")?;
    let names: Vec<String> = server.packages.iter().map(ToString::to_string).collect();
    let mut words = vec!["install", "--ignore-scripts", "--save-exact"];
    words.extend(names.iter().map(String::as_str));
    fetch(ground, (room, tree), registries, &words).await?;
    let lock = read(&tree.join(LOCK))?;
    let locked: LockFile = serde_json::from_str(&lock).map_err(|_| PackageError::Odd("npm"))?;
    check(&locked)?;
    let mut named = Vec::new();
    for package in &server.packages {
        let place = format!("node_modules/{}", package.name());
        let found = locked.packages.get(&place).ok_or(PackageError::Odd("npm"))?;
        let version = found.version.as_deref().unwrap_or_default();
        named.push(format!("{}@{version}", package.name()));
    }
    let main = server.packages.first().ok_or(PackageError::Odd("the entry"))?;
    let program = program(tree, main, &server.program)?;
    // The first is the folder itself.
    let others = locked.packages.len().saturating_sub(1 + named.len());
    let has_scripts = locked.packages.values().any(|package| package.has_install_script);
    let fixed = FixedPackages {
        places: registries.places.clone(),
        program: format!("node_modules/.bin/{program}"),
        named,
        others,
        has_scripts,
        files: [(MANIFEST.to_owned(), read(&tree.join(MANIFEST))?), (LOCK.to_owned(), lock)].into(),
    };
    run_scripts(ground, (room, tree), &fixed).await?;
    Ok(fixed)
}

/// Fetches exactly what was fixed.
pub(super) async fn restore(
    ground: &InstallGround<'_>,
    (room, tree): (&PackageRoom, &Path),
    fixed: &FixedPackages,
    registries: &Registries,
) -> Result<(), PackageError> {
    for name in [MANIFEST, LOCK] {
        write(&tree.join(name), fixed.files.get(name).ok_or(PackageError::Odd("the store"))?)?;
    }
    fetch(ground, (room, tree), registries, &["ci", "--ignore-scripts"]).await?;
    run_scripts(ground, (room, tree), fixed).await
}

async fn fetch(
    ground: &InstallGround<'_>,
    (room, tree): (&PackageRoom, &Path),
    registries: &Registries,
    words: &[&str],
) -> Result<(), PackageError> {
    let home = room.fresh_home()?;
    let scopes = registries
        .places
        .others
        .iter()
        .map(|(scope, url)| (format!("{scope}:registry"), url.clone()));
    let main = ("registry".to_owned(), registries.places.main.clone());
    let lines = registries.settings.iter().cloned().chain(scopes).chain([main]);
    let lines: Vec<String> = lines.map(|(key, value)| format!("{key}={value}")).collect();
    write(&home.join(".npmrc"), &lines.join("\n"))?;
    let step = InstallStep {
        network: registries.network().await?,
        readable: registries.files.clone(),
        ..ground.step("fetching with npm", tree, &home)
    };
    let mut words = words.to_vec();
    words.extend(QUIET);
    words.extend(["--prefix", PACKAGE_PLACE]);
    npm(step, &words).await
}

async fn run_scripts(
    ground: &InstallGround<'_>,
    (room, tree): (&PackageRoom, &Path),
    fixed: &FixedPackages,
) -> Result<(), PackageError> {
    if !fixed.has_scripts {
        return Ok(());
    }
    // Another home: credentials for the registry lay in the first.
    let home = room.fresh_home()?;
    let step = ground.step("running its install scripts, without network,", tree, &home);
    let mut words = vec!["rebuild", "--offline"];
    words.extend(QUIET);
    words.extend(["--prefix", PACKAGE_PLACE]);
    npm(step, &words).await
}

async fn npm(mut step: InstallStep<'_>, words: &[&str]) -> Result<(), PackageError> {
    step.programs.push("node".to_owned());
    step.run("npm", words).await.map(drop)
}

/// What has no hash could be anything the next time.
fn check(locked: &LockFile) -> Result<(), PackageError> {
    let mut packages = locked.packages.iter().filter(|(place, _)| !place.is_empty());
    let loose = packages
        .find(|(_, package)| package.link || (package.integrity.is_none() && !package.in_bundle));
    match loose {
        Some((place, _)) => Err(PackageError::NoHash(place.clone())),
        None => Ok(()),
    }
}

/// Read before anything of the packages has run: what lies there is npm's work.
fn program(
    tree: &Path,
    package: &PackageName,
    wanted: &PackageProgram,
) -> Result<String, PackageError> {
    let programs = tree.join("node_modules/.bin");
    if let PackageProgram::Named(name) = wanted {
        return match programs.join(name).symlink_metadata() {
            Ok(_) => Ok(name.clone()),
            Err(_) => Err(PackageError::NoSuchProgram {
                package: package.to_string(),
                has: format!("none called {name}"),
            }),
        };
    }
    let manifest = read(&tree.join("node_modules").join(package.name()).join(MANIFEST))?;
    let manifest: Manifest =
        serde_json::from_str(&manifest).map_err(|_| PackageError::Odd("npm"))?;
    let own = manifest.name.as_deref().unwrap_or(package.name());
    let own = own.rsplit('/').next().unwrap_or(own).to_owned();
    let names: Vec<String> = match manifest.bin {
        None => Vec::new(),
        Some(ManifestPrograms::One(_)) => vec![own.clone()],
        Some(ManifestPrograms::Several(programs)) => programs.into_keys().collect(),
    };
    let fits =
        |name: &String| !name.contains('/') && programs.join(name).symlink_metadata().is_ok();
    let chosen = match &names[..] {
        [only] => Some(only),
        several => several.iter().find(|name| **name == own),
    };
    chosen.filter(|name| fits(name)).cloned().ok_or_else(|| PackageError::NoSuchProgram {
        package: package.to_string(),
        has: if names.is_empty() { "none".to_owned() } else { names.join(", ") },
    })
}
