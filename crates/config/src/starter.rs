//! The file that somebody begins with: what can stand in it, as comments, with everything that is needed
//! to take it into use.
//!
//! A project's file and a person's own differ in what may stand in them at all.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use crate::EditScope;

const PROJECT: &str = include_str!("starter/project.toml");
const OWN: &str = include_str!("starter/own.toml");

/// The text of a new file.
pub fn starter_text(scope: EditScope) -> &'static str {
    match scope {
        EditScope::Project => PROJECT,
        EditScope::Global => OWN,
    }
}

/// Writes a new file; one that is there stays as it is, and that is an error.
pub fn write_starter(path: &Path, scope: EditScope) -> io::Result<()> {
    // A person's own file names what others need not read; a project's is everybody's who works there.
    let mode = match scope {
        EditScope::Project => 0o644,
        EditScope::Global => 0o600,
    };
    if let (EditScope::Global, Some(folder)) = (scope, path.parent()) {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    file.write_all(starter_text(scope).as_bytes())
}
