//! Changed while a daemon runs that has read the configuration before.

use serde_json::json;

use super::repository::Repository;
use super::written::toml;
use crate::daemon::house::{Ends, Window, eventually};

/// A server that is started when somebody needs it, accepted, and a window that has not needed it.
fn window_before_the_start(repository: &Repository) -> Window {
    let entry = json!({ "command": "./run.sh", "args": ["a"], "trust": "trusted",
        "sandbox_profile": "none" });
    let text = toml(&json!({ "servers": { "s": entry } }));
    repository.world.write("project/toolgate.toml", &text);
    repository.traps.set(&repository.folder().join("run.sh"), "ran");
    repository.accept();
    let window = Window::open(&repository.world);
    assert_eq!(repository.traps.marks(), [].into());
    window
}

/// Shows: E-6.
#[test]
fn a_changed_entry_is_pending_in_a_running_daemon_too() {
    let repository = Repository::new();
    let _ends = Ends(&repository.world);
    let mut window = window_before_the_start(&repository);
    let text = repository.world.read("project/toolgate.toml");
    repository.traps.set(&repository.folder().join("other.sh"), "another");
    eventually("the daemon sees the change", || {
        // Once more each time: a folder is watched a moment after its file was read.
        repository.world.write("project/toolgate.toml", &text.replace("run.sh", "other.sh"));
        let status = repository.world.run(&["status", "--json"]).ok().stdout;
        status.contains("pending")
    });
    window.tools();
    assert_eq!(repository.traps.marks(), [].into());
}

/// Shows: E-6.
#[test]
fn a_changed_script_is_not_started_by_a_running_daemon() {
    let repository = Repository::new();
    let _ends = Ends(&repository.world);
    let mut window = window_before_the_start(&repository);
    repository.traps.set(&repository.folder().join("run.sh"), "another");
    window.tools();
    assert_eq!(repository.traps.marks(), [].into());
    let listed = repository.world.run(&["list"]).ok().stdout;
    assert!(listed.contains("pending"), "{listed}");
    // What was accepted comes back, and runs.
    repository.traps.set(&repository.folder().join("run.sh"), "ran");
    let text = repository.world.read("project/toolgate.toml");
    eventually("it is started again", || {
        // Where the daemon has read its configuration meanwhile, the entry is pending until it does
        // so again.
        repository.world.write("project/toolgate.toml", &text);
        window.ask("tools/call", json!({ "name": "s__anything", "arguments": {} }));
        repository.traps.marks() == ["ran".to_owned()].into()
    });
}
