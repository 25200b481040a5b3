//! Giving the program to a helper that starts it and ends (Linux).
//!
//! The helper is this program started again: forking twice from here would run code of ours in the
//! copy of a process that may have threads. What the helper does is in `reap`.

use std::io::{self, IoSlice, Read as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg};

use super::DetachedStreams;
use crate::plan::SpawnPlan;
use crate::protocol::{DETACH_ARGS, ReaperReport, StartStage, encode};
use crate::{HelperError, HelperPath, SpawnError};

/// A helper answers in milliseconds; one that takes longer is something else.
const PATIENCE: Duration = Duration::from_secs(10);

/// The id of the program, which runs.
pub(super) fn start(
    plan: &SpawnPlan,
    streams: DetachedStreams,
    program: &Path,
) -> Result<u32, SpawnError> {
    let resources = |source| SpawnError::Resources { source };
    let helper = HelperPath::current_exe();
    let path = helper.check()?;
    let (ours, theirs) = UnixStream::pair().map_err(resources)?;
    ours.set_read_timeout(Some(PATIENCE)).map_err(resources)?;
    // With our environment: it is this program, and may need it to load. The program gets none of it.
    let mut helper = Command::new(path)
        .arg0("toolgate")
        .process_group(0)
        .args(DETACH_ARGS)
        .stdin(OwnedFd::from(theirs))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|source| HelperError::Start { path: path.to_owned(), source })?;
    let started = hand_over(&ours, plan, streams, path, program);
    if started.is_err() {
        // It may be no helper at all, and then nothing else ends it.
        let _ = helper.kill();
    }
    let _ = helper.wait();
    started
}

fn hand_over(
    socket: &UnixStream,
    plan: &SpawnPlan,
    streams: DetachedStreams,
    path: &Path,
    program: &Path,
) -> Result<u32, SpawnError> {
    match send(socket, plan, streams) {
        Err(source) if source.kind() != io::ErrorKind::BrokenPipe => {
            return Err(SpawnError::Resources { source });
        }
        // One that has gone already is noticed now.
        _ => {}
    }
    if report(socket) != Some(ReaperReport::Hello) {
        return Err(HelperError::NoAnswer(path.to_owned()).into());
    }
    match report(socket) {
        Some(ReaperReport::Started(pid)) => Ok(pid.unsigned_abs()),
        Some(ReaperReport::Failed(stage, errno)) => {
            let source = Errno::from_raw(errno).into();
            Err(match stage {
                // Nothing that is let go stands behind walls.
                StartStage::Prepare | StartStage::Walls | StartStage::Bubblewrap => {
                    SpawnError::Resources { source }
                }
                StartStage::Folder => SpawnError::Folder { path: "/".into(), source },
                StartStage::Execute => {
                    SpawnError::Execute { program: program.display().to_string(), source }
                }
            })
        }
        _ => Err(HelperError::Lost(path.to_owned()).into()),
    }
}

/// The descriptors go with the first bytes; the rest follows as the helper reads.
fn send(mut socket: &UnixStream, plan: &SpawnPlan, streams: DetachedStreams) -> io::Result<()> {
    let frame = encode(plan);
    let numbers =
        [streams.stdin.as_raw_fd(), streams.stdout.as_raw_fd(), streams.stderr.as_raw_fd()];
    let rights = [ControlMessage::ScmRights(&numbers)];
    let bytes = [IoSlice::new(&frame)];
    let sent = sendmsg::<()>(socket.as_raw_fd(), &bytes, &rights, MsgFlags::MSG_NOSIGNAL, None)?;
    socket.write_all(frame.get(sent..).unwrap_or_default())
}

fn report(mut socket: &UnixStream) -> Option<ReaperReport> {
    let mut bytes = [0; ReaperReport::SIZE];
    socket.read_exact(&mut bytes).ok().and_then(|()| ReaperReport::from_bytes(bytes))
}
