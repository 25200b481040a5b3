//! What is started for good: what it has, what it has not, and that it stays.

use nix::sys::signal::Signal;
use tempfile::TempDir;

use crate::process::{Process, gone};
use crate::{Embedder, HANG};

/// Starts a part for good; gives its starter, its pid and what it says until it ends.
async fn let_go(part: &[&str]) -> (Embedder, u32, Vec<String>) {
    let (starter, mut said) = Embedder::start(&[&["let-go"][..], part].concat());
    let pid = pid_in(&said.next().await.unwrap());
    let mut lines = said.until("over").await;
    lines.pop();
    (starter, pid, lines)
}

fn pid_in(line: &str) -> u32 {
    line.strip_prefix("started ").unwrap().parse().unwrap()
}

#[tokio::test]
async fn it_stays_when_its_starter_is_killed_and_is_nobodys_child() {
    let (starter, mut said) = Embedder::start(&["let-go", "stay"]);
    let process = Process::of(pid_in(&said.next().await.unwrap()));
    assert_eq!(said.next().await.unwrap(), "ready");
    assert_eq!(starter.process.children(), []);
    assert_ne!(process.parent, starter.process.pid);
    let starters = starter.process;
    drop(starter);
    gone(&[starters], HANG).await;
    assert!(process.runs());
    process.send(Signal::SIGTERM);
    gone(&[process], HANG).await;
}

#[tokio::test]
async fn it_leads_a_session_of_its_own_in_the_root_folder() {
    let (_starter, pid, said) = let_go(&["status"]).await;
    for line in ["pid", "group", "session"] {
        assert!(said.contains(&format!("{line} {pid}")), "{said:?}");
    }
    assert!(said.contains(&"terminal 0".to_owned()), "{said:?}");
    assert!(said.contains(&"folder /".to_owned()), "{said:?}");
    assert!(said.contains(&"SigBlk 0000000000000000".to_owned()), "{said:?}");
}

#[tokio::test]
async fn it_has_exactly_the_variables_it_was_given() {
    let (_starter, _, said) = let_go(&["environment"]).await;
    assert_eq!(said, ["ONLY=this"]);
}

/// The starter holds one open that is not closed at exec.
#[tokio::test]
async fn nothing_that_its_starter_has_open_is_open_in_it() {
    let (_starter, _, said) = let_go(&["descriptors"]).await;
    let [stdin, stdout, stderr] = <[String; 3]>::try_from(said).unwrap();
    assert_eq!((stdin.as_str(), stderr.as_str()), ("0 /dev/null", "2 /dev/null"));
    assert!(stdout.starts_with("1 pipe:"), "{stdout}");
}

#[tokio::test]
async fn arguments_arrive_and_nothing_of_an_ended_one_is_left_with_its_starter() {
    let (starter, pid, said) = let_go(&["say", "a b", "", "$HOME"]).await;
    assert_eq!(said, ["a b||$HOME"]);
    assert_eq!(starter.process.children(), []);
    assert_ne!(pid, 0);
}

#[tokio::test]
async fn its_complaints_go_into_the_file_it_was_given() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("complaints");
    let part = ["let-go-complaining", file.to_str().unwrap(), "complain", "alas"];
    let (_starter, mut said) = Embedder::start(&part);
    assert_eq!(said.next().await.unwrap(), "over");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "alas\n");
}

#[tokio::test]
async fn a_program_that_cannot_be_executed_is_an_error_with_its_name() {
    let (_starter, mut said) = Embedder::start(&["fail-to-let-go", "/no/such/program"]);
    let line = said.next().await.unwrap();
    assert!(line.starts_with("`/no/such/program` could not be executed: "), "{line}");
}
