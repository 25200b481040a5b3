//! The paths that a caller asks about, by name alone: what Git knows need not be on the disk.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::super::{RepoRefusal, ServedRepo, rules};

const MOST: usize = 100;

/// Files and folders, and all that is below them; all of it where none is named.
#[derive(Debug)]
pub(crate) struct PathFilter {
    wanted: Vec<Vec<u8>>,
}

impl PathFilter {
    pub(super) fn new(place: &ServedRepo, paths: &[String]) -> Result<Self, RepoRefusal> {
        if paths.len() > MOST {
            return Err(RepoRefusal::Arguments(format!("there are more than {MOST} `paths`")));
        }
        let mut wanted = Vec::with_capacity(paths.len());
        for path in paths {
            let names = place.folder.name_path(path)?;
            if let Some(why) = refuses(place.folder.real(), &names)
                && !place.folder.find(path).is_ok_and(|found| found.file.is_none())
            {
                return Err(RepoRefusal::Rule { path: path.clone(), why });
            }
            wanted.push(names);
        }
        // The served folder itself is everything.
        let is_all = wanted.iter().any(Vec::is_empty);
        Ok(Self { wanted: if is_all { Vec::new() } else { wanted } })
    }

    /// The paths themselves; empty where all is wanted.
    pub(super) fn wanted(&self) -> &[Vec<u8>] {
        &self.wanted
    }

    pub(super) fn takes(&self, path: &[u8]) -> bool {
        self.wanted.is_empty() || self.wanted.iter().any(|wanted| is_at_or_below(path, wanted))
    }

    /// Whether something that is wanted may lie in this folder.
    pub(super) fn enters(&self, folder: &[u8]) -> bool {
        self.takes(folder) || self.wanted.iter().any(|wanted| is_at_or_below(wanted, folder))
    }
}

fn is_at_or_below(path: &[u8], place: &[u8]) -> bool {
    path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

/// The rule that refuses a path that Git knows, by any name on it.
pub(super) fn refuses(root: &Path, path: &[u8]) -> Option<&'static str> {
    rules::refuses_below(root, Path::new(OsStr::from_bytes(path)))
}

/// A path as it is shown.
pub(super) fn shown(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}
