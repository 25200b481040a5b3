//! Walls whose outer one `bwrap` builds: where it is asked for, and where the system leaves nothing else.

use std::fs;

use nix::sys::signal::Signal;
use toolgate_sandbox::{ChildProcess, HelperPath, ProcessSpawner, SpawnError, WallError};
use toolgate_types::config::OuterWall;

use super::{Around, PROBE, attempts, copy_probe, has_walls, said};
use crate::process::{Process, descendants, gone};
use crate::{ACTOR, HANG, Said, within};

/// With walls that `bwrap` builds, if it is here and may.
async fn around() -> Option<Around> {
    let mut around = Around::new();
    around.outer = OuterWall::Bwrap;
    let may = match around.spawn(&around.command(&PROBE, &["nothing"])).await {
        Ok(_) => return Some(around),
        // On a machine where nobody may have namespaces there is nothing to be shown.
        Err(SpawnError::Unbuilt) if !has_walls().await => "no namespace",
        Err(SpawnError::Walls(WallError::NoBubblewrap)) => "no bwrap (package bubblewrap)",
        Err(error) => panic!("{error}"),
    };
    eprintln!("SKIPPED: there is {may} here");
    None
}

#[tokio::test]
async fn nothing_that_is_tried_gets_out_of_what_bubblewrap_built() {
    if let Some(around) = around().await {
        attempts::attempt(&around).await;
    }
}

/// Whether the tree of a program has `bwrap` in it.
fn is_within_bubblewrap(child: &ChildProcess) -> bool {
    let waits = Process::of(child.pid()).parent().parent();
    let name = fs::read_to_string(format!("/proc/{}/comm", waits.pid)).unwrap();
    name.trim() == "bwrap"
}

/// Where our own walls are refused and `bwrap` may build, `auto` means that; nothing else does, and
/// without it nothing starts.
#[tokio::test]
async fn what_the_system_forbids_us_bubblewrap_builds() {
    let Some(mut around) = around().await else { return };
    let folder = tempfile::tempdir().unwrap();
    let forbidden = folder.path().join("forbidden-helper");
    copy_probe(&forbidden);
    let spawner = ProcessSpawner::new(HelperPath::at(&forbidden));
    let stay = around.command(&ACTOR, &["stay"]);
    around.outer = OuterWall::Builtin;
    let refused = around.spawn_by(&spawner, &stay).await;
    assert!(matches!(refused, Err(SpawnError::Unwalled { .. })), "{refused:?}");
    around.outer = OuterWall::Auto;
    let path = around.search_path.replace(folder.path().into());
    let refused = around.spawn_by(&spawner, &stay).await;
    assert!(matches!(refused, Err(SpawnError::Unwalled { .. })), "{refused:?}");
    assert!(!spawner.uses_bubblewrap());
    around.search_path = path;
    // The second one does not try its own first.
    for _ in 0..2 {
        let child = around.spawn_by(&spawner, &stay).await.unwrap();
        assert!(is_within_bubblewrap(&child));
        assert!(spawner.uses_bubblewrap());
    }
    around.outer = OuterWall::Builtin;
    let refused = around.spawn_by(&spawner, &stay).await;
    assert!(matches!(refused, Err(SpawnError::Unwalled { .. })), "{refused:?}");
}

/// Where ours stand, `auto` means ours.
#[tokio::test]
async fn bubblewrap_is_not_used_where_it_need_not_be() {
    if !has_walls().await {
        return;
    }
    let mut around = Around::new();
    around.outer = OuterWall::Auto;
    let child = around.spawn(&around.command(&ACTOR, &["stay"])).await.unwrap();
    assert!(!is_within_bubblewrap(&child));
}

#[tokio::test]
async fn without_bubblewrap_or_with_one_of_the_workspace_nothing_starts() {
    let mut around = Around::new();
    around.outer = OuterWall::Bwrap;
    let nothing = around.command(&PROBE, &["nothing"]);
    around.search_path = Some(around.at("work").into_os_string());
    let missing = around.spawn(&nothing).await.unwrap_err();
    assert!(matches!(missing, SpawnError::Walls(WallError::NoBubblewrap)), "{missing:?}");
    assert!(missing.hint().unwrap().contains("Install bubblewrap"));
    fs::copy("/bin/sh", around.at("work/bwrap")).unwrap();
    let unfit = around.spawn(&nothing).await.unwrap_err();
    assert_eq!(
        unfit.to_string(),
        format!(
            "there are no walls for it: `bwrap` is to build them, and {} lies in the workspace",
            around.at("work/bwrap").canonicalize().unwrap().display()
        )
    );
    // One that ends without having built anything.
    fs::rename(around.at("work/bwrap"), around.at("outside/bwrap")).unwrap();
    around.search_path = Some(around.at("outside").into_os_string());
    let unbuilt = around.spawn(&nothing).await.unwrap_err();
    assert!(matches!(unbuilt, SpawnError::Unbuilt), "{unbuilt:?}");
    assert!(unbuilt.hint().unwrap().contains("--bind-fd"));
}

/// No orphan, whichever of the three processes around the tree ends first, nor when we let go.
#[tokio::test]
async fn the_tree_ends_with_whoever_is_killed() {
    let Some(around) = around().await else { return };
    for killed in 0..4 {
        let mut child = around.spawn(&around.command(&ACTOR, &["escape"])).await.unwrap();
        let mut said = Said::new(child.stdout.take().unwrap());
        for _ in 0..3 {
            said.next().await.unwrap();
        }
        let first = Process::of(child.pid()).parent();
        let (waits, below) = (first.parent(), descendants(first));
        let outer = waits.parent();
        assert_eq!(below.len(), 3, "{below:?}");
        match killed {
            0 => first.send(Signal::SIGKILL),
            1 => waits.send(Signal::SIGKILL),
            2 => outer.send(Signal::SIGKILL),
            _ => drop(child),
        }
        gone(&below, HANG).await;
        gone(&[first, waits, outer], HANG).await;
    }
}

/// Asked to end, a tree that `bwrap` waits for says how it ended as any other.
#[tokio::test]
async fn orders_and_the_end_pass_through() {
    let Some(around) = around().await else { return };
    let (words, exit) =
        said(&around, &around.command("/bin/sh", &["-c", "echo out; exit 7"])).await;
    assert_eq!((words.as_str(), exit), ("out\n", toolgate_sandbox::ProgramExit::Code(7)));
    let mut child = around.spawn(&around.command(&ACTOR, &["stay"])).await.unwrap();
    child.signal(toolgate_sandbox::Signal::Terminate).unwrap();
    let exit = within(child.wait()).await;
    assert_eq!(exit, toolgate_sandbox::ProgramExit::Signal(Signal::SIGTERM as i32));
}
