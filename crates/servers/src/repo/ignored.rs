//! What `.gitignore` and `.ignore` leave out, read through open folders only.
//!
//! As Git has it: the deeper file wins, within a file the last line. `.ignore` wins over
//! `.gitignore`. Files above the served folder and a person's own Git settings are not asked: they
//! lie outside.

use std::ffi::OsStr;
use std::io::Read as _;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::open_beneath;

/// More than this of one file is not read.
const LARGEST: u64 = 256 * 1024;

const FILES: [&str; 2] = [".ignore", ".gitignore"];

/// The rules of a folder and of those it lies in.
#[derive(Debug, Default)]
pub(crate) struct IgnoreRules {
    levels: Vec<IgnoreLevel>,
}

#[derive(Debug)]
struct IgnoreLevel {
    /// How much of a path leads to the folder of these files.
    prefix: usize,
    files: [Gitignore; 2],
}

impl IgnoreRules {
    /// Goes into a folder; `path` is relative to the served one.
    pub(crate) fn enter(&mut self, folder: impl AsFd, path: &Path) {
        let length = path.as_os_str().len();
        let prefix = if length == 0 { 0 } else { length + 1 };
        let files = FILES.map(|name| read(folder.as_fd(), name));
        self.levels.push(IgnoreLevel { prefix, files });
    }

    /// Goes back out of the folder that was entered last.
    pub(crate) fn leave(&mut self) {
        self.levels.pop();
    }

    pub(crate) fn leaves_out(&self, path: &Path, is_folder: bool) -> bool {
        for kind in 0..FILES.len() {
            for level in self.levels.iter().rev() {
                let bytes = path.as_os_str().as_bytes();
                let Some(below) = bytes.get(level.prefix..) else { continue };
                match level.files[kind].matched(Path::new(OsStr::from_bytes(below)), is_folder) {
                    Match::Ignore(_) => return true,
                    Match::Whitelist(_) => return false,
                    Match::None => {}
                }
            }
        }
        false
    }
}

/// A file that cannot be read leaves nothing out, and a line that means nothing is no line.
fn read(folder: impl AsFd, name: &str) -> Gitignore {
    let Ok(Some(file)) = open_beneath::file(folder, OsStr::new(name)) else {
        return Gitignore::empty();
    };
    let mut bytes = Vec::new();
    if file.take(LARGEST).read_to_end(&mut bytes).is_err() {
        return Gitignore::empty();
    }
    let text = String::from_utf8_lossy(&bytes);
    // With `.` the paths that are asked about are taken as they are.
    let mut builder = GitignoreBuilder::new(".");
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
