//! Many places become the folder that they are in.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// So many parts of a folder, and the whole of it is meant.
const MANY: usize = 3;

/// The same places in fewer words, each of which may be said.
pub(super) fn gathered(
    places: BTreeSet<PathBuf>,
    may: impl Fn(&Path) -> bool,
) -> BTreeSet<PathBuf> {
    let mut parts: BTreeMap<&Path, BTreeSet<&OsStr>> = BTreeMap::new();
    for place in &places {
        for (below, above) in place.ancestors().zip(place.ancestors().skip(1)) {
            parts.entry(above).or_default().extend(below.file_name());
        }
    }
    let many = parts.into_iter().filter(|(folder, parts)| parts.len() >= MANY && may(folder));
    let folders: BTreeSet<PathBuf> = many.map(|(folder, _)| folder.to_owned()).collect();
    let all: BTreeSet<PathBuf> = folders.into_iter().chain(places).collect();
    let is_covered = |place: &PathBuf| place.ancestors().skip(1).any(|above| all.contains(above));
    all.iter().filter(|place| !is_covered(place)).cloned().collect()
}
