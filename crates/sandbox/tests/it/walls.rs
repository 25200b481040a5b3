//! What is tried from behind walls, and what works there all the same.

mod around;
mod attempts;
mod bubblewrap;
mod learning;
mod limits;
mod names;
mod package;
mod repository;
mod work;

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use nix::errno::Errno;
use tokio::io::AsyncReadExt as _;
use toolgate_sandbox::{Description, ProgramExit, SpawnError};
use toolgate_types::config::OuterWall;

use crate::within;
use around::Around;

static PROBE: LazyLock<String> =
    LazyLock::new(|| crate::built(env!("CARGO_BIN_EXE_toolgate-sandbox-probe")));

/// A copy of the probe that can be executed: for as long as another test that forks at this moment has it open
/// for writing, the kernel refuses that.
fn copy_probe(to: &Path) {
    std::fs::copy(PROBE.as_str(), to).unwrap();
    while let Err(error) = Command::new(to).arg("nothing").status() {
        assert_eq!(error.raw_os_error(), Some(Errno::ETXTBSY as i32), "{error}");
        std::thread::yield_now();
    }
}

/// What a process behind walls says, and how it ends.
async fn said(around: &Around, description: &Description) -> (String, ProgramExit) {
    let mut child = around.spawn(description).await.unwrap_or_else(|error| panic!("{error}"));
    drop(child.stdin.take());
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let (mut stdout, mut stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let _ =
        within(async { tokio::join!(stdout.read_to_end(&mut out), stderr.read_to_end(&mut err)) })
            .await;
    out.extend(err);
    (String::from_utf8_lossy(&out).into_owned(), within(child.wait()).await)
}

/// Whether this system lets walls be built at all. A container may forbid it, and then nothing here
/// can be shown; that is said loudly.
async fn has_walls() -> bool {
    let around = Around::new();
    match around.spawn(&around.command(&PROBE, &["nothing"])).await {
        Ok(_) => true,
        Err(SpawnError::Unwalled { source }) => {
            // What a system says that lets nobody have namespaces; anything else is a wall that fails.
            let forbidden =
                [Errno::EPERM, Errno::ENOSPC, Errno::ENOSYS, Errno::EINVAL, Errno::EUSERS];
            let errno = Errno::from_raw(source.raw_os_error().unwrap_or_default());
            assert!(forbidden.contains(&errno), "{source}");
            assert!(!others_have_namespaces(), "others have namespaces here, we fail: {source}");
            eprintln!("SKIPPED: this system does not let walls be built: {source}");
            false
        }
        // What bwrap cannot build where we can is a wall that fails too.
        Err(SpawnError::Unbuilt) => {
            let own = Around { outer: OuterWall::Builtin, ..around };
            let built = own.spawn(&own.command(&PROBE, &["nothing"])).await;
            assert!(built.is_err(), "bwrap builds nothing, and we do");
            eprintln!("SKIPPED: this system does not let bwrap build walls");
            false
        }
        Err(error) => panic!("{error}"),
    }
}

/// Whether the system's own tool has what our walls are made of: then a wall that fails is ours to mend.
fn others_have_namespaces() -> bool {
    let all =
        ["--user", "--map-root-user", "--mount", "--pid", "--fork", "--net", "--ipc", "--uts"];
    let mut unshare = Command::new("unshare");
    unshare.args(all).args(["--mount-proc", "true"]).stderr(Stdio::null());
    unshare.status().is_ok_and(|status| status.success())
}
