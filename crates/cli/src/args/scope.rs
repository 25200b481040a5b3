//! Which of the files a verb is about.

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use toolgate_config::EditScope;

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

impl From<EditScope> for ScopeArg {
    fn from(scope: EditScope) -> Self {
        match scope {
            EditScope::Project => Self::Project,
            EditScope::Global => Self::Global,
        }
    }
}

/// The scopes that can be edited, by their words.
pub(super) fn edit_scope() -> impl TypedValueParser<Value = EditScope> {
    let words = PossibleValuesParser::new(EditScope::ALL.map(EditScope::as_str));
    words.try_map(|word| EditScope::parse(&word).ok_or("no such scope"))
}
