//! What cannot be started, and what is said about it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tempfile::TempDir;
use toolgate_sandbox::{
    Description, HelperError, HelperPath, ProcessSpawner, SandboxFault, SpawnConditions, SpawnError,
};
use toolgate_types::{ConfigText, EnvName};

use crate::process::{Process, eventually};
use crate::{HANG, HELPER, actor, command, spawner, within};

async fn failure(description: &Description) -> SpawnError {
    within(spawner().spawn(description, &SpawnConditions::unconfined())).await.unwrap_err()
}

fn script(folder: &Path, name: &str, text: &[u8]) -> String {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Shows: S4-11.
#[tokio::test]
async fn a_program_that_is_not_there_is_an_error_before_anything_runs() {
    let error = failure(&command("/no/such/tool", &[])).await;
    assert_eq!(
        error.to_string(),
        "command `/no/such/tool` was not found: there is no /no/such/tool"
    );
    assert_eq!(error.fault(), SandboxFault::Entry);
    let error = failure(&command("/etc", &[])).await;
    assert_eq!(error.to_string(), "command `/etc` is a directory: /etc");
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_an_error() {
    let mut description = actor(&["stay"]);
    description.folder = "/no/such/folder".into();
    let error = failure(&description).await;
    assert!(matches!(error, SpawnError::Folder { .. }), "{error}");
    assert!(error.to_string().contains("/no/such/folder"), "{error}");
    description.folder = "somewhere".into();
    let error = failure(&description).await;
    assert!(matches!(error, SpawnError::RelativeFolder(_)), "{error}");
    description.folder = "/dev/null".into();
    let error = failure(&description).await;
    assert!(error.to_string().contains("Not a directory"), "{error}");
}

#[tokio::test]
async fn what_the_kernel_refuses_to_execute_is_an_error_and_not_an_exit() {
    let folder = TempDir::new().unwrap();
    let garbage = script(folder.path(), "garbage", b"\x7fELF but not really");
    let error = failure(&command(&garbage, &[])).await;
    assert!(error.to_string().contains("Exec format error"), "{error}");
    assert!(error.hint().unwrap().contains("#!"));
    let lost = script(folder.path(), "lost", b"#!/no/such/interpreter\n");
    let error = failure(&command(&lost, &[])).await;
    assert!(matches!(error, SpawnError::Execute { .. }), "{error}");
    assert!(error.hint().unwrap().contains("interpreter"));
    let long = "x".repeat(200_000);
    let error = failure(&actor(&["say", &long])).await;
    assert!(error.to_string().contains("Argument list too long"), "{error}");
    assert_eq!(error.fault(), SandboxFault::Entry);
}

#[tokio::test]
async fn text_that_no_program_can_be_given_is_an_error_that_does_not_repeat_it() {
    let error = failure(&actor(&["say", "hush\0"])).await;
    assert_eq!(error.to_string(), "argument 2 holds a NUL character");
    let mut description = actor(&["stay"]);
    let name = EnvName::parse("TOKEN").unwrap();
    description.env.insert(name, ConfigText::hidden("hush\0".into()));
    let error = failure(&description).await;
    assert_eq!(error.to_string(), "variable \"TOKEN\" holds a NUL character");
}

#[tokio::test]
async fn a_helper_that_is_none_is_an_error() {
    let spawn = async |helper: &str| {
        let spawner = ProcessSpawner::new(HelperPath::at(helper));
        match within(spawner.spawn(&actor(&["stay"]), &SpawnConditions::unconfined()))
            .await
            .unwrap_err()
        {
            SpawnError::Helper(error) => error,
            other => unreachable!("{other}"),
        }
    };
    assert!(matches!(spawn("/no/such/helper").await, HelperError::Start { .. }));
    assert!(matches!(spawn("toolgate-reap").await, HelperError::Relative(_)));
    assert!(matches!(spawn("/bin/true").await, HelperError::NoAnswer(_)));
    assert!(matches!(spawn("/bin/cat").await, HelperError::NoAnswer(_)));
}

/// Time is the test's, so the long wait is none.
#[tokio::test(start_paused = true)]
async fn a_helper_that_never_answers_is_ended() {
    let spawner = ProcessSpawner::new(HelperPath::at("/usr/bin/yes"));
    let error = spawner.spawn(&actor(&["stay"]), &SpawnConditions::unconfined()).await.unwrap_err();
    assert!(matches!(error, SpawnError::Helper(HelperError::NoAnswer(_))), "{error}");
    let is_left = |process: &&Process| {
        let name = fs::read_to_string(format!("/proc/{}/comm", process.pid));
        name.is_ok_and(|name| name == "yes\n")
    };
    tokio::time::resume();
    let us = Process::of(std::process::id());
    eventually(HANG, || match us.children().iter().find(is_left) {
        Some(process) => Err(format!("{process:?} is left")),
        None => Ok(()),
    })
    .await;
}

#[test]
fn a_helper_started_by_hand_does_nothing() {
    let helper = |args: &[&str]| {
        let output = std::process::Command::new(HELPER.as_str()).args(args).output().unwrap();
        assert!(output.stdout.is_empty() && output.stderr.is_empty());
        output.status.code().unwrap()
    };
    assert_eq!(helper(&[]), 64);
    assert_eq!(helper(&["__reap"]), 64);
    assert_eq!(helper(&["__reap", "toolgate-reap/3"]), 1);
}
