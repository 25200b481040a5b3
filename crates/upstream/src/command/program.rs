//! Which file a command is: never one that lies in the workspace, where whoever calls it may have
//! written it.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::CommandError;

/// The file, by the name it was found under. Folders of `PATH` that lie in the workspace are passed over.
pub(super) fn find(
    name: &str,
    folder: &Path,
    path: Option<&OsStr>,
    workspace: &Path,
) -> Result<PathBuf, CommandError> {
    let real = |file: &Path| file.canonicalize().ok();
    let lies_inside = |file: &Path| real(file).is_none_or(|file| file.starts_with(workspace));
    if name.contains('/') {
        let file = folder.join(name);
        if !is_program(&file) {
            return Err(CommandError::NoProgram(format!("there is no program {}", file.display())));
        }
        return match lies_inside(&file) {
            true => Err(CommandError::InWorkspace(file)),
            false => Ok(file),
        };
    }
    let elements = path.map(std::env::split_paths).into_iter().flatten();
    let mut inside = None;
    for file in elements.filter(|element| element.is_absolute()).map(|element| element.join(name)) {
        match is_program(&file) {
            true if lies_inside(&file) => inside = inside.or(Some(file)),
            true => return Ok(file),
            false => {}
        }
    }
    Err(match inside {
        Some(file) => CommandError::InWorkspace(file),
        None => CommandError::NoProgram(format!("`{name}` is in no folder of its PATH")),
    })
}

fn is_program(file: &Path) -> bool {
    let is_executable =
        |found: std::fs::Metadata| found.is_file() && found.permissions().mode() & 0o111 != 0;
    file.metadata().is_ok_and(is_executable)
}
