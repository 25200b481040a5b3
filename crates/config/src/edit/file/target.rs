//! Which file a path means, and its text. It writes nothing.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

use super::FileError;

/// The file behind every link of a path; it and its folders may be missing.
pub(super) fn real_path(path: &Path) -> Result<PathBuf, FileError> {
    let unreadable = |source| FileError::Read { path: path.to_owned(), source };
    let absolute = std::path::absolute(path).map_err(unreadable)?;
    for existing in absolute.ancestors() {
        match existing.canonicalize() {
            Ok(real) => {
                let missing = absolute.strip_prefix(existing).unwrap_or(Path::new(""));
                let below = missing.components().next().is_some();
                if below && !real.is_dir() {
                    return Err(FileError::NotAFolder { path: real });
                }
                return Ok(below_folder(real, missing));
            }
            Err(error) if is_missing(&error) => match existing.read_link() {
                Ok(target) => {
                    return Err(FileError::DanglingLink { path: existing.to_owned(), target });
                }
                Err(_) => continue,
            },
            Err(error) => return Err(unreadable(error)),
        }
    }
    Err(unreadable(ErrorKind::NotFound.into()))
}

/// Folders that do not exist are no links, so `..` among them can be taken literally.
fn below_folder(mut folder: PathBuf, missing: &Path) -> PathBuf {
    for component in missing.components() {
        match component {
            Component::ParentDir => drop(folder.pop()),
            Component::Normal(name) => folder.push(name),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    folder
}

/// The text of a file and what it is like, or `None` if there is no file.
pub(super) fn read(path: &Path) -> Result<Option<(String, Metadata)>, FileError> {
    let unreadable = |source| FileError::Read { path: path.to_owned(), source };
    // Asked before opening: a pipe would wait for its other end.
    let kind = match fs::metadata(path) {
        Ok(metadata) => metadata.file_type(),
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    if kind.is_dir() {
        return Err(FileError::Folder { path: path.to_owned() });
    } else if !kind.is_file() {
        return Err(FileError::NotAFile { path: path.to_owned() });
    }
    let mut file = File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(unreadable)?;
    let not_utf8 = |error: std::string::FromUtf8Error| FileError::NotUtf8 {
        path: path.to_owned(),
        at: error.utf8_error().valid_up_to(),
    };
    Ok(Some((String::from_utf8(bytes).map_err(not_utf8)?, metadata)))
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}
