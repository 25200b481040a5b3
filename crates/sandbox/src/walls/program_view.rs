//! The program itself: its file, the links that lead to it, and the folder that it was installed in.

use std::path::{Path, PathBuf};

use super::root_view::{RootView, SeenPlace};
use crate::{SandboxGround, WallError};

/// How many links may lead to a program; more are a circle.
const LINKS: usize = 16;

/// Folders of a home that many programs share with files that are nobody's business.
const SHARED_PREFIXES: [&str; 4] = ["", ".local", ".cargo", ".config"];

pub(super) fn show_program(
    view: &mut RootView,
    program: &Path,
    ground: &SandboxGround,
) -> Result<(), WallError> {
    let mut path = program.to_owned();
    for _ in 0..LINKS {
        let is_link = path.symlink_metadata().is_ok_and(|found| found.is_symlink());
        if view.shows_real(&path) {
            // A link in a folder that is shown leads on from there.
            if !is_link {
                return Ok(());
            }
        } else if is_link {
            let to = path.read_link().map_err(|_| WallError::ProgramUnseen(path.clone()))?;
            view.put(&path, SeenPlace::Link(to));
        } else {
            show_installed(view, &path, ground);
            return Ok(());
        }
        path = next(&path).ok_or_else(|| WallError::ProgramUnseen(path.clone()))?;
    }
    Err(WallError::ProgramUnseen(program.to_owned()))
}

/// Where a link leads, without looking further.
fn next(link: &Path) -> Option<PathBuf> {
    let to = link.read_link().ok()?;
    let folder = link.parent()?.canonicalize().ok()?;
    let joined = folder.join(to);
    let (parent, name) = (joined.parent()?.canonicalize().ok()?, joined.file_name()?);
    Some(parent.join(name))
}

/// A program in the `bin` of its own folder needs that folder; any other only its file.
fn show_installed(view: &mut RootView, file: &Path, ground: &SandboxGround) {
    let real = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    match prefix(&real, ground) {
        Some(prefix) => {
            // The links in it that led here are in it already.
            view.forget_links_below(&prefix);
            view.show(&prefix, false);
        }
        None => view.put(file, SeenPlace::Real { source: real, is_writable: false }),
    }
}

fn prefix(file: &Path, ground: &SandboxGround) -> Option<PathBuf> {
    let bin = file.parent()?;
    let is_bin =
        bin.file_name().is_some_and(|name| ["bin", "shims", "libexec"].iter().any(|n| name == *n));
    let prefix = bin.parent().filter(|prefix| is_bin && prefix.parent().is_some())?;
    let is_shared = ground.home.as_ref().is_some_and(|home| {
        let is_above = home.starts_with(prefix);
        is_above || SHARED_PREFIXES.iter().any(|shared| home.join(shared) == prefix)
    });
    let is_ours = ground.hidden.iter().any(|hidden| hidden.starts_with(prefix));
    (!is_shared && !is_ours).then(|| prefix.to_owned())
}
