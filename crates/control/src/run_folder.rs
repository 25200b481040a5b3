//! The folder where a daemon and those who use it meet: its sockets and locks.
//!
//! It belongs to one user in one pair of mount and user namespaces, so that a container which shares
//! the folder has a daemon of its own. What somebody else could have prepared is refused. Who
//! listens there, and who starts whom, is for others.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use nix::libc::{O_NOFOLLOW, O_NONBLOCK};
use toolgate_types::Variables;

use crate::{CommandFailure, state_folder};

/// The longest path of a socket, a little less than the smallest that a system takes.
const LONGEST: usize = 100;

/// Who may write into a folder or file besides its owner.
const OTHERS_WRITE: u32 = 0o022;

/// The folder, which is ours alone.
#[derive(Debug, Clone)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// The folder of whoever has these variables; what of it is missing is made.
    pub fn open(variables: &Variables) -> Result<Self, CommandFailure> {
        let (above, ours) = Self::places(variables)?;
        if !above.is_dir() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(&above)
                .map_err(|error| refusal(&above, error))?;
            check_above(&above)?;
        }
        for folder in &ours {
            match DirBuilder::new().mode(0o700).create(folder) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                    return Err(refusal(folder, error));
                }
                _ => check(folder)?,
            }
        }
        let [_, path] = ours;
        Ok(Self { path })
    }

    /// The same, where there is one; nothing is made.
    pub fn find(variables: &Variables) -> Result<Option<Self>, CommandFailure> {
        let (_, ours) = Self::places(variables)?;
        for folder in &ours {
            if fs::symlink_metadata(folder).is_err_and(|error| error.kind() == ErrorKind::NotFound)
            {
                return Ok(None);
            }
            check(folder)?;
        }
        let [_, path] = ours;
        Ok(Some(Self { path }))
    }

    /// The outer of our folders, whether it is there or not.
    pub fn outer(variables: &Variables) -> Option<PathBuf> {
        let (_, [outer, _]) = Self::places(variables).ok()?;
        Some(outer)
    }

    /// The folder that others made, and the two below it that we make.
    fn places(variables: &Variables) -> Result<(PathBuf, [PathBuf; 2]), CommandFailure> {
        let (above, name) = match runtime_folder(variables) {
            Some(folder) => (folder, "toolgate"),
            None => {
                let state = state_folder(variables)?;
                if state.is_dir() {
                    check_above(&state)?;
                }
                (state, "run")
            }
        };
        let outer = above.join(name);
        let inner = outer.join(namespaces()?);
        let longest = inner.join("control.sock");
        let length = longest.as_os_str().as_bytes().len();
        if length > LONGEST {
            let message = format!(
                "the path of the daemon's socket is too long, {length} bytes where {LONGEST} are \
                 possible: {}",
                longest.display()
            );
            return Err(
                CommandFailure::new(message).hint("set XDG_RUNTIME_DIR to a shorter folder")
            );
        }
        Ok((above, [outer, inner]))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where agents attach.
    pub fn agent_socket(&self) -> PathBuf {
        self.path.join("agent.sock")
    }

    /// Where the person's own commands go.
    pub fn control_socket(&self) -> PathBuf {
        self.path.join("control.sock")
    }

    /// What a daemon holds locked for as long as it lives, and writes its pid and version into.
    pub fn daemon_lock(&self) -> Result<File, CommandFailure> {
        self.lock_file("daemon.lock")
    }

    /// What is held locked by whoever is about to start a daemon, until it answers.
    pub fn start_lock(&self) -> Result<File, CommandFailure> {
        self.lock_file("start.lock")
    }

    /// What the daemon wrote about itself.
    pub fn daemons_words(&self) -> Option<String> {
        let words = fs::read_to_string(self.path.join("daemon.lock")).ok()?;
        let words = words.trim();
        (!words.is_empty()).then(|| words.to_owned())
    }

    fn lock_file(&self, name: &str) -> Result<File, CommandFailure> {
        let path = self.path.join(name);
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(O_NOFOLLOW | O_NONBLOCK)
            .open(&path)
            .map_err(|error| {
                CommandFailure::new(format!("cannot open {}: {error}", path.display()))
            })
    }
}

/// The user that this process acts as.
pub fn current_uid() -> u32 {
    nix::unistd::geteuid().as_raw()
}

/// `$XDG_RUNTIME_DIR`, which counts only if it is what it should be: absolute, and this user's alone.
/// One that came along with `sudo` belongs to another.
fn runtime_folder(variables: &Variables) -> Option<PathBuf> {
    let folder = PathBuf::from(variables.get("XDG_RUNTIME_DIR")?);
    let found = fs::metadata(&folder).ok().filter(|_| folder.is_absolute())?;
    (found.is_dir() && problem(&found).is_none()).then_some(folder)
}

/// The name of our pair of namespaces.
fn namespaces() -> Result<String, CommandFailure> {
    let number = |name: &str| match fs::metadata(format!("/proc/self/ns/{name}")) {
        Ok(found) => Ok(found.ino()),
        // A system that does not have them has no others either.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(0),
        Err(error) => {
            Err(CommandFailure::new(format!("cannot tell the {name} namespace: {error}")))
        }
    };
    Ok(format!("{}-{}", number("mnt")?, number("user")?))
}

/// A folder that we made, or else somebody who should not have.
fn check(folder: &Path) -> Result<(), CommandFailure> {
    let found = fs::symlink_metadata(folder).map_err(|error| refusal(folder, error))?;
    let problem = match (found.is_symlink(), found.is_dir()) {
        (true, _) => Some("it is a link".to_owned()),
        (_, false) => Some("it is no folder".to_owned()),
        _ => problem(&found),
    };
    problem.map_or(Ok(()), |problem| {
        let shown = folder.display();
        let hint = format!("if somebody else made {shown}, remove it; it is made anew");
        Err(refusal(folder, problem).hint(hint))
    })
}

/// The folder of all state may be a link: a person may have put it elsewhere.
fn check_above(folder: &Path) -> Result<(), CommandFailure> {
    let found = fs::metadata(folder).map_err(|error| refusal(folder, error))?;
    problem(&found).map_or(Ok(()), |problem| {
        let hint = "set XDG_RUNTIME_DIR or XDG_STATE_HOME to a folder that is yours alone";
        Err(refusal(folder, problem).hint(hint))
    })
}

/// Why a folder is not ours alone.
fn problem(found: &fs::Metadata) -> Option<String> {
    if found.uid() != current_uid() {
        return Some(format!(
            "it belongs to user {} and you are user {}",
            found.uid(),
            current_uid()
        ));
    }
    let mode = found.mode() & 0o7777;
    (mode & OTHERS_WRITE != 0).then(|| format!("others may write into it (mode {mode:o})"))
}

fn refusal(folder: &Path, why: impl std::fmt::Display) -> CommandFailure {
    CommandFailure::new(format!("cannot use {} to reach the daemon: {why}", folder.display()))
}

#[cfg(test)]
mod tests;
