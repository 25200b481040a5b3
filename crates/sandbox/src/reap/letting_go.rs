//! The step between us and a program that is to outlive us: what `toolgate __detach` does (Linux).
//!
//! It starts the program in a session of its own, says so and ends, so that the program is nobody's
//! child that would have to be collected. It watches over nothing.

use std::io;
use std::os::unix::net::UnixStream;

use nix::libc::STDIN_FILENO;

use super::launch::{self, LaunchTie};
use super::{receive, surroundings, tell};
use crate::protocol::ReaperReport;

pub(super) fn run() -> io::Result<()> {
    surroundings::leave_parent()?;
    let parent = UnixStream::from(receive::own(STDIN_FILENO));
    tell(&parent, ReaperReport::Hello);
    let assignment = receive::assignment(&parent)?;
    match launch::start(assignment, LaunchTie::None) {
        Ok(program) => {
            tell(&parent, ReaperReport::Started(program.pid.as_raw()));
            Ok(())
        }
        Err((stage, errno)) => {
            tell(&parent, ReaperReport::Failed(stage, errno as i32));
            Err(errno.into())
        }
    }
}
