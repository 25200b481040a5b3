//! Where paths lead, each found out once in one look at a configuration.
//!
//! Every word of an entry is tried as a path in several ways, and hardly any of them is one. The system's own
//! answer asks about every folder above each time; here a folder is asked about once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug, Default)]
pub(super) struct RealPaths(RefCell<HashMap<PathBuf, Option<PathBuf>>>);

impl RealPaths {
    /// What [`Path::canonicalize`] says, if it leads anywhere.
    pub(super) fn of(&self, path: &Path) -> Option<PathBuf> {
        let Some((folder, name)) = plain_parts(path) else { return path.canonicalize().ok() };
        if let Some(known) = self.0.borrow().get(path) {
            return known.clone();
        }
        let real = self.of(folder).and_then(|folder| {
            let place = folder.join(name);
            let found = fs::symlink_metadata(&place).ok()?;
            if found.is_symlink() { place.canonicalize().ok() } else { Some(place) }
        });
        self.0.borrow_mut().insert(path.to_owned(), real.clone());
        real
    }
}

/// The folder and the name, where that is all there is to it: no dots, no end that wants a folder.
fn plain_parts(path: &Path) -> Option<(&Path, &OsStr)> {
    let (folder, name) = (path.parent()?, path.file_name()?);
    let is_plain = path.is_absolute()
        && path.as_os_str().as_encoded_bytes().ends_with(name.as_encoded_bytes());
    is_plain.then_some((folder, name))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn it_says_what_the_system_says_at_the_first_question_and_later() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/file"), "").unwrap();
        for (to, link) in
            [("a/b", "to_b"), ("nowhere", "broken"), ("round", "round"), ("../file", "a/b/up")]
        {
            symlink(to, root.join(link)).unwrap();
        }
        let real = RealPaths::default();
        for name in [
            "",
            "a",
            "a/",
            "a/.",
            "a/..",
            "a/b",
            "a/b/",
            "a//b",
            "a/./b",
            "a/b/..",
            "a/b/../file",
            "a/file",
            "a/file/",
            "a/file/.",
            "a/file/..",
            "a/file/x",
            "a/none",
            "none/..",
            "none/x",
            "to_b",
            "to_b/",
            "to_b/..",
            "to_b/../file",
            "to_b/up",
            "to_b/none",
            "broken",
            "broken/x",
            "round",
            "round/x",
            "nul\0",
        ] {
            let path = root.join(name);
            let expected = path.canonicalize().ok();
            assert_eq!(real.of(&path), expected, "{name}");
            assert_eq!(real.of(&path), expected, "{name}, again");
        }
        for path in ["/", "", ".", "..", "src/lib.rs", "none"] {
            assert_eq!(real.of(Path::new(path)), Path::new(path).canonicalize().ok(), "{path}");
        }
    }

    #[test]
    fn what_one_look_has_seen_counts_until_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let real = RealPaths::default();
        assert_eq!(real.of(&path), None);
        fs::write(&path, "").unwrap();
        assert_eq!(real.of(&path), None);
        assert_eq!(RealPaths::default().of(&path), path.canonicalize().ok());
    }
}
