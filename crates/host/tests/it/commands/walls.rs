//! Commands behind walls: what is refused there, and how that is told.

#![allow(clippy::print_stderr, reason = "what cannot be shown here is said")]

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_host::{Asker, Guard};
use toolgate_types::{CallError, Code};

use super::{Bench, text};
use crate::approving::{DENY, ONCE, Person};
use crate::gate::Gate;

/// The entry of a tool that runs a script behind walls.
fn walled(name: &str, script: &str, more: &str) -> String {
    let script = serde_json::to_string(script).unwrap();
    format!("[tools.{name}]\ncommand = \"/bin/sh\"\nargs = [\"-c\", {script}]\n{more}\n")
}

/// Whether this system lets walls be built; where not, nothing here can be shown, and that is said loudly.
async fn has_walls() -> bool {
    let bench = Bench::open(&walled("nothing", "true", ""));
    match bench.call("nothing", "{}").await {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.code, Code::Unavailable, "{error}");
            eprintln!("SKIPPED: this system does not let walls be built: {error}");
            false
        }
    }
}

async fn called(script: &str, more: &str) -> (Bench, Result<Value, CallError>) {
    let bench = Bench::open(&walled("tool", script, more));
    std::fs::create_dir(bench.work().join(".vscode")).unwrap();
    std::fs::write(bench.work().join(".mcp.json"), "{}").unwrap();
    let result = bench.call("tool", "{}").await;
    (bench, result)
}

/// Shows: S3-16.
#[tokio::test]
async fn what_the_sandbox_forbids_is_permission_denied_and_says_which_rule_and_what_to_do() {
    if !has_walls().await {
        return;
    }
    let connect = "import socket; socket.create_connection(('192.0.2.1', 443), 5)";
    let has_python = std::path::Path::new("/usr/bin/python3").exists();
    if !has_python {
        eprintln!("SKIPPED: without /usr/bin/python3 nobody connects");
    }
    let connect = format!("exec /usr/bin/python3 -c \"{connect}\"");
    let outside = "write outside the workspace: name the folder under `writable` of its entry";
    let off = "network is off: set `allow_network` of its entry";
    for (script, rule) in [
        ("echo begun; echo x > /usr/refused", outside),
        ("echo begun; mkdir /etc/refused", outside),
        ("echo begun; cp .mcp.json /usr/refused", outside),
        ("echo begun; mkdir .git", "`.git` is protected: read-only in the workspace"),
        ("echo begun; echo x > .envrc", "`.envrc` is protected: read-only in the workspace"),
        ("echo begun; echo x >> .mcp.json", "`.mcp.json` is protected: read-only in the workspace"),
        (
            "echo begun; echo x > .vscode/tasks",
            "`.vscode` is protected: read-only in the workspace",
        ),
        ("echo begun; mkdir .cargo && echo > .cargo/config", "`.cargo/config` is protected"),
        ("echo begun; echo x > /srv/not/seen/here", "in a folder that is hidden there"),
        (&format!("echo begun; {connect}"), off),
    ] {
        if rule == off && !has_python {
            continue;
        }
        let (_bench, result) = called(script, "").await;
        let error = result.unwrap_err();
        assert_eq!(error.code, Code::PermissionDenied, "{script}: {error}");
        assert!(error.message.contains(rule), "{script}: {error}");
        assert!(!error.message.contains('/') || rule.contains('/'), "{script}: {error}");
        let printed = error.partial.unwrap();
        assert!(printed.starts_with("begun\n"), "{script}: {printed}");
    }
}

/// Where hosts are named, the one that is not is named in the error.
#[tokio::test]
async fn a_host_that_is_not_named_is_permission_denied_and_told() {
    if !has_walls().await {
        return;
    }
    if !std::path::Path::new("/usr/bin/python3").exists() {
        eprintln!("SKIPPED: without /usr/bin/python3 nobody connects");
        return;
    }
    let connect = "import socket; socket.create_connection(('elsewhere.example', 443), 5)";
    let script = format!("exec /usr/bin/python3 -c \"{connect}\"");
    let (_bench, result) = called(&script, "allow_network = [\"api.example:443\"]").await;
    let error = result.unwrap_err();
    assert_eq!(error.code, Code::PermissionDenied, "{error}");
    assert!(error.message.contains("`elsewhere.example"), "{error}");
    assert!(error.message.contains("is not reached: not in allow_network"), "{error}");
}

