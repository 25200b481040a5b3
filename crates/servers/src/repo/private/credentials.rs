//! The files that another name may lead to and must not: Toolgate's own, and those in which programs
//! keep credentials in a person's home. Only as many names are looked at as a call can wait for.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};

use super::{InodeIdentity, PrivatePlaces, identity_at};
use crate::repo::rules;

/// How many names are looked at.
const MOST_NAMES: usize = 50_000;

/// How deep programs hide things in a home, and how deep the folders go that hold nothing else.
const DEEPEST_IN_HOME: usize = 4;
const DEEPEST: usize = 12;

/// Folders of a home that are no hidden ones and hold credentials all the same.
const SHOWN: [&str; 3] = ["Library", "snap", "AppData"];

/// Large, and full of other people's files.
const PASSED_OVER: [&str; 6] = [".cache", ".npm", ".rustup", "node_modules", "registry", "trash"];

struct FolderAhead {
    folder: PathBuf,
    depth: usize,
    /// Everything below it is private.
    is_private: bool,
    is_home: bool,
}

pub(super) fn look_up(places: &PrivatePlaces) -> HashSet<InodeIdentity> {
    let mut found = HashSet::new();
    let mut names = 0;
    // Folder by folder from above: what lies deep is left out first.
    let mut ahead: VecDeque<FolderAhead> = VecDeque::new();
    for path in &places.own {
        match path.is_dir() {
            true => {
                let folder = path.clone();
                ahead.push_back(FolderAhead { folder, depth: 1, is_private: true, is_home: false });
            }
            false => found.extend(identity_at(path)),
        }
    }
    if let Some(home) = &places.home {
        let folder = home.clone();
        ahead.push_back(FolderAhead { folder, depth: 1, is_private: false, is_home: true });
    }
    while let Some(FolderAhead { folder, depth, is_private, is_home }) = ahead.pop_front() {
        let Ok(entries) = folder.read_dir() else { continue };
        for entry in entries.filter_map(Result::ok) {
            names += 1;
            if names > MOST_NAMES {
                return found;
            }
            let path = entry.path();
            let Some(kind) = entry.file_type().ok() else { continue };
            let is_folder = kind.is_dir() || (kind.is_symlink() && path.is_dir());
            if !is_folder {
                if is_private || rules::refuses_file_at(&path).is_some() {
                    found.extend(identity_at(&path));
                }
                continue;
            }
            let is_private = is_private || rules::refuses_place_at(&path).is_some();
            let deepest = if is_private { DEEPEST } else { DEEPEST_IN_HOME };
            if depth < deepest && (is_private || is_worth(&path, is_home)) {
                ahead.push_back(FolderAhead {
                    folder: path,
                    depth: depth + 1,
                    is_private,
                    is_home: false,
                });
            }
        }
    }
    found
}

fn is_worth(path: &Path, is_home: bool) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_hidden = name.starts_with('.') || SHOWN.contains(&&*name);
    !PASSED_OVER.contains(&&*name) && (!is_home || is_hidden)
}
