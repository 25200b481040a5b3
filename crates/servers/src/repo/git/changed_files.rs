//! Files that differ, as a caller reads of them.

use schemars::JsonSchema;
use serde::Serialize;

use super::git_objects::TreeItem;

/// A file that differs between two states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangedFile {
    /// Relative to the served folder.
    pub path: String,
    pub change: ChangeKind,
    /// Lines that are only in the newer state; 0 where the patch of this file is not here.
    pub added: usize,
    /// Lines that are only in the older state.
    pub removed: usize,
    /// Its contents are no text.
    #[serde(skip_serializing_if = "is_not")]
    pub binary: bool,
    /// Its patch is not here, or not all of it: there was no room or time, or it is too large.
    #[serde(skip_serializing_if = "is_not")]
    pub cut: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    Added,
    Modified,
    Deleted,
    /// A file became a link or a submodule, or the other way round.
    TypeChanged,
}

impl ChangeKind {
    pub(super) fn between(old: Option<TreeItem>, new: Option<TreeItem>) -> Self {
        match (old, new) {
            (None, _) => Self::Added,
            (Some(_), None) => Self::Deleted,
            (Some(old), Some(new)) if (old.mode ^ new.mode) & 0o170_000 != 0 => Self::TypeChanged,
            (Some(_), Some(_)) => Self::Modified,
        }
    }

    pub(super) fn letter(self) -> char {
        match self {
            Self::Added => 'A',
            Self::Modified => 'M',
            Self::Deleted => 'D',
            Self::TypeChanged => 'T',
        }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
pub(super) fn is_not(flag: &bool) -> bool {
    !flag
}
