//! An acceptance holds for what a person saw, in the folder where that would run; not for a namesake
//! in another.

use std::fs;

use serde_json::json;

use super::repository::Repository;
use super::written::toml;

fn one_server(command: &[&str]) -> String {
    let entry = json!({ "command": command[0], "args": command[1..], "startup": "eager",
        "sandbox_profile": "none" });
    toml(&json!({ "servers": { "s": entry } }))
}

/// Shows: E-6, S2-13.
#[test]
fn a_namesake_of_an_accepted_script_in_a_folder_below_does_not_run() {
    for command in [&["./run.sh"][..], &["sh", "run.sh"]] {
        let repository = Repository::new().file("toolgate.toml", &one_server(command));
        let folder = repository.folder();
        repository.traps.set(&folder.join("run.sh"), "ran");
        repository.accept();
        repository.springs(&["ran"], false);
        // Say, a submodule that came later.
        repository.traps.set(&folder.join("vendor/run.sh"), "another");
        repository.go_to(&folder.join("vendor"));
        repository.is_harmless(&["s"]);
        repository.go_to(&folder);
        repository.springs(&["ran"], false);
    }
}

/// Shows: E-6.
#[test]
fn a_repository_inside_an_accepted_one_is_another_project() {
    let repository = Repository::new().file("toolgate.toml", &one_server(&["./run.sh"]));
    let folder = repository.folder();
    repository.traps.set(&folder.join("run.sh"), "ran");
    repository.accept();
    let inner = folder.join("vendor");
    fs::create_dir(&inner).unwrap();
    fs::copy(folder.join("toolgate.toml"), inner.join("toolgate.toml")).unwrap();
    repository.traps.set(&inner.join("run.sh"), "ran");
    repository.go_to(&inner);
    repository.is_harmless(&["s"]);
}