/// A program may try much that it does not depend on.
#[tokio::test]
async fn what_was_refused_on_the_way_and_what_nobody_saw_is_a_remark() {
    if !has_walls().await {
        return;
    }
    // It succeeded all the same, and nothing is said.
    let (_bench, result) = called("mkdir /usr/refused 2>/dev/null; echo fine", "").await;
    assert_eq!(text(&result.unwrap()), "fine\n");
    // It failed for another reason.
    let script = "mkdir /usr/refused 2>/dev/null; echo 'the third test failed' >&2; exit 7";
    let (_bench, result) = called(script, "").await;
    let result = result.unwrap();
    assert_eq!(result["_meta"]["toolgate/command"]["exit_code"], 7);
    let said = text(&result);
    assert!(said.contains("[the command exited with code 7]"), "{said}");
    assert!(said.contains("it refused: write outside the workspace"), "{said}");
    // Nobody saw it: what it says itself is all there is to go by.
    let (_bench, result) = called("echo 'x: Read-only file system' >&2; exit 1", "").await;
    let said = text(&result.unwrap());
    assert!(said.contains("it may write in the workspace"), "{said}");
    // What is missing in the workspace is missing, and hidden from nobody.
    let (_bench, result) = called("mkdir /usr/refused 2>/dev/null; cat absent", "").await;
    let said = text(&result.unwrap());
    assert!(said.contains("absent: No such file"), "{said}");
    // What is there already, what is a device and what is only read is refused by nobody.
    let script = "mkdir -p /usr/bin; echo x > /dev/null; exec 3<>/dev/null; echo 'permission denied' >&2; exit 1";
    let (_bench, result) = called(script, "").await;
    let said = text(&result.unwrap());
    assert!(!said.contains("it refused:"), "{said}");
}

/// A limit that was passed names what says how much it may be.
#[tokio::test]
async fn who_uses_too_much_is_told_which_setting_says_how_much() {
    if !has_walls().await {
        return;
    }
    let fill = "exec head -c 3000000 /dev/zero > large";
    let eat = "a=$(head -c 300000000 /dev/zero | tr '\\0' x); sleep 30";
    for (script, setting) in [(fill, "file_bytes"), (eat, "memory_bytes")] {
        let limit = format!("resources = {{ {setting} = 33554432 }}")
            .replace("file_bytes = 33554432", "file_bytes = 1048576");
        let (_bench, result) = called(script, &limit).await;
        let error = result.unwrap_err();
        assert_eq!(error.code, Code::ResourceExhausted, "{script}: {error}");
        assert!(error.message.contains(&format!("`resources.{setting}`")), "{error}");
    }
}

/// Shows: S3-11.
#[tokio::test]
async fn a_call_is_approved_then_confined_then_its_result_is_mapped() {
    if !has_walls().await {
        return;
    }
    let schema = r#"output_schema = { type = "object", required = ["host", "leaked"] }"#;
    let script = r#"echo ran > ran; (echo x > /usr/leaked) 2>/dev/null && leaked=true || leaked=false
        printf '{"host": "%s", "leaked": %s}' "$(hostname)" $leaked"#;
    let own = walled("tool", script, schema);
    let bench_of = |person: &Arc<Person>| {
        let asker = Arc::clone(person) as Arc<dyn Asker>;
        Bench::with(Gate::guarded(Guard::default()).building(|host| host.asker(asker)), &own)
    };
    // Who is not let has run nothing.
    let refuser = Person::who(DENY);
    let bench = bench_of(&refuser);
    let error = bench.call("tool", "{}").await.unwrap_err();
    assert_eq!((error.code, refuser.times()), (Code::PermissionDenied, 1), "{error}");
    assert!(!bench.work().join("ran").exists());
    // Who is let runs behind walls, and what it printed becomes a result.
    let allower = Person::who(ONCE);
    let bench = bench_of(&allower);
    let result = bench.call("tool", "{}").await.unwrap();
    assert_eq!(allower.times(), 1);
    assert!(bench.work().join("ran").exists());
    assert_eq!(result["structuredContent"], json!({ "host": "sandbox", "leaked": false }));
    assert_eq!(result["isError"], false);
    let record = bench.records().await.pop().unwrap();
    assert_eq!(record["sandbox"], "default", "{record}");
    assert_eq!(record["command"]["exit_status"], 0, "{record}");
}

/// Shows: S3-13.
#[tokio::test]
async fn profile_and_time_limit_hold_for_the_process() {
    if !has_walls().await {
        return;
    }
    // What its profile closes stays closed, whatever it tries, and what `none` leaves open is open.
    let secret = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    std::fs::write(secret.path().join("key"), "canary").unwrap();
    let at = secret.path().join("key").display().to_string();
    let script = format!("cat {at}; cat /proc/net/route | wc -l; hostname; echo > {at}.new");
    let (_bench, confined) = called(&script, "").await;
    let said = match confined {
        Ok(result) => text(&result),
        Err(error) => error.partial.unwrap().into(),
    };
    assert!(!said.contains("canary") && said.contains("sandbox\n"), "{said}");
    assert!(!secret.path().join("key.new").exists());
    let (_bench, open) = called(&script, "sandbox_profile = \"none\"").await;
    assert!(text(&open.unwrap()).contains("canary"));
    assert!(secret.path().join("key.new").exists());
    // And its time is that of its entry, for everything it starts.
    let script =
        "trap '' TERM; setsid sh -c 'trap \"\" TERM; echo begun; while :; do sleep 1; done'";
    let (bench, late) = called(script, "timeout_ms = 6000").await;
    let error = late.unwrap_err();
    assert_eq!(error.code, Code::DeadlineExceeded, "{error}");
    assert_eq!(error.partial.as_deref(), Some("begun\n"));
    let record = bench.records().await.pop().unwrap();
    assert!(record["command"]["signal"].is_number(), "it was ended: {record}");
}
