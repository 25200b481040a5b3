//! The files of the repository: what git would track, or a plain walk where there is no git.
//!
//! It never follows a symlink and reads no ignore file itself; the walk of an unpacked archive
//! only skips build output.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

const BUILD_OUTPUT: [&str; 2] = ["target", ".git"];

/// A folder and its files, as sorted paths relative to it, separated by `/`.
#[derive(Debug)]
pub struct Repository {
    root: PathBuf,
    files: Vec<String>,
}

/// The root of the repository this program was built in.
pub fn root() -> Result<PathBuf> {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    let root = manifest.parent().context("xtask has no parent folder")?;
    Ok(root.to_owned())
}

impl Repository {
    pub fn open(root: &Path) -> Result<Self> {
        // An archive may be unpacked inside somebody else's repository: only our own `.git` counts.
        let listed = if root.join(".git").exists() { list_by_git(root) } else { None };
        let mut files = match listed {
            Some(files) => files,
            None => walk(root)?,
        };
        // A fuzzer's inputs are made by a machine and come and go while it runs.
        files.retain(|file| !file.starts_with("fuzz/corpus/"));
        // The index also lists files that were just deleted, and links.
        files.retain(|file| fs::symlink_metadata(root.join(file)).is_ok_and(|meta| meta.is_file()));
        files.sort();
        files.dedup();
        Ok(Self { root: root.to_owned(), files })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// Every Rust file of the workspace, of `xtask` and of the fuzz targets.
    pub fn rust_files(&self) -> impl Iterator<Item = &str> {
        self.files().filter(|file| {
            file.ends_with(".rs")
                && ["crates/", "xtask/", "fuzz/"].iter().any(|folder| file.starts_with(folder))
        })
    }

    /// The file's text, or nothing if it is not text.
    pub fn text(&self, file: &str) -> Result<Option<String>> {
        let bytes = fs::read(self.root.join(file)).with_context(|| format!("reading {file}"))?;
        Ok(String::from_utf8(bytes).ok().filter(|text| !text.contains('\0')))
    }

    /// The text of a file that must be text.
    pub fn source(&self, file: &str) -> Result<String> {
        self.text(file)?.with_context(|| format!("{file} is not UTF-8 text"))
    }
}

fn list_by_git(root: &Path) -> Option<Vec<String>> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        // Inside a hook these name the repository of the hook.
        .env_remove("GIT_DIR")
        .env_remove("GIT_INDEX_FILE")
        .env_remove("GIT_WORK_TREE")
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let listing = String::from_utf8(output.stdout).ok()?;
    Some(listing.split_terminator('\0').map(str::to_owned).collect())
}

fn walk(root: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let path = root.join(&folder);
        for entry in fs::read_dir(&path).with_context(|| format!("reading {}", path.display()))? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let relative =
                if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            if !entry.file_type()?.is_dir() {
                files.push(relative);
            } else if !BUILD_OUTPUT.contains(&name.as_str()) {
                folders.push(relative);
            }
        }
    }
    Ok(files)
}
