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
use toolgate_types::Text;

/// Why a name means no program. The entry is at fault.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProgramError {
    #[error("the command is empty")]
    Empty,
    #[error("command `{name}` was not found: {looked}")]
    NotFound { name: String, looked: Looked },
    #[error("command `{name}` is not executable: {}", path.display())]
    NotExecutable { name: String, path: PathBuf },
    #[error("command `{name}` is a directory: {}", path.display())]
    Directory { name: String, path: PathBuf },
    #[error("command `{name}` is not a regular file: {}", path.display())]
    NotAFile { name: String, path: PathBuf },
}

/// Where a program was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Looked {
    /// The name itself is a path.
    At(PathBuf),
    /// The child's environment has no `PATH`.
    NoPath,
    /// In these folders of the child's `PATH`; the skipped ones are not absolute.
    Path { searched: Vec<PathBuf>, skipped: Vec<PathBuf> },
}

impl fmt::Display for Looked {
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
    name: &Text,
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
            Candidate::Fit => Ok(file),
            Candidate::Absent => {
                Err(ProgramError::NotFound { name: shown(), looked: Looked::At(file) })
            }
            Candidate::Unfit(unfit) => Err(unfit.into_error(shown(), file)),
        };
    }
    let Some(path) = path else {
        return Err(ProgramError::NotFound { name: shown(), looked: Looked::NoPath });
    };
    let (searched, skipped): (Vec<PathBuf>, Vec<PathBuf>) =
        std::env::split_paths(path).partition(|element| element.is_absolute());
    let mut nearest = None;
    for file in searched.iter().map(|element| element.join(text)) {
        match judge(&file) {
            Candidate::Fit => return Ok(file),
            Candidate::Absent => {}
            Candidate::Unfit(unfit) => nearest = nearest.or(Some((unfit, file))),
        }
    }
    Err(match nearest {
        Some((unfit, file)) => unfit.into_error(shown(), file),
        None => {
            ProgramError::NotFound { name: shown(), looked: Looked::Path { searched, skipped } }
        }
    })
}

enum Candidate {
    Fit,
    Absent,
    Unfit(Unfit),
}

enum Unfit {
    Directory,
    NotAFile,
    NotExecutable,
}

impl Unfit {
    fn into_error(self, name: String, path: PathBuf) -> ProgramError {
        match self {
            Self::Directory => ProgramError::Directory { name, path },
            Self::NotAFile => ProgramError::NotAFile { name, path },
            Self::NotExecutable => ProgramError::NotExecutable { name, path },
        }
    }
}

fn judge(file: &Path) -> Candidate {
    match file.metadata() {
        Ok(found) if found.is_dir() => Candidate::Unfit(Unfit::Directory),
        Ok(found) if !found.is_file() => Candidate::Unfit(Unfit::NotAFile),
        Ok(_) if access(file, AccessFlags::X_OK).is_ok() => Candidate::Fit,
        Ok(_) => Candidate::Unfit(Unfit::NotExecutable),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            Candidate::Unfit(Unfit::NotExecutable)
        }
        Err(_) => Candidate::Absent,
    }
}

#[cfg(test)]
mod tests;
