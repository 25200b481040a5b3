//! For whom something of a work is kept: who works, and where. To everybody else it does not exist.

use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeptFor {
    pub principal: String,
    /// The folder that is worked in.
    pub workspace: PathBuf,
}

impl KeptFor {
    pub fn new(principal: impl Into<String>, workspace: impl Into<PathBuf>) -> Self {
        Self { principal: principal.into(), workspace: workspace.into() }
    }
}
