//! Programs that cannot be started, in every way that there is.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use toolgate_types::{CallError, Code};

use super::{Bench, script};

fn program(folder: &Path, name: &str, text: &str) -> String {
    let file = folder.join(name);
    std::fs::write(&file, text).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    file.display().to_string()
}

async fn failure(own: &str) -> CallError {
    Bench::open(own).call("tool", "{}").await.unwrap_err()
}

/// Shows: S3-18.
#[tokio::test]
async fn a_process_that_cannot_start_is_internal_with_what_was_said_on_stderr() {
    let elsewhere = tempfile::tempdir().unwrap();
    let folder = elsewhere.path();
    let entry = |file: &str, more: &str| {
        format!("[tools.tool]\ncommand = {file:?}\nsandbox_profile = \"none\"\n{more}\n")
    };
    // Somebody was started to start it, and says on standard error why it was not.
    let by_env = program(folder, "by-env", "#!/usr/bin/env no-such-interpreter\n");
    for (own, says) in [
        (entry(&by_env, ""), "no-such-interpreter"),
        (script("tool", "exec /no/such/program", ""), "/no/such/program"),
        (script("tool", "no-such-program", ""), "no-such-program"),
        (script("tool", "exec /etc/hostname", ""), "/etc/hostname"),
    ] {
        let error = failure(&own).await;
        assert_eq!(error.code, Code::Internal, "{own}: {error}");
        assert!(error.message.contains("could not be started"), "{own}: {error}");
        assert!(!error.message.contains('/'), "{error}");
        let excerpt = error.partial.unwrap();
        assert!(excerpt.contains(says), "{own}: {excerpt}");
    }
    // Nobody was: then there is no standard error, and the system's reason stands for it.
    let no_interpreter = program(folder, "no-interpreter", "#!/no/such/interpreter\n");
    let no_program = program(folder, "no-program", "neither a script nor a program");
    for (own, says) in [
        (entry(&no_interpreter, ""), "The interpreter or loader that it names does not exist"),
        (entry(&no_program, ""), "It is no program of this machine"),
        (entry("/no/such/program", ""), "its program was not found"),
    ] {
        let error = failure(&own).await;
        assert_eq!(error.code, Code::Internal, "{own}: {error}");
        assert!(error.message.contains(says), "{own}: {error}");
        assert!(!error.message.contains('/'), "{error}");
        assert!(error.detail.is_some() && error.partial.is_none(), "{error:?}");
    }
}

/// A program has a right to these numbers: one that said something of its own has run.
#[tokio::test]
async fn what_printed_something_has_started() {
    let bench = Bench::open(&script("tool", "echo begun; echo why >&2; exit 127", ""));
    let result = bench.call("tool", "{}").await.unwrap();
    assert_eq!(result["_meta"]["toolgate/command"]["exit_code"], 127);
    let bench = Bench::open(&script("tool", "exit 126", ""));
    assert_eq!(bench.call("tool", "{}").await.unwrap()["isError"], true);
}
