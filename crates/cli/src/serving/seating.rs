//! `serve` is the daemon of this machine too: it takes the seat, from an idle daemon that a shim
//! started, and from nobody else.

use crate::daemon::seat::{Sat, Seat, Turn};
use crate::failure::Failure;
use crate::output::Output;
use crate::surroundings::Surroundings;
use toolgate_control::ControlClient;

/// The seat, or none where there is no folder for it: agents then have the address alone.
pub(super) fn take(
    surroundings: &Surroundings,
    output: &mut Output,
) -> Result<Option<Seat>, Failure> {
    let variables = &surroundings.variables;
    let taken = Turn::take(variables).and_then(|turn| Ok((turn, Seat::take(variables)?)));
    match taken {
        Ok((turn, Sat::Down(seat))) => Ok(Some(seat.in_turn(turn))),
        Ok((turn, Sat::Taken(by))) => {
            let asked = ControlClient::find(variables)?.map(|commander| commander.retire());
            match asked {
                // It ends in a moment, and so does its lock.
                None | Some(Ok(())) => Ok(Some(Seat::await_leaving(variables)?.in_turn(turn))),
                Some(Err(_)) => {
                    let pid = by.split(' ').next().unwrap_or_default().to_owned();
                    Err(Failure::new(format!("toolgate runs already, as process {pid}"))
                        .hint("`toolgate status` shows who uses it, `toolgate stop` ends it"))
                }
            }
        }
        Err(failure) => {
            output.warning(format!("`toolgate stdio` will not find this: {}", failure.message));
            Ok(None)
        }
    }
}
