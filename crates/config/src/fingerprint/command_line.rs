//! What an entry starts, as it is written.

use indexmap::IndexMap;
use toolgate_types::{ConfigText, EnvName};

/// A program with its arguments and variables.
pub(super) struct CommandLine<'a> {
    pub(super) command: &'a ConfigText,
    pub(super) args: &'a [ConfigText],
    pub(super) env: &'a IndexMap<EnvName, ConfigText>,
}
