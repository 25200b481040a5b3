//! The lock of a daemon: there is one in each run folder, and whoever holds it is the daemon.

use std::fs::{self, File, TryLockError};
use std::io::{Seek as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tokio::net::UnixListener;
use toolgate_config::Variables;
use toolgate_control::{CommandFailure, RunFolder};

use crate::daemon::DaemonSockets;

/// The lock, held. The sockets are removed with it; a lock that stays behind is nobody's.
pub(crate) struct DaemonLock {
    folder: RunFolder,
    lock: File,
    /// Held until the sockets are there by one that no shim started: shims wait for it then.
    turn: Option<StartTurn>,
}

/// What came of trying to take it.
pub(crate) enum LockAttempt {
    Held(DaemonLock),
    /// Somebody else holds it: what it wrote of itself.
    TakenBy(String),
}

impl DaemonLock {
    pub(crate) fn take(variables: &Variables) -> Result<LockAttempt, CommandFailure> {
        let folder = RunFolder::open(variables)?;
        let lock = folder.daemon_lock()?;
        match lock.try_lock() {
            Ok(()) => Self::hold(folder, lock).map(LockAttempt::Held),
            Err(TryLockError::WouldBlock) => {
                Ok(LockAttempt::TakenBy(folder.daemons_words().unwrap_or_default()))
            }
            Err(TryLockError::Error(error)) => Err(cannot("lock", folder.path(), &error)),
        }
    }

    /// Waits until whoever holds it has left.
    pub(crate) fn await_leaving(variables: &Variables) -> Result<Self, CommandFailure> {
        let folder = RunFolder::open(variables)?;
        let lock = folder.daemon_lock()?;
        lock.lock().map_err(|error| cannot("lock", folder.path(), &error))?;
        Self::hold(folder, lock)
    }

    fn hold(folder: RunFolder, mut lock: File) -> Result<Self, CommandFailure> {
        let words = format!("{} {}\n", std::process::id(), env!("CARGO_PKG_VERSION"));
        let written = lock
            .set_len(0)
            .and_then(|()| lock.rewind())
            .and_then(|()| lock.write_all(words.as_bytes()));
        written.map_err(|error| cannot("write", folder.path(), &error))?;
        Ok(Self { folder, lock, turn: None })
    }

    /// Makes the sockets. Those that are there are of somebody who is gone: the lock is ours.
    pub(crate) fn bind(&mut self) -> Result<DaemonSockets, CommandFailure> {
        let sockets = DaemonSockets {
            agents: bound(&self.folder.agent_socket())?,
            control: bound(&self.folder.control_socket())?,
        };
        self.turn = None;
        Ok(sockets)
    }

    /// Keeps shims from starting a daemon of their own until the sockets of this one are there.
    pub(crate) fn in_turn(mut self, turn: StartTurn) -> Self {
        self.turn = Some(turn);
        self
    }
}

/// The turn to start a daemon. Whoever wants the lock as well takes this first.
pub(crate) struct StartTurn(
    #[expect(dead_code, reason = "it is locked for as long as it is held")] File,
);

impl StartTurn {
    pub(crate) fn take(variables: &Variables) -> Result<Self, CommandFailure> {
        let folder = RunFolder::open(variables)?;
        let turn = folder.start_lock()?;
        turn.lock().map_err(|error| cannot("lock", folder.path(), &error))?;
        Ok(Self(turn))
    }
}

impl Drop for DaemonLock {
    fn drop(&mut self) {
        for socket in [self.folder.agent_socket(), self.folder.control_socket()] {
            let _ = fs::remove_file(socket);
        }
        let _ = self.lock.set_len(0);
    }
}

fn bound(path: &Path) -> Result<UnixListener, CommandFailure> {
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

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> CommandFailure {
    CommandFailure::new(format!("cannot {what} {}: {error}", path.display()))
}
