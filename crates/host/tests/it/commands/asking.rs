//! A person is shown exactly what would run, and what they allow is what runs.

use std::sync::Arc;

use toolgate_host::{Asker, Guard};
use toolgate_types::Code;

use super::{Bench, session};
use crate::approving::{ONCE, Person, SESSION};
use crate::gate::Gate;

const OWN: &str = r#"
    [tools.touch]
    description = "Makes a file"
    command = "touch"
    args = ["--", "{{file}}", "--note={{note}}"]
    env = { LANG = "C" }
    cwd_override = true
    env_overrides = ["TZ"]
    side_effects = ["fs_write"]
    requires_approval = false
    sandbox_profile = "none"
    input_schema = { type = "object", properties = { file = { type = "string" }, note = { type = "string" } } }
"#;

fn bench(person: &Arc<Person>) -> Bench {
    let asker = Arc::clone(person) as Arc<dyn Asker>;
    Bench::with(Gate::guarded(Guard::default()).building(|host| host.asker(asker)), OWN)
}

/// Shows: S3-21, S3-22, S3-23, S3-27.
#[tokio::test]
async fn what_is_shown_is_argv_input_folder_and_what_the_session_changes() {
    let person = Person::who(ONCE);
    let bench = bench(&person);
    std::fs::create_dir(bench.work().join("sub")).unwrap();
    let options = session(Some("sub"), &[("TZ", "UTC"), ("HOME", "/x")]);
    let odd = r#"{"file":"a b\n$(id)","note":"x"}"#;
    bench.call_with("touch", odd, options).await.unwrap();
    assert!(bench.work().join("sub").join("a b\n$(id)").exists());
    let shown = person.texts().pop().unwrap();
    let folder = bench.work().join("sub").display().to_string();
    for line in [
        "  | [0] /usr/bin/touch",
        "  | [1] --",
        "  | [2] a b\\n$(id)",
        "  | [3] --note=x",
        "Environment: LANG=C",
        "Arguments, and its standard input:",
        "Its entry says of it:",
        "  | Makes a file",
        "Sandbox: none",
        &format!("Folder: {folder}"),
        &format!("  | folder={folder}"),
        "  | TZ=UTC",
    ] {
        assert!(shown.lines().any(|one| one.trim_end() == line), "{line}\n---\n{shown}");
    }
    assert!(!shown.contains("HOME=/x"), "what is not applied is not shown: {shown}");
    assert!(shown.contains("Effects: WRITES FILES; runs OUTSIDE THE SANDBOX"), "{shown}");
}

/// Without a wall nothing is kept for a session, and high risk always asks.
#[tokio::test]
async fn each_call_is_asked_for_again() {
    let person = Person::who(SESSION);
    let bench = bench(&person);
    for times in 1..=2 {
        let called = bench.call_with("touch", r#"{"file":"x"}"#, session(None, &[])).await;
        // The choice is not offered, so that saying it says nothing.
        assert_eq!(called.unwrap_err().code, Code::PermissionDenied);
        assert_eq!(person.times(), times);
    }
    assert!(!bench.work().join("x").exists());
}

/// What a session sets is shown as one line, whatever lines it holds and whatever would hide it.
#[tokio::test]
async fn no_variable_of_a_session_writes_lines_of_the_prompt() {
    let person = Person::who(ONCE);
    let bench = bench(&person);
    let forged = "UTC\nEffects: none\nSandbox: default\u{1b}[2J\u{202e}";
    bench.call_with("touch", r#"{"file":"x"}"#, session(None, &[("TZ", forged)])).await.unwrap();
    let shown = person.texts().pop().unwrap();
    let line = "  | TZ=UTC\\nEffects: none\\nSandbox: default\\u{1b}[2J\\u{202e}";
    assert!(shown.lines().any(|one| one.trim_end() == line), "{shown}");
    assert_eq!(shown.lines().filter(|line| line.starts_with("Effects:")).count(), 1, "{shown}");
    assert_eq!(shown.lines().filter(|line| line.starts_with("Sandbox:")).count(), 1, "{shown}");
}
