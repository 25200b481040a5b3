//! How a process ends, by itself and because it is told to.

use std::time::Duration;

use toolgate_sandbox::{ProgramExit, Signal, SignalError};

use crate::process::{Process, descendants, eventually, gone};
use crate::{HANG, actor, running, spawn, within};

/// Long enough never to be reached by what obeys, short enough to wait for with what does not.
const GRACE: Duration = Duration::from_millis(400);

#[tokio::test]
async fn code_and_signal_are_reported() {
    for code in [0, 3, 255] {
        let mut child = spawn(&actor(&["exit", &code.to_string()])).await;
        assert_eq!(within(child.wait()).await, ProgramExit::Code(code));
        assert_eq!(within(child.wait()).await, ProgramExit::Code(code), "asked again");
    }
    let mut child = spawn(&actor(&["die", "9"])).await;
    let exit = within(child.wait()).await;
    assert_eq!(exit, ProgramExit::Signal(9));
    assert_eq!(exit.to_string(), "was ended by SIGKILL");
}

#[tokio::test]
async fn a_wait_that_is_given_up_loses_nothing() {
    let (mut child, mut said) = running(&["manners", "input"]).await;
    said.until("ready").await;
    for _ in 0..3 {
        let early = tokio::time::timeout(Duration::from_millis(1), child.wait()).await;
        assert!(early.is_err());
    }
    drop(child.stdin.take());
    assert_eq!(within(child.wait()).await, ProgramExit::Code(0));
}

#[tokio::test]
async fn closing_its_input_is_all_that_a_polite_one_needs() {
    let (mut child, mut said) = running(&["manners", "input", "term"]).await;
    said.until("ready").await;
    let tree = descendants(Process::of(child.pid()).parent().parent());
    assert_eq!(within(child.shutdown(HANG)).await, ProgramExit::Code(0));
    assert_eq!(said.next().await.unwrap(), "input closed");
    assert_eq!(said.next().await, None);
    assert!(tree.iter().all(|process| !process.runs()));
}

#[tokio::test]
async fn one_that_ignores_its_input_is_asked_by_a_signal() {
    let (mut child, mut said) = running(&["manners", "term"]).await;
    said.until("ready").await;
    assert_eq!(within(child.shutdown(GRACE)).await, ProgramExit::Code(15));
    assert_eq!(said.next().await.unwrap(), "input closed");
    assert_eq!(said.next().await.unwrap(), "asked to end");
    assert_eq!(said.next().await, None);
}

/// Shows: S4-10.
#[tokio::test]
async fn one_that_ignores_both_is_killed() {
    let (mut child, mut said) = running(&["manners"]).await;
    said.until("ready").await;
    assert_eq!(within(child.shutdown(GRACE)).await, ProgramExit::Signal(9));
    assert_eq!(said.next().await.unwrap(), "input closed");
    assert_eq!(said.next().await.unwrap(), "asked to end");
    assert_eq!(said.next().await, None);
}

#[tokio::test]
async fn a_signal_goes_to_the_whole_group() {
    let (mut child, mut said) = running(&["siblings"]).await;
    let mut started: Vec<String> = Vec::new();
    for _ in 0..3 {
        started.push(said.next().await.unwrap());
    }
    let program = Process::of(child.pid());
    let siblings = program.children();
    assert_eq!(siblings.len(), 2, "{started:?}");
    assert!(siblings.iter().all(|sibling| sibling.group == program.pid));
    child.signal(Signal::Terminate).unwrap();
    assert_eq!(within(child.wait()).await, ProgramExit::Signal(15));
    // The other one listens to nothing, and is there for the next word though the program is not.
    eventually(HANG, || match siblings.iter().filter(|sibling| sibling.runs()).count() {
        1 => Ok(()),
        count => Err(format!("{count} siblings are left")),
    })
    .await;
    child.signal(Signal::Kill).unwrap();
    gone(&siblings, HANG).await;
    within(child.shutdown(HANG)).await;
    assert_eq!(child.signal(Signal::Terminate), Err(SignalError));
}

/// Shows: S4-10.
#[tokio::test]
async fn what_a_program_leaves_behind_ends_with_the_shutdown() {
    let (mut child, mut said) = running(&["escape"]).await;
    for _ in 0..3 {
        said.next().await.unwrap();
    }
    let outer = Process::of(child.pid()).parent().parent();
    let tree = descendants(outer);
    assert_eq!(tree.len(), 4, "{tree:?}");
    within(child.shutdown(Duration::from_millis(50))).await;
    assert!(tree.iter().chain([&outer]).all(|process| !process.runs()));
}

/// Shows: S4-10.
#[tokio::test]
async fn dropping_it_kills_everything() {
    let (child, mut said) = running(&["escape"]).await;
    for _ in 0..3 {
        said.next().await.unwrap();
    }
    let outer = Process::of(child.pid()).parent().parent();
    let tree = descendants(outer);
    drop(child);
    gone(&[&tree[..], &[outer]].concat(), HANG).await;
}

#[tokio::test]
async fn one_that_is_another_process_every_moment_is_caught() {
    let (mut child, mut said) = running(&["hop"]).await;
    said.until("ready").await;
    within(child.shutdown(Duration::ZERO)).await;
    // Whoever still hops keeps the stream open.
    assert_eq!(said.next().await, None);
}
