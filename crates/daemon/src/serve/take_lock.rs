//! `serve` is the daemon of this machine too: it takes the lock, from an idle daemon that a shim
//! started, and from nobody else. One that is used is asked to serve the address instead.

use toolgate_config::Variables;
use toolgate_control::{CommandFailure, ControlClient};

use crate::RunConsole;
use crate::daemon_lock::{DaemonLock, LockAttempt, StartTurn};

/// In which process the address is served.
pub(super) enum ServePlace {
    /// In this one; without a lock where there is no folder for it: agents then have the address
    /// alone.
    Daemon(Option<DaemonLock>),
    /// In the daemon that runs.
    Beside(ControlClient),
}

pub(super) fn take_place(
    variables: &Variables,
    console: &mut dyn RunConsole,
) -> Result<ServePlace, CommandFailure> {
    let taken =
        StartTurn::take(variables).and_then(|turn| Ok((turn, DaemonLock::take(variables)?)));
    match taken {
        Ok((turn, LockAttempt::Held(lock))) => Ok(ServePlace::Daemon(Some(lock.in_turn(turn)))),
        Ok((turn, LockAttempt::TakenBy(_))) => {
            let asked = ControlClient::find(variables)?.map(|commander| commander.retire());
            if let Some(Err(_)) = asked
                && let Some(daemon) = ControlClient::find(variables)?
            {
                return Ok(ServePlace::Beside(daemon));
            }
            // It ends in a moment, and so does its lock.
            let lock = DaemonLock::await_leaving(variables)?.in_turn(turn);
            Ok(ServePlace::Daemon(Some(lock)))
        }
        Err(failure) => {
            console.warn(&format!("`toolgate stdio` will not find this: {}", failure.message));
            Ok(ServePlace::Daemon(None))
        }
    }
}
