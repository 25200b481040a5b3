//! Starting the helper and giving it the plan.
//!
//! The helper's standard input is the socket and the child's streams travel over it, so nothing
//! has to be inherited by number and no code of ours runs between fork and exec in a process that
//! may have threads.

use std::io::{self, IoSlice};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::net;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg};
use tokio::io::{AsyncWriteExt as _, Interest};
use tokio::net::UnixStream;
use tokio::process::{Child as Helper, Command};
use tokio::time::timeout;

use super::GuardedTree;
use crate::plan::SpawnPlan;
use crate::protocol::{ARGS, ReaperReport, encode};
use crate::stdio::ChildStreamEnds;
use crate::{HelperError, SpawnError};

/// A helper says hello before it does anything else; one that takes longer is something else.
const HELLO_WAIT: Duration = Duration::from_secs(10);

/// Starts the helper with our environment: it is this program, and may need it to load. The child
/// gets none of it.
pub(super) fn start(path: &Path) -> Result<(UnixStream, Helper), SpawnError> {
    let resources = |source| SpawnError::Resources { source };
    let (ours, theirs) = net::UnixStream::pair().map_err(resources)?;
    ours.set_nonblocking(true).map_err(resources)?;
    let ours = UnixStream::from_std(ours).map_err(resources)?;
    let helper = Command::new(path)
        .arg0("toolgate")
        // At once, not only when it gets to leading a session: a Ctrl-C meanwhile is ours, not its.
        .process_group(0)
        .args(ARGS)
        .stdin(OwnedFd::from(theirs))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|source| HelperError::Start { path: path.to_owned(), source })?;
    Ok((ours, helper))
}

/// Gives the plan away and waits for the helper's hello.
pub(super) async fn greet(
    tree: &mut GuardedTree,
    path: &Path,
    plan: &SpawnPlan,
    theirs: ChildStreamEnds,
    link: Option<OwnedFd>,
) -> Result<(), SpawnError> {
    let greeting = async {
        let sent = send(&mut tree.socket, plan, theirs, link).await;
        (sent, tree.report().await)
    };
    match timeout(HELLO_WAIT, greeting).await {
        Ok((Ok(()), Some(ReaperReport::Hello))) => Ok(()),
        Ok((Err(source), _)) if source.kind() != io::ErrorKind::BrokenPipe => {
            Err(SpawnError::Resources { source })
        }
        // It took the socket and left, or says something else, or nothing.
        Ok(_) | Err(_) => Err(HelperError::NoAnswer(path.to_owned()).into()),
    }
}

/// The descriptors go with the first bytes; the rest follows as the helper reads.
async fn send(
    socket: &mut UnixStream,
    plan: &SpawnPlan,
    theirs: ChildStreamEnds,
    link: Option<OwnedFd>,
) -> io::Result<()> {
    let frame = encode(plan);
    let mut streams = theirs.numbers().to_vec();
    streams.extend(link.iter().chain(&plan.learned).map(|one| one.as_raw_fd()));
    let sent = socket
        .async_io(Interest::WRITABLE, || {
            let rights = [ControlMessage::ScmRights(&streams)];
            let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_NOSIGNAL;
            let bytes = [IoSlice::new(&frame)];
            Ok(sendmsg::<()>(socket.as_raw_fd(), &bytes, &rights, flags, None)?)
        })
        .await?;
    drop((theirs, link));
    socket.write_all(frame.get(sent..).unwrap_or_default()).await
}
