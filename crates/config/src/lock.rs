//! Reads and writes `toolgate.lock`: the tools that a project was made with, by hash.
//!
//! ```toml
//! version = 1
//!
//! [servers.files]
//! read_file = "sha256:…"
//! ```
//!
//! A lock that cannot be understood is no missing one: it is reported, and every tool asks.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use toolgate_types::{ConfigSource, Digest, LOCK_FILE, ProjectLock, ServerId};

use crate::edit::spell;
use crate::problem::Problem;
use crate::text::{file_problem, read_file};

/// How a hash begins.
pub(crate) const SHA256: &str = "sha256:";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenLock {
    version: u32,
    #[serde(default)]
    servers: BTreeMap<String, BTreeMap<String, String>>,
}

/// What to do about one that cannot be read.
const HELP: &str = "`toolgate pins lock` writes one; until it can be read, every tool asks";

/// The lock beside a project's configuration.
pub(crate) fn read(root: &Path) -> (ProjectLock, Vec<Problem>) {
    let path = root.join(LOCK_FILE);
    // A link that leads nowhere is there too, and cannot be read; nor can what is out of reach.
    match path.symlink_metadata() {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return (ProjectLock::Absent, Vec::new());
        }
        Ok(_) | Err(_) => {}
    }
    let source = Arc::new(ConfigSource::File(path.clone()));
    let read = read_file(&path).and_then(|text| {
        understood(&text).map_err(|why| vec![file_problem(source, "bad-lock", why, HELP)])
    });
    let explained = |problem| Problem { help: Some(HELP.to_owned()), ..problem };
    match read {
        Ok(lock) => (lock, Vec::new()),
        Err(problems) => (ProjectLock::Unreadable, problems.into_iter().map(explained).collect()),
    }
}

fn understood(text: &str) -> Result<ProjectLock, String> {
    let written: WrittenLock = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    if written.version != 1 {
        return Err(format!("version {} is not known here", written.version));
    }
    let mut servers = BTreeMap::new();
    for (server, tools) in written.servers {
        ServerId::parse(&server).map_err(|error| error.to_string())?;
        let mut hashes = BTreeMap::new();
        for (tool, hash) in tools {
            let digest = definition_hash(&hash);
            let wrong = || format!("{server}: {tool}: that is no `{SHA256}` hash");
            hashes.insert(tool.clone(), digest.ok_or_else(wrong)?);
        }
        servers.insert(server, hashes);
    }
    Ok(ProjectLock::Names(servers))
}

/// The hash of a tool's definition, as it is written.
pub(crate) fn definition_hash(text: &str) -> Option<Digest> {
    text.strip_prefix(SHA256).and_then(Digest::from_hex)
}

/// The text of a lock.
pub fn write_lock(servers: &BTreeMap<String, BTreeMap<String, Digest>>) -> String {
    let mut text =
        "# The tools that this project was made with. What is not as it says here asks a \
                    person.\n# `toolgate pins lock` writes it.\nversion = 1\n"
            .to_owned();
    for (server, tools) in servers {
        // A text takes everything that is written to it.
        let _ = write!(text, "\n[servers.{server}]\n");
        for (tool, hash) in tools {
            let _ = writeln!(text, "{} = \"{SHA256}{}\"", spell(&[tool]), hash.to_hex());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(byte: u8) -> Digest {
        Digest([byte; 32])
    }

    #[test]
    fn what_is_written_is_read_back_whatever_the_names() {
        let tools = ["read", "a.b\"c\\d\n", "ü \u{202e}", ""];
        let tools = tools.iter().zip(0..).map(|(name, n)| ((*name).to_owned(), hash(n))).collect();
        let servers =
            BTreeMap::from([("files".to_owned(), tools), ("other".to_owned(), [].into())]);
        let text = write_lock(&servers);
        assert_eq!(understood(&text), Ok(ProjectLock::Names(servers)), "{text}");
    }

    #[test]
    fn what_cannot_be_understood_is_no_missing_lock() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path()), (ProjectLock::Absent, Vec::new()));
        let path = folder.path().join(LOCK_FILE);
        for odd in [
            "version = 2",
            "",
            "servers = {}",
            "version = 1\naccepted = true",
            "\u{0}",
            "version = 1\n[servers.files]\nread = \"sha256:00\"",
            "version = 1\n[servers.\"a b\"]\n",
            "version = 1\n[servers.x]\na = true",
        ] {
            std::fs::write(&path, odd).unwrap();
            let (lock, problems) = read(folder.path());
            assert_eq!((lock, problems.len()), (ProjectLock::Unreadable, 1), "{odd}");
        }
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/nowhere/at/all", &path).unwrap();
        assert_eq!(read(folder.path()).0, ProjectLock::Unreadable);
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        assert_eq!(read(folder.path()).0, ProjectLock::Unreadable);
    }
}
