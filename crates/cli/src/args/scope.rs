//! Which of the files a verb is about.

use clap::ValueEnum;

/// Which configuration is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeArg {
    /// What counts after all layers are merged
    Effective,
    /// The project's own file
    Project,
    /// Your own file
    Global,
}

/// The scopes that can be edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EditScope {
    Project,
    Global,
}

impl From<EditScope> for ScopeArg {
    fn from(scope: EditScope) -> Self {
        match scope {
            EditScope::Project => Self::Project,
            EditScope::Global => Self::Global,
        }
    }
}

impl EditScope {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Global => "global",
        }
    }
}
