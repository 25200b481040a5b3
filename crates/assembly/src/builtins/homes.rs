//! Whether a folder is somebody's home, or holds homes: then it is no project.
//!
//! The folder counts, not its spelling: links are followed on both sides.

use std::path::{Path, PathBuf};

/// Where systems keep homes.
const HOLD_HOMES: [&str; 5] = ["/home", "/Users", "/var/home", "/export/home", "/usr/home"];

/// The users that people are; below are those that programs run as.
const FIRST_PERSON: u32 = 1000;

pub(super) fn is_home_or_above(folder: &Path, home: Option<&Path>) -> bool {
    let accounts = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let others = homes_in(&accounts).chain([PathBuf::from("/root"), PathBuf::from("/var/root")]);
    stands_above(folder, home, others)
}

fn stands_above(folder: &Path, home: Option<&Path>, others: impl Iterator<Item = PathBuf>) -> bool {
    let folder = real(folder);
    let holds = HOLD_HOMES.iter().map(PathBuf::from);
    let is_in_them = folder.parent().is_some_and(|above| holds.clone().any(|holds| above == holds));
    let mut known = home.map(Path::to_owned).into_iter().chain(others).chain(holds);
    // A relative home is none, and everything is below an empty one.
    is_in_them || known.any(|home| home.is_absolute() && real(&home).starts_with(&folder))
}

/// The homes of people, and of the superuser, among the accounts.
fn homes_in(accounts: &str) -> impl Iterator<Item = PathBuf> {
    accounts.lines().filter_map(|account| {
        let fields: Vec<&str> = account.split(':').collect();
        let (user, home) = (fields.get(2)?.parse::<u32>().ok()?, fields.get(5)?);
        (user == 0 || user >= FIRST_PERSON).then(|| PathBuf::from(home))
    })
}

fn real(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

#[cfg(test)]
mod tests;
