//! Terminals within terminals, and whoever is left behind them.

use super::*;

fn place(pid: u32, terminal: i64) -> ProcessPlace {
    let process = ProcessIdentity { pid, start: u64::from(pid) };
    ProcessPlace { process, parent: 1, group: 1, session: 1, terminal }
}

/// The number that the kernel writes for a pseudo terminal.
fn pts(number: i64) -> i64 {
    34816 + number
}

#[test]
fn whoever_holds_the_far_side_is_behind_it_and_so_is_who_holds_theirs() {
    let far: BTreeMap<u32, Vec<ProcessIdentity>> = [
        (3, vec![place(30, 0).process, place(31, 0).process]),
        (4, vec![place(40, 0).process]),
        (5, vec![place(50, 0).process]),
    ]
    .into();
    // One of the two sits at a terminal itself.
    let look = |pid: u32| Some(place(pid, if pid == 31 { pts(4) } else { 0 }));
    let behind = |terminal| {
        let behind = TerminalHolders::among(&place(7, terminal), &far, look, |pid| pid == 50);
        (behind.holders.iter().map(|it| it.pid).collect::<Vec<_>>(), behind.is_deserted)
    };
    assert_eq!(behind(pts(3)), (vec![30, 31, 40], false));
    assert_eq!(behind(pts(4)), (vec![40], false));
    assert_eq!(behind(pts(5)), (vec![50], true));
    assert_eq!(behind(pts(6)), (vec![], false), "it is another user's, or cannot be seen");
    assert_eq!(behind(0), (vec![], false));
    // The console of a machine has no far side.
    assert_eq!(behind(1025), (vec![], false));
}

#[test]
fn terminals_that_hold_each_other_come_to_an_end() {
    let far: BTreeMap<u32, Vec<ProcessIdentity>> =
        [(1, vec![place(10, 0).process]), (2, vec![place(20, 0).process])].into();
    let look = |pid: u32| Some(place(pid, if pid == 10 { pts(2) } else { pts(1) }));
    let behind = TerminalHolders::among(&place(7, pts(1)), &far, look, |_| false);
    assert_eq!(behind.holders.len(), 2);
}

/// Held by this very test.
#[test]
fn a_real_terminal_is_held_by_who_opened_it() {
    use pty_process::blocking::{Command, open};
    let (pty, pts) = open().unwrap();
    let mut child = Command::new("sleep").arg("600").spawn(pts).unwrap();
    let behind = TerminalHolders::of(&procfs::place(child.id()).unwrap());
    let own = procfs::process(std::process::id()).unwrap();
    assert!(behind.holders.contains(&own) && !behind.is_deserted, "{behind:?}");
    child.kill().unwrap();
    child.wait().unwrap();
    drop(pty);
}
