//! The view of a run that is learned from: nearly everything that its person sees, and may write to their home;
//! no credentials, nothing of ours, no socket of the machine.

use std::path::{Path, PathBuf};

use super::folder_view::{hide, open_repository, protect, real, refuse_wide};
use super::private_places::{SYSTEM_SECRETS, run_later, secret};
use super::root_view::{RootView, SHARED_SCRATCH, SeenPlace};
use crate::{SandboxGround, SandboxRoom, WallError};

/// What every process has of its own, or that leads to other processes (`/run` is full of sockets).
const NOT_SHOWN: [&str; 9] =
    ["proc", "dev", "sys", "run", "boot", "lost+found", "home", "root", "etc"];

/// Of `/var`, what other programs keep for themselves.
const PRIVATE_DATA: [&str; 8] = [
    "/var/backups",
    "/var/spool",
    "/var/mail",
    "/var/lib/docker",
    "/var/lib/containerd",
    "/var/lib/kubelet",
    "/var/lib/private",
    "/etc/ssl/private",
];

pub(super) fn show_nearly_everything(
    view: &mut RootView,
    ground: &SandboxGround,
    room: &SandboxRoom,
) -> Result<(), WallError> {
    for at in entries(Path::new("/"), &NOT_SHOWN) {
        view.show_if_there(&at);
    }
    for at in entries(Path::new("/etc"), &SYSTEM_SECRETS) {
        if let Ok(real) = at.canonicalize() {
            view.put(at, SeenPlace::Real { source: real, is_writable: false });
        }
    }
    // Everybody's own are full of sockets: of agents that hold keys, of terminals, of displays.
    for scratch in SHARED_SCRATCH {
        view.put(scratch, SeenPlace::Scratch);
    }
    let home = ground.home.as_deref().map(real).transpose()?;
    if let Some(home) = home.as_deref().filter(|home| home.parent().is_some()) {
        view.show(home, true);
    }
    let workspace = room.workspace.as_deref().map(real).transpose()?;
    if let Some(workspace) = &workspace {
        refuse_wide(workspace, home.as_deref())?;
        view.show(workspace, true);
        protect(view, workspace)?;
        open_repository(view, &workspace.join(".git"));
    }
    for path in run_later(ground).iter().filter(|path| path.symlink_metadata().is_ok()) {
        // A link leads to where it may be written to, if it may.
        if let Ok(real) = path.canonicalize() {
            view.show(&real, false);
        }
    }
    let private = PRIVATE_DATA.map(PathBuf::from);
    let private = private.iter().filter(|path| path.read_dir().is_ok());
    let secret = secret(ground);
    hide(view, secret.iter().chain(private));
    Ok(())
}

fn entries(folder: &Path, without: &[&str]) -> Vec<PathBuf> {
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    let names = entries.flatten().map(|entry| entry.file_name());
    let others = names.filter(|name| !without.iter().any(|one| name == one));
    others.map(|name| folder.join(name)).collect()
}
