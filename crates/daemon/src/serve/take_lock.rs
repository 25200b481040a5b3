//! `serve` is the daemon of this machine too: it takes the lock, from an idle daemon that a shim
//! started, and from nobody else.

use toolgate_config::Variables;
use toolgate_control::{CommandFailure, ControlClient};

use crate::RunConsole;
use crate::daemon_lock::{DaemonLock, LockAttempt, StartTurn};

/// The lock, or none where there is no folder for it: agents then have the address alone.
pub(super) fn take_lock(
    variables: &Variables,
    console: &mut dyn RunConsole,
) -> Result<Option<DaemonLock>, CommandFailure> {
    let taken =
        StartTurn::take(variables).and_then(|turn| Ok((turn, DaemonLock::take(variables)?)));
    match taken {
        Ok((turn, LockAttempt::Held(lock))) => Ok(Some(lock.in_turn(turn))),
        Ok((turn, LockAttempt::TakenBy(by))) => {
            let asked = ControlClient::find(variables)?.map(|commander| commander.retire());
            match asked {
                // It ends in a moment, and so does its lock.
                None | Some(Ok(())) => {
                    Ok(Some(DaemonLock::await_leaving(variables)?.in_turn(turn)))
                }
                Some(Err(_)) => {
                    let pid = by.split(' ').next().unwrap_or_default().to_owned();
                    Err(CommandFailure::new(format!("toolgate runs already, as process {pid}"))
                        .hint("`toolgate status` shows who uses it, `toolgate stop` ends it"))
                }
            }
        }
        Err(failure) => {
            console.warn(&format!("`toolgate stdio` will not find this: {}", failure.message));
            Ok(None)
        }
    }
}
