//! The seat of a daemon: there is one in each run folder, and whoever holds its lock sits on it.

use std::fs::{self, File, TryLockError};
use std::io::{Seek as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tokio::net::UnixListener;
use toolgate_config::Variables;
use toolgate_control::RunFolder;

use super::Sockets;
use crate::failure::Failure;

/// The seat, taken. What it holds is removed with it; a lock that stays behind is nobody's.
pub(crate) struct Seat {
    folder: RunFolder,
    lock: File,
    /// Held until the sockets are there by one that no shim started: shims wait for it then.
    turn: Option<Turn>,
}

/// What came of trying to sit down.
pub(crate) enum Sat {
    Down(Seat),
    /// Somebody else sits there: what it wrote of itself.
    Taken(String),
}

impl Seat {
    pub(crate) fn take(variables: &Variables) -> Result<Sat, Failure> {
        let folder = RunFolder::open(variables)?;
        let lock = folder.daemon_lock()?;
        match lock.try_lock() {
            Ok(()) => Self::sit(folder, lock).map(Sat::Down),
            Err(TryLockError::WouldBlock) => {
                Ok(Sat::Taken(folder.daemons_words().unwrap_or_default()))
            }
            Err(TryLockError::Error(error)) => Err(cannot("lock", folder.path(), &error)),
        }
    }

    /// Waits until whoever sits there has left.
    pub(crate) fn await_leaving(variables: &Variables) -> Result<Self, Failure> {
        let folder = RunFolder::open(variables)?;
        let lock = folder.daemon_lock()?;
        lock.lock().map_err(|error| cannot("lock", folder.path(), &error))?;
        Self::sit(folder, lock)
    }

    fn sit(folder: RunFolder, mut lock: File) -> Result<Self, Failure> {
        let words = format!("{} {}\n", std::process::id(), env!("CARGO_PKG_VERSION"));
        let written = lock
            .set_len(0)
            .and_then(|()| lock.rewind())
            .and_then(|()| lock.write_all(words.as_bytes()));
        written.map_err(|error| cannot("write", folder.path(), &error))?;
        Ok(Self { folder, lock, turn: None })
    }

    /// Makes the sockets. Those that are there are of somebody who is gone: the lock is ours.
    pub(crate) fn bind(&mut self) -> Result<Sockets, Failure> {
        let sockets = Sockets {
            agents: bound(&self.folder.agent_socket())?,
            control: bound(&self.folder.control_socket())?,
        };
        self.turn = None;
        Ok(sockets)
    }

    /// Keeps shims from starting a daemon of their own until the sockets of this one are there.
    pub(crate) fn in_turn(mut self, turn: Turn) -> Self {
        self.turn = Some(turn);
        self
    }
}

/// The turn to start a daemon. Whoever wants the seat as well takes this first.
pub(crate) struct Turn(
    #[expect(dead_code, reason = "it is locked for as long as it is held")] File,
);

impl Turn {
    pub(crate) fn take(variables: &Variables) -> Result<Self, Failure> {
        let folder = RunFolder::open(variables)?;
        let turn = folder.start_lock()?;
        turn.lock().map_err(|error| cannot("lock", folder.path(), &error))?;
        Ok(Self(turn))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        for socket in [self.folder.agent_socket(), self.folder.control_socket()] {
            let _ = fs::remove_file(socket);
        }
        let _ = self.lock.set_len(0);
    }
}

fn bound(path: &Path) -> Result<UnixListener, Failure> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(cannot("remove", path, &error));
        }
        _ => {}
    }
    let listener = UnixListener::bind(path).map_err(|error| cannot("listen on", path, &error))?;
    let own = fs::set_permissions(path, fs::Permissions::from_mode(0o600));
    own.map_err(|error| cannot("keep others from", path, &error))?;
    Ok(listener)
}

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot {what} {}: {error}", path.display()))
}
