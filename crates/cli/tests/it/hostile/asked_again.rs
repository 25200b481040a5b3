//! Accepted once, changed afterwards: whatever changed, it is asked again and nothing runs.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use serde_json::{Value, json};

use super::repository::{Repository, clear};
use super::written::toml;

/// A repository with one server, accepted, that leaves the mark `ran`.
struct Accepted(Repository);

impl Accepted {
    /// Its command line; the program that it comes to is prepared by the other one.
    fn new(command: &[&str], prepare: impl FnOnce(&Repository, &Path)) -> Self {
        let entry = json!({ "command": command[0], "args": command[1..] });
        Self::entry(entry, prepare)
    }

    fn entry(mut entry: Value, prepare: impl FnOnce(&Repository, &Path)) -> Self {
        let repository = Repository::new();
        prepare(&repository, &repository.folder());
        entry["startup"] = "eager".into();
        entry["sandbox_profile"] = "none".into();
        let text = toml(&json!({ "servers": { "s": entry } }));
        let repository = repository.file("toolgate.toml", &text);
        repository.accept();
        repository.springs(&["ran"], false);
        Self(repository)
    }

    fn folder(&self) -> std::path::PathBuf {
        self.0.folder()
    }

    /// One byte more at the end of a file, and nothing else.
    fn touch(&self, path: &str) {
        let path = self.folder().join(path);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(path, text + " ").unwrap();
    }

    #[track_caller]
    fn is_asked_again(&self) {
        let listed = self.0.run(&["list"]).ok().stdout;
        assert!(listed.contains("pending"), "{listed}");
        self.0.is_harmless(&["s"]);
    }
}

fn script(path: &'static str) -> impl FnOnce(&Repository, &Path) {
    move |repository, folder| repository.traps.set(&folder.join(path), "ran")
}

/// Shows: E-6, C7, S2-13.
#[test]
fn a_byte_of_the_entry_changed_is_asked_again() {
    let accepted = Accepted::new(&["./run.sh", "a"], script("run.sh"));
    let text = fs::read_to_string(accepted.folder().join("toolgate.toml")).unwrap();
    accepted.0.world.write("project/toolgate.toml", &text.replace("\"a\"", "\"b\""));
    accepted.is_asked_again();
}

/// Shows: E-6, C7, S2-13.
#[test]
fn a_byte_of_a_script_changed_that_the_entry_names_is_asked_again() {
    for command in [
        &["./run.sh"][..],
        &["sh", "run.sh"],
        &["sh", "--", "run.sh", "x"],
        &["env", "X=1", "./run.sh"],
        &["env", "-C", "sub", "../run.sh"],
        &["sh", "-c", "./run.sh"],
        &["sh", "-c", "exec $PWD/run.sh # always"],
        &["sh", "-c", "cd sub && exec ../run.sh"],
    ] {
        let accepted = Accepted::new(command, |repository, folder| {
            fs::create_dir(folder.join("sub")).unwrap();
            script("run.sh")(repository, folder);
        });
        accepted.touch("run.sh");
        accepted.is_asked_again();
    }
}

