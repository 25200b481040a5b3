//! The person's folders as a confined process sees them: the workspace, what its entry names, an empty
//! home, and nothing of Toolgate's own.

use std::path::{Path, PathBuf};

use toolgate_types::FOLDER_WITH_PROTECTED;
use toolgate_types::config::Confinement;

use super::protected::{CLOSED_IN_REPOSITORY, protected_in};
use super::root_view::{RootView, SeenPlace};
use crate::{SandboxGround, SandboxRoom, WallError};

pub(super) fn show_folders(
    view: &mut RootView,
    confinement: &Confinement,
    ground: &SandboxGround,
    room: &SandboxRoom,
) -> Result<(), WallError> {
    let home = ground.home.as_deref().map(real).transpose()?;
    if let Some(home) = &home {
        view.put(home, SeenPlace::Scratch);
    }
    if let (Some(private), Some(home)) = (&room.private, &home) {
        view.put(home, SeenPlace::Real { source: real(private)?, is_writable: true });
    }
    let workspace = room.workspace.as_deref().map(real).transpose()?;
    if let Some(workspace) = &workspace {
        refuse_wide(workspace, home.as_deref())?;
        view.show(workspace, true);
        protect(view, workspace)?;
    }
    let named = NamedPlaces { home: home.as_deref(), workspace: workspace.as_deref() };
    for word in confinement.readable.iter().chain(&ground.readable) {
        for path in named.places(word)? {
            view.show(&path, false);
        }
    }
    for word in confinement.writable.iter().chain(&ground.writable) {
        for path in named.places(word)? {
            refuse_wide(&path, home.as_deref())?;
            view.show(&path, true);
            open_repository(view, &path);
        }
    }
    hide(view, &ground.hidden);
    Ok(())
}

/// Whoever may write to a whole home, or above it, has no walls.
pub(super) fn refuse_wide(folder: &Path, home: Option<&Path>) -> Result<(), WallError> {
    match folder.parent().is_none() || home.is_some_and(|home| home.starts_with(folder)) {
        true => Err(WallError::TooWide(folder.to_owned())),
        false => Ok(()),
    }
}

pub(super) fn protect(view: &mut RootView, workspace: &Path) -> Result<(), WallError> {
    for path in protected_in(workspace) {
        // A link cannot be mounted over, and could be turned to anything.
        if path.is_symlink() {
            return Err(WallError::ProtectedLink(path));
        }
        view.show(&path, false);
    }
    // It cannot be moved away either.
    let (folder, names) = FOLDER_WITH_PROTECTED;
    let folder = workspace.join(folder);
    if folder.is_symlink() {
        return Err(WallError::ProtectedLink(folder));
    }
    if folder.is_dir() {
        view.show(&folder, true);
        close(view, &folder, names);
    }
    Ok(())
}

/// A repository's own folder that may be written to, where that is one: never what runs something.
pub(super) fn open_repository(view: &mut RootView, path: &Path) {
    if path.file_name().is_some_and(|name| name == ".git") && path.is_dir() {
        view.show(path, true);
        close(view, path, CLOSED_IN_REPOSITORY);
    }
}

fn close<const COUNT: usize>(view: &mut RootView, folder: &Path, names: [&str; COUNT]) {
    for path in names.map(|name| folder.join(name)) {
        if path.symlink_metadata().is_ok_and(|found| !found.is_symlink()) {
            view.show(&path, false);
        }
    }
}

/// Toolgate's own files are shown to nobody, whatever an entry names.
pub(super) fn hide<'p>(view: &mut RootView, hidden: impl IntoIterator<Item = &'p PathBuf>) {
    for path in hidden.into_iter().filter_map(|path| path.canonicalize().ok()) {
        if view.shows(&path) {
            let place = if path.is_dir() { SeenPlace::Empty } else { SeenPlace::Blank };
            view.put(path, place);
        }
    }
}

pub(super) fn real(path: &Path) -> Result<PathBuf, WallError> {
    path.canonicalize().map_err(|source| WallError::Unreal { path: path.to_owned(), source })
}

/// What the words of an entry mean.
struct NamedPlaces<'a> {
    home: Option<&'a Path>,
    workspace: Option<&'a Path>,
}

/// What a build tool keeps in a home besides credentials and settings that run things.
pub(super) const PIECES: [(&str, &[&str]); 4] = [
    ("@cargo", &[".cargo/bin", ".cargo/registry", ".cargo/git", ".rustup"]),
    ("@node", &[".nvm/versions", ".volta/tools", ".fnm/node-versions", ".local/share/fnm"]),
    ("@python", &[".pyenv", ".local/share/uv/python", ".local/lib"]),
    ("@go", &["go/pkg/mod", "go/bin"]),
];

impl NamedPlaces<'_> {
    /// `@cargo` and its like mean several places, and those that are not there mean none.
    fn places(&self, word: &str) -> Result<Vec<PathBuf>, WallError> {
        if word.starts_with('@') {
            let piece = PIECES.iter().find(|(name, _)| *name == word);
            let (_, folders) = piece.ok_or_else(|| WallError::UnknownPiece(word.to_owned()))?;
            let home = self.home.ok_or_else(|| WallError::NoHome(word.to_owned()))?;
            let there = folders.iter().filter_map(|folder| home.join(folder).canonicalize().ok());
            return Ok(there.collect());
        }
        let path = match word.strip_prefix("~/") {
            Some(rest) => self.home.ok_or_else(|| WallError::NoHome(word.to_owned()))?.join(rest),
            None => match Path::new(word) {
                absolute if absolute.is_absolute() => absolute.to_owned(),
                relative => self
                    .workspace
                    .ok_or_else(|| WallError::NoWorkspace(word.to_owned()))?
                    .join(relative),
            },
        };
        Ok(vec![real(&path)?])
    }
}
