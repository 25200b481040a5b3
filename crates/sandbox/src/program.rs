//! Which file a program's name means.
//!
//! As a shell does it, with one difference: an element of `PATH` that is empty or relative is passed
//! over, so that the working directory is searched only where the name itself says so. Nothing is
//! started here, and a `~` is an ordinary character.

use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};
use thiserror::Error;
use toolgate_types::ConfigText;

/// Why a name means no program. The entry is at fault.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProgramError {
    #[error("the command is empty")]
    Empty,
    #[error("command `{name}` was not found: {looked}")]
    NotFound { name: String, looked: ProgramSearch },
    #[error("command `{name}` is not executable: {}", path.display())]
    NotExecutable { name: String, path: PathBuf },
    #[error("command `{name}` is a directory: {}", path.display())]
    Directory { name: String, path: PathBuf },
    #[error("command `{name}` is not a regular file: {}", path.display())]
    NotAFile { name: String, path: PathBuf },
}

/// Where a program was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramSearch {
    /// The name itself is a path.
    At(PathBuf),
    /// The child's environment has no `PATH`.
    NoPath,
    /// In these folders of the child's `PATH`; the skipped ones are not absolute.
    Path { searched: Vec<PathBuf>, skipped: Vec<PathBuf> },
}

impl fmt::Display for ProgramSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(path) => write!(f, "there is no {}", path.display()),
            Self::NoPath => f.write_str("its environment has no PATH"),
            Self::Path { searched, skipped } => {
                write!(f, "searched {}", list(searched))?;
                if skipped.is_empty() {
                    return Ok(());
                }
                write!(f, "; passed over in PATH, because not absolute: {}", list(skipped))
            }
        }
    }
}

fn list(paths: &[PathBuf]) -> String {
    let paths: Vec<String> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
    if paths.is_empty() { "nowhere".to_owned() } else { paths.join(", ") }
}

/// The file that `name` means for a child with this folder and this `PATH`.
pub(crate) fn find(
    name: &ConfigText,
    folder: &Path,
    path: Option<&OsStr>,
) -> Result<PathBuf, ProgramError> {
    let shown = || name.shown().to_owned();
    let text = name.expose();
    if text.is_empty() {
        return Err(ProgramError::Empty);
    }
    if text.contains('/') {
        let file = folder.join(text);
        return match judge(&file) {
            ProgramCandidate::Fit => Ok(file),
            ProgramCandidate::Absent => {
                Err(ProgramError::NotFound { name: shown(), looked: ProgramSearch::At(file) })
            }
            ProgramCandidate::Unfit(unfit) => Err(unfit.into_error(shown(), file)),
        };
    }
    let Some(path) = path else {
        return Err(ProgramError::NotFound { name: shown(), looked: ProgramSearch::NoPath });
    };
    let (searched, skipped): (Vec<PathBuf>, Vec<PathBuf>) =
        std::env::split_paths(path).partition(|element| element.is_absolute());
    let mut nearest = None;
    for file in searched.iter().map(|element| element.join(text)) {
        match judge(&file) {
            ProgramCandidate::Fit => return Ok(file),
            ProgramCandidate::Absent => {}
            ProgramCandidate::Unfit(unfit) => nearest = nearest.or(Some((unfit, file))),
        }
    }
    Err(match nearest {
        Some((unfit, file)) => unfit.into_error(shown(), file),
        None => ProgramError::NotFound {
            name: shown(),
            looked: ProgramSearch::Path { searched, skipped },
        },
    })
}

enum ProgramCandidate {
    Fit,
    Absent,
    Unfit(UnfitProgram),
}

enum UnfitProgram {
    Directory,
    NotAFile,
    NotExecutable,
}

impl UnfitProgram {
    fn into_error(self, name: String, path: PathBuf) -> ProgramError {
        match self {
            Self::Directory => ProgramError::Directory { name, path },
            Self::NotAFile => ProgramError::NotAFile { name, path },
            Self::NotExecutable => ProgramError::NotExecutable { name, path },
        }
    }
}

fn judge(file: &Path) -> ProgramCandidate {
    match file.metadata() {
        Ok(found) if found.is_dir() => ProgramCandidate::Unfit(UnfitProgram::Directory),
        Ok(found) if !found.is_file() => ProgramCandidate::Unfit(UnfitProgram::NotAFile),
        Ok(_) if access(file, AccessFlags::X_OK).is_ok() => ProgramCandidate::Fit,
        Ok(_) => ProgramCandidate::Unfit(UnfitProgram::NotExecutable),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            ProgramCandidate::Unfit(UnfitProgram::NotExecutable)
        }
        Err(_) => ProgramCandidate::Absent,
    }
}

#[cfg(test)]
mod tests;
