//! What a process is given at its start, and what it is not.

use std::os::fd::AsRawFd as _;

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::signal::{SigHandler, SigSet, Signal, signal};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;
use toolgate_sandbox::{ProcessSpawner, SpawnConditions, SpawnError};
use toolgate_types::BASELINE_VARIABLES;
use toolgate_types::config::{InheritEnv, SandboxProfile, Stderr};
use toolgate_types::{ConfigText, EnvName};

use crate::process::Process;
use crate::{Said, actor, all_said, command, running, spawn, spawner, within};

/// Shows: C24, S4-11.
#[tokio::test]
async fn the_environment_is_the_short_list_and_what_the_entry_names() {
    let mut description = actor(&["environment"]);
    description.inherit = InheritEnv::Core;
    description.source = BASELINE_VARIABLES
        .into_iter()
        .chain(["SECRET", "PASSED"])
        .map(|name| (name, "ours"))
        .collect();
    description.pass = vec![EnvName::parse("PASSED").unwrap()];
    let entry = [("GIVEN", "a=b\nc"), ("EMPTY", "")];
    description.env = entry
        .map(|(name, value)| (EnvName::parse(name).unwrap(), ConfigText::Plain(value.into())))
        .into_iter()
        .collect();
    let mut expected: Vec<String> =
        BASELINE_VARIABLES.iter().map(|name| format!("{name}=ours")).collect();
    expected.extend(["PASSED=ours", "GIVEN=a=b\\nc", "EMPTY="].map(String::from));
    expected.sort();
    let mut said = all_said(&description).await;
    said.sort();
    assert_eq!(said, expected);
    assert_eq!(all_said(&actor(&["environment"])).await, [""; 0]);
}

/// Shows: S4-11.
#[tokio::test]
async fn a_bare_name_is_found_in_the_path_of_the_child_and_not_in_ours() {
    let folder = TempDir::new().unwrap();
    std::os::unix::fs::symlink(crate::ACTOR.as_str(), folder.path().join("only-here")).unwrap();
    let mut description = command("only-here", &["say", "hello"]);
    let path = |text: &str| {
        [(EnvName::parse("PATH").unwrap(), ConfigText::Plain(text.to_owned()))]
            .into_iter()
            .collect()
    };
    description.folder = folder.path().into();
    description.env = path(".::/bin");
    let error = spawner().spawn(&description, &SpawnConditions::unconfined()).await.unwrap_err();
    assert!(matches!(error, SpawnError::Program(_)), "{error}");
    description.env = path(folder.path().to_str().unwrap());
    assert_eq!(all_said(&description).await, ["hello"]);
}

#[tokio::test]
async fn arguments_arrive_as_they_are() {
    let words = ["", "a b", "$HOME", "*", "ü\n"];
    let said = all_said(&actor(&[&["say"][..], &words].concat())).await;
    assert_eq!(said.join("\n"), words.join("|"));
}

/// More than a socket holds at once, and still within what the kernel takes for one argument.
#[tokio::test]
async fn long_arguments_arrive_too() {
    let long = "x".repeat(120_000);
    let words: Vec<&str> = ["say"].into_iter().chain([long.as_str(); 8]).collect();
    let said = all_said(&actor(&words)).await;
    assert_eq!(said[0].len(), 8 * 120_001 - 1);
}

/// Shows: S4-10.
#[tokio::test]
async fn it_leads_a_group_of_its_own_without_a_terminal() {
    let folder = TempDir::new().unwrap();
    let real = folder.path().canonicalize().unwrap();
    let mut description = actor(&["status"]);
    description.folder = real.clone();
    let said = all_said(&description).await;
    assert_eq!(said[0].replace("pid", "group"), said[1]);
    assert_eq!(said[2], "terminal 0");
    assert_eq!(said[3], format!("folder {}", real.display()));
    let us = Process::of(std::process::id()).group;
    assert_ne!(said[1], format!("group {us}"));
}