/// Shows: E-6, C7.
#[test]
fn a_byte_of_the_file_that_a_folder_begins_with_is_asked_again() {
    // What runs a folder need not be installed: a shell that is called so does the same with it.
    let command = ["./node", "."];
    for changed in ["package.json", "lib/main.js"] {
        let accepted = Accepted::new(&command, |repository, folder| {
            let node = "#!/bin/sh\nexec sh \"$1/lib/main.js\"\n";
            fs::write(folder.join("node"), node).unwrap();
            fs::set_permissions(folder.join("node"), fs::Permissions::from_mode(0o755)).unwrap();
            fs::write(folder.join("package.json"), r#"{"main":"./lib/main.js"}"#).unwrap();
            script("lib/main.js")(repository, folder);
        });
        accepted.touch(changed);
        accepted.is_asked_again();
    }
}

/// Shows: E-6.
#[test]
fn a_program_that_appears_in_the_entrys_own_path_is_asked_again() {
    let entry = json!({ "command": "run.sh", "env": { "PATH": "${HERE}/bin:${HERE}/more:/bin" } });
    let world = crate::daemon::house::house();
    let here = world.project().canonicalize().unwrap().display().to_string();
    let mut entry = entry;
    entry["env"]["PATH"] = entry["env"]["PATH"].as_str().unwrap().replace("${HERE}", &here).into();
    entry["startup"] = "eager".into();
    entry["sandbox_profile"] = "none".into();
    let repository = Repository::of(world);
    repository.traps.set(&repository.folder().join("more/run.sh"), "ran");
    let text = toml(&json!({ "servers": { "s": entry } }));
    let accepted = Accepted(repository.file("toolgate.toml", &text));
    accepted.0.accept();
    accepted.0.springs(&["ran"], false);
    accepted.0.traps.set(&accepted.folder().join("bin/run.sh"), "another");
    accepted.is_asked_again();
}

/// Shows: E-6.
#[test]
fn a_link_that_leads_elsewhere_is_asked_again() {
    for outside in [true, false] {
        let accepted = Accepted::new(&["./run.sh"], |repository, folder| {
            let at = if outside { repository.world.home() } else { folder.to_owned() };
            repository.traps.set(&at.join("one.sh"), "ran");
            repository.traps.set(&at.join("two.sh"), "another");
            symlink(at.join("one.sh"), folder.join("run.sh")).unwrap();
        });
        let home = accepted.0.world.home();
        let at = if outside { home } else { accepted.folder() };
        fs::remove_file(accepted.folder().join("run.sh")).unwrap();
        symlink(at.join("two.sh"), accepted.folder().join("run.sh")).unwrap();
        accepted.is_asked_again();
    }
}

/// Shows: E-6, C7.
#[test]
fn a_folder_that_was_moved_or_copied_is_another_project() {
    let accepted = Accepted::new(&["./run.sh"], script("run.sh"));
    let here = accepted.folder();
    let copy = here.with_file_name("copy");
    fs::create_dir(&copy).unwrap();
    for file in ["toolgate.toml", "run.sh"] {
        fs::copy(here.join(file), copy.join(file)).unwrap();
    }
    accepted.0.go_to(&copy);
    accepted.is_asked_again();
    let moved = here.with_file_name("moved");
    fs::rename(&here, &moved).unwrap();
    fs::create_dir(&here).unwrap();
    accepted.0.go_to(&moved);
    accepted.is_asked_again();
    // A link at its old place leads to the new one.
    fs::remove_dir(&here).unwrap();
    symlink(&moved, &here).unwrap();
    accepted.0.go_to(&here);
    accepted.is_asked_again();
    fs::remove_file(&here).unwrap();
    fs::rename(&moved, &here).unwrap();
    accepted.0.go_to(&here);
    accepted.0.springs(&["ran"], false);
}

/// Shows: E-6.
#[test]
fn a_file_with_the_times_and_the_size_of_the_old_one_is_asked_again() {
    let accepted = Accepted::new(&["./run.sh", "a"], script("run.sh"));
    for (path, from, to) in [("run.sh", "\n:", "\n "), ("toolgate.toml", "\"a\"", "\"b\"")] {
        let path = accepted.folder().join(path);
        let (text, before) = (fs::read_to_string(&path).unwrap(), path.metadata().unwrap());
        let other = text.replace(from, to);
        let new = path.with_extension("new");
        fs::write(&new, &other).unwrap();
        fs::set_permissions(&new, before.permissions()).unwrap();
        File::open(&new).unwrap().set_modified(before.modified().unwrap()).unwrap();
        fs::rename(&new, &path).unwrap();
        let now = path.metadata().unwrap();
        assert_eq!(
            (now.len(), now.modified().unwrap()),
            (before.len(), before.modified().unwrap())
        );
        accepted.is_asked_again();
        clear(&path);
        fs::write(&path, &text).unwrap();
        fs::set_permissions(&path, before.permissions()).unwrap();
        accepted.0.springs(&["ran"], false);
    }
}
