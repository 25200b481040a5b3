//! A session chooses folder and variables where the entry and the policies let it.

use serde_json::json;
use toolgate_host::Audience;
use toolgate_types::Code;

use super::{Bench, script, session, text};

fn tools() -> String {
    let open = "cwd = \"own\"\ncwd_override = true\nenv = { A = \"entry\", B = \"entry\" }\n\
                env_overrides = [\"A\", \"C\"]\nside_effects = []\nrequires_approval = false";
    let shut = "cwd = \"own\"\nenv = { A = \"entry\" }";
    let show = "pwd -P; echo \"$A $B $C\"";
    [script("open", show, open), script("shut", show, shut), script("plain", "pwd -P", "")].concat()
}

fn bench() -> Bench {
    bench_with(&tools())
}

fn bench_with(own: &str) -> Bench {
    let bench = Bench::open(own);
    for folder in ["own", "other"] {
        std::fs::create_dir(bench.work().join(folder)).unwrap();
    }
    bench
}

/// Shows: S3-12, S3-29, S3-30, S3-49.
#[tokio::test]
async fn a_session_goes_before_the_entry_and_the_entry_before_the_workspace() {
    let bench = bench();
    let work = bench.work().canonicalize().unwrap();
    let said = |tool: &'static str, options| {
        let bench = &bench;
        async move { text(&bench.call_with(tool, "{}", options).await.unwrap()) }
    };
    let line = |folder: &str, words: &str| format!("{}\n{words}\n", work.join(folder).display());
    assert_eq!(said("plain", session(None, &[])).await, format!("{}\n", work.display()));
    assert_eq!(said("open", session(None, &[])).await, line("own", "entry entry "));
    let changed = || session(Some("other"), &[("A", "mine"), ("B", "mine"), ("C", "mine")]);
    // B is not for sessions.
    assert_eq!(said("open", changed()).await, line("other", "mine entry mine"));
    assert_eq!(said("shut", changed()).await, line("own", "entry  "));
    // It is gone with its session.
    assert_eq!(said("open", session(None, &[])).await, line("own", "entry entry "));
}

#[tokio::test]
async fn no_session_leaves_the_workspace_unless_a_policy_says_where_to() {
    let bench = bench();
    std::os::unix::fs::symlink("/etc", bench.work().join("escape")).unwrap();
    for folder in ["/etc", "..", "escape", "other/../..", "/"] {
        let error = bench.call_with("open", "{}", session(Some(folder), &[])).await.unwrap_err();
        assert_eq!(error.code, Code::PermissionDenied, "{folder}: {error}");
        assert!(error.message.contains("outside the workspace"), "{error}");
    }
    let error = bench.call_with("open", "{}", session(Some("absent"), &[])).await.unwrap_err();
    assert_eq!(error.code, Code::InvalidArgument, "{error}");
}

/// Shows: S3-48.
#[tokio::test]
async fn folders_and_paths_that_a_policy_does_not_list_are_left_out_or_refused() {
    let policy = "[policy]\nallowed_cwds = [\"own\", \"/usr\"]\nallowed_arg_paths = [\"own\"]\n";
    let bench = Bench::guarded(&format!("{}{policy}", tools()));
    for folder in ["own", "other"] {
        std::fs::create_dir(bench.work().join(folder)).unwrap();
    }
    std::os::unix::fs::symlink(bench.work().join("other"), bench.work().join("own/link")).unwrap();
    // `plain` would run in the workspace itself.
    assert_eq!(bench.gate.names().await, ["open", "shut"]);
    let moved = |folder: &str| session(Some(folder), &[]);
    let listed = |options: &toolgate_host::CallOptions| {
        let overrides = options.caller.as_ref().unwrap().overrides.clone();
        let view = bench.gate.host.view(&Audience { overrides, ..Audience::MODEL });
        let names = view.tools().filter_map(|tool| tool.origin()).map(|tool| tool.name.clone());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    };
    assert_eq!(listed(&moved("other")), ["shut"]);
    assert_eq!(listed(&moved("own/link")), ["shut"], "a symlink leads where it leads");
    assert_eq!(listed(&moved("/usr/bin")), ["open", "shut"], "a policy may list what is outside");
    for folder in ["other", "own/link", "/etc"] {
        let error = bench.call_with("open", "{}", moved(folder)).await.unwrap_err();
        assert_eq!(error.code, Code::PermissionDenied, "{folder}: {error}");
        assert_ne!(error.reason, Some("no_channel"), "nobody has to be asked: {error}");
    }
    let error = bench.call("open", r#"{"path":"/etc/passwd"}"#).await.unwrap_err();
    assert_eq!(error.code, Code::PermissionDenied, "{error}");
    assert_ne!(error.reason, Some("no_channel"), "nobody has to be asked: {error}");
    let error = bench.call("open", r#"{"path":"inside"}"#).await.unwrap_err();
    assert_eq!(error.reason, Some("no_channel"), "somebody has to be asked: {error}");
}

/// Shows: S3-6, S3-9.
#[tokio::test]
async fn a_list_says_where_a_tool_would_run_and_what_the_session_changes() {
    let bench = bench();
    bench.gate.names().await;
    let defaults = |options: &toolgate_host::CallOptions| {
        let overrides = options.caller.as_ref().unwrap().overrides.clone();
        let view = bench.gate.host.view(&Audience { overrides, ..Audience::MODEL });
        let mut tools = view.tools();
        let tool = tools.find(|tool| tool.origin().is_some_and(|origin| origin.name == "open"));
        serde_json::to_value(tool.unwrap().session_defaults().unwrap()).unwrap()
    };
    let work = bench.work();
    assert_eq!(
        defaults(&session(None, &[])),
        json!({
            "cwd": work.join("own"), "workspace": work, "env": { "A": "entry", "B": "entry" },
            "overrides_active": false, "active_overrides": { "cwd": false, "env": [] },
        })
    );
    assert_eq!(
        defaults(&session(Some("other"), &[("A", "mine"), ("B", "mine")])),
        json!({
            "cwd": work.join("other"), "workspace": work, "env": { "A": "mine", "B": "entry" },
            "overrides_active": true, "active_overrides": { "cwd": true, "env": ["A"] },
        })
    );
}

/// Whoever may write in the workspace may make links there.
#[tokio::test]
async fn no_link_in_the_workspace_leads_an_entry_out_of_it() {
    let own = [
        script("linked", "pwd -P", "cwd = \"build\""),
        script("outright", "pwd -P", "cwd = \"..\""),
    ];
    let bench = Bench::open(&own.concat());
    let link = bench.work().join("build");
    std::fs::create_dir(&link).unwrap();
    assert!(bench.says("linked", "{}").await.ends_with("work/build\n"));
    std::fs::remove_dir(&link).unwrap();
    std::os::unix::fs::symlink("/etc", &link).unwrap();
    let error = bench.call("linked", "{}").await.unwrap_err();
    assert_eq!(error.code, Code::PermissionDenied, "{error}");
    assert!(error.message.contains("outside the workspace"), "{error}");
    // What the entry itself says holds.
    let outside = bench.outside().canonicalize().unwrap();
    assert_eq!(bench.says("outright", "{}").await, format!("{}\n", outside.display()));
}