#[tokio::test]
#[allow(unsafe_code, reason = "a disposition is changed by a bare call")]
async fn signals_are_as_a_program_expects_them() {
    let mut blocked = SigSet::empty();
    blocked.add(Signal::SIGUSR1);
    blocked.thread_block().unwrap();
    // SAFETY: ignoring a signal installs no handler.
    unsafe { signal(Signal::SIGWINCH, SigHandler::SigIgn) }.unwrap();
    let said = all_said(&actor(&["status"])).await;
    let none = "0000000000000000";
    assert!(said.contains(&format!("SigBlk {none}")), "{said:?}");
    // Rust's own start ignores SIGPIPE in the actor.
    assert!(said.contains(&"SigIgn 0000000000001000".to_owned()), "{said:?}");
}

/// Shows: S4-10.
#[tokio::test]
async fn no_descriptor_of_ours_is_inherited() {
    let file = tempfile::tempfile().unwrap();
    fcntl(&file, FcntlArg::F_SETFD(FdFlag::empty())).unwrap();
    assert!(file.as_raw_fd() > 2);
    let said = all_said(&actor(&["descriptors"])).await;
    let numbers: Vec<&str> = said.iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(numbers, ["0", "1", "2"]);
    assert!(said.iter().all(|line| line.contains("pipe:")), "{said:?}");
}

#[tokio::test]
async fn what_is_written_comes_back() {
    let mut child = spawn(&command("/bin/cat", &[])).await;
    let mut said = Said::new(child.stdout.take().unwrap());
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"one\ntwo\n").await.unwrap();
    assert_eq!(said.next().await.unwrap(), "one");
    assert_eq!(said.next().await.unwrap(), "two");
    drop(stdin);
    assert_eq!(said.next().await, None);
    assert!(within(child.wait()).await.is_success());
}

#[tokio::test]
async fn standard_error_goes_where_it_was_asked_to_go() {
    let description = actor(&["complain", "alas"]);
    let mut child = spawn(&description).await;
    let mut said = Said::new(child.stderr.take().unwrap());
    assert_eq!(said.next().await.unwrap(), "alas");
    for stderr in [Stderr::Ignore, Stderr::Inherit] {
        let how = SpawnConditions { stderr, ..SpawnConditions::unconfined() };
        let mut child = spawner().spawn(&actor(&["descriptors"]), &how).await.unwrap();
        assert!(child.stderr.is_none());
        let mut said = Said::new(child.stdout.take().unwrap());
        let line = said.until("2 ").await.pop().unwrap();
        let ours = std::fs::read_link("/proc/self/fd/2").unwrap();
        let expected = if stderr == Stderr::Ignore { "/dev/null" } else { ours.to_str().unwrap() };
        assert_eq!(line, format!("2 {expected}"));
    }
}

#[tokio::test]
async fn a_wall_that_this_system_does_not_have_is_an_error() {
    let mut how = SpawnConditions::unconfined();
    how.confinement.profile = SandboxProfile::Seatbelt;
    let error = spawner().spawn(&actor(&["stay"]), &how).await.unwrap_err();
    assert!(matches!(error, SpawnError::NoWall { .. }), "{error}");
}

#[tokio::test]
async fn the_reaper_says_little_about_what_it_keeps() {
    let (child, mut said) = running(&["stay"]).await;
    said.until("ready").await;
    let inner = Process::of(child.pid()).parent();
    for reaper in [inner, inner.parent()] {
        let read = |what| std::fs::read(format!("/proc/{}/{what}", reaper.pid)).unwrap();
        assert_eq!(read("comm"), b"gate-reap\n");
        assert_eq!(read("cmdline"), b"toolgate\0__reap\0toolgate-reap/3\0");
    }
}

/// A copy of a program that does not know what to do would start the next copy.
#[tokio::test]
async fn a_program_that_did_not_call_init_is_not_its_own_helper() {
    let spawned =
        ProcessSpawner::default().spawn(&actor(&["stay"]), &SpawnConditions::unconfined()).await;
    let error = spawned.unwrap_err();
    assert_eq!(error.to_string(), "`toolgate_sandbox::init()` was not called first in `main`");
    assert!(error.hint().unwrap().contains("helper path"));
}
