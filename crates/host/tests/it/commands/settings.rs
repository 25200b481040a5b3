//! What an entry says about its surroundings and its result does something: each key with its effect.

use std::sync::Arc;

use toolgate_store::SqliteStore;
use toolgate_types::Code;

use super::{Bench, script, text};
use crate::gate::Gate;

/// Variables: those of the entry, those that are passed on by name, and as many others as it says.
#[tokio::test]
async fn an_entry_says_which_variables_its_command_has() {
    let show = "echo \"own=$OWN passed=$PASSED other=$OTHER home=$HOME\"";
    let own = [
        script("core", show, "env = { OWN = \"1\" }\nenv_vars = [\"PASSED\"]"),
        script("all", show, "inherit_env = \"all\""),
        script("none", show, "inherit_env = \"none\"\nenv_vars = [\"PASSED\"]"),
    ];
    let bench = Bench::open(&own.concat());
    let variables = [("PASSED", "2"), ("OTHER", "3"), ("HOME", "/home/of-theirs")];
    bench.reload(&own.concat(), &variables).await;
    let line = |own: &str, passed: &str, other: &str, home: &str| {
        format!("own={own} passed={passed} other={other} home={home}\n")
    };
    assert_eq!(bench.says("core", "{}").await, line("1", "2", "", "/home/of-theirs"));
    assert_eq!(bench.says("all", "{}").await, line("", "2", "3", "/home/of-theirs"));
    assert_eq!(bench.says("none", "{}").await, line("", "2", "", ""));
}

/// Besides the workspace, what it names and nothing beside that.
#[tokio::test]
async fn an_entry_says_what_its_command_reads_and_writes_besides_the_workspace() {
    let around = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for name in ["shown", "open", "closed"] {
        std::fs::create_dir(around.path().join(name)).unwrap();
        std::fs::write(around.path().join(name).join("file"), name).unwrap();
    }
    let at = around.path().display();
    let look = format!(
        "cd {at}; cat shown/file open/file; echo; cat closed/file 2>/dev/null || echo hidden; \
         echo x > open/new && echo written; (echo x > shown/new) 2>/dev/null || echo kept"
    );
    let look = serde_json::to_string(&look).unwrap();
    let own = format!(
        "[tools.look]\ncommand = \"/bin/sh\"\nargs = [\"-c\", {look}]\n\
         readable = [\"{at}/shown\"]\nwritable = [\"{at}/open\"]\n"
    );
    let bench = Bench::open(&own);
    match bench.call("look", "{}").await {
        Ok(result) => assert_eq!(text(&result), "shownopen\nhidden\nwritten\nkept\n"),
        // A system without walls.
        Err(error) => assert_eq!(error.code, Code::Unavailable, "{error}"),
    }
    assert!(!around.path().join("shown/new").exists());
}

#[tokio::test]
async fn an_entry_says_how_much_of_a_result_is_told() {
    let own = [
        script("short", "yes | head -c 5000", "result_bytes = 1000"),
        script("long", "yes | head -c 5000", ""),
    ];
    // What is not told is kept.
    let kept = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(kept.path()).unwrap());
    let gate = Gate::open().building(|host| host.artifacts(store));
    let bench = Bench::with(gate, &own.concat());
    assert_eq!(bench.says("long", "{}").await.len(), 5000);
    let told = bench.call("short", "{}").await.unwrap();
    let told = told["content"][0]["text"].as_str().unwrap();
    assert!(told.len() < 2000 && told.starts_with("y\n"), "{} bytes", told.len());
}
