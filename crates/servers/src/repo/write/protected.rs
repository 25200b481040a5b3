//! Names that are never written: what the walls around processes keep as it is, wherever it lies, and
//! whatever is not served at all.

use std::path::Path;

use toolgate_types::{FOLDER_WITH_PROTECTED, PROTECTED_NAMES};

use crate::repo::rules;

const RUNS: &str = "what makes somebody's next command run something is not written";

/// The rule that refuses to write to a path below a folder.
pub(super) fn refuses(root: &Path, path: &Path) -> Option<&'static str> {
    let (folder, inside) = FOLDER_WITH_PROTECTED;
    let names: Vec<String> = path.iter().map(rules::fold).collect();
    let is_protected = |name: &String| PROTECTED_NAMES.contains(&&**name);
    let is_inside = |pair: &[String]| pair[0] == folder && inside.contains(&&*pair[1]);
    if names.iter().any(is_protected) || names.windows(2).any(is_inside) {
        return Some(RUNS);
    }
    rules::refuses_below(root, path)
}
