//! Links in the place of what is read, and what is no file at all.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::json;

use super::repository::{ClientEntry, Repository, clear};
use super::traps::ALL_MARKS;
use super::written::toml;

/// A configuration with all traps; what they are called.
fn traps(repository: &Repository) -> (String, Vec<&'static str>) {
    let entries = repository.traps.entries(&repository.folder());
    let (ids, servers): (Vec<_>, serde_json::Map<_, _>) =
        entries.into_iter().map(|(id, entry)| (id, (id.to_owned(), entry))).unzip();
    (toml(&json!({ "servers": servers })), ids)
}

/// Shows: E-6.
#[test]
fn path_and_symlink_escapes_a_config_that_lies_outside_is_the_repositorys_word_all_the_same() {
    for (link, target) in [("toolgate.toml", "evil.toml"), (".toolgate", "folder")] {
        let repository = Repository::new();
        let (text, ids) = traps(&repository);
        repository.world.write("home/evil.toml", &text);
        repository.world.write("home/folder/config.toml", &text);
        symlink(repository.world.home().join(target), repository.folder().join(link)).unwrap();
        repository.is_harmless(&ids);
        repository.accept();
        repository.springs(&ALL_MARKS, true);
    }
}

/// Shows: E-6, S2-13.
#[test]
fn path_and_symlink_escapes_the_file_of_an_accepted_project_is_accepted_only_there() {
    let repository = Repository::new();
    let project = repository.world.project();
    let other = project.with_file_name("other");
    fs::rename(&project, &other).unwrap();
    // Whoever is asked works there for a moment.
    symlink(&other, &project).unwrap();
    repository.go_to(&other);
    let (text, ids) = traps(&repository);
    fs::create_dir(other.join(".toolgate")).unwrap();
    fs::write(other.join(".toolgate/config.toml"), &text).unwrap();
    fs::write(other.join("toolgate.toml"), &text).unwrap();
    repository.accept();
    repository.springs(&ALL_MARKS, true);
    fs::remove_file(&project).unwrap();
    fs::create_dir(&project).unwrap();
    repository.go_to(&project);
    // With programs of its own under the same names.
    for script in ["script", "argument"] {
        repository.traps.set(&project.join(script).with_extension("sh"), script);
    }
    for (link, target) in
        [("toolgate.toml", "toolgate.toml"), (".toolgate", ".toolgate"), ("linked", "")]
    {
        let link = project.join(link);
        symlink(other.join(target), &link).unwrap();
        repository.is_harmless(&ids);
        if link.is_dir() {
            // The folder itself is named: what is accepted is accepted there, not here.
            for file in ["linked/toolgate.toml", "../other/toolgate.toml", ".toolgate/config.toml"]
            {
                let args = ["stdio", "--config", file].map(str::to_owned).to_vec();
                if project.join(file).exists() {
                    repository.is_harmless_with(&ClientEntry { args, env: vec![] }, &ids);
                }
            }
        }
        clear(&link);
    }
}

#[test]
fn path_and_symlink_escapes_a_link_to_the_persons_own_file_adds_nothing_to_it() {
    let repository = Repository::new();
    repository.world.write(crate::support::World::GLOBAL, "[servers.mine]\ncommand = \"none\"\n");
    let own = repository.world.home().join(".config/toolgate");
    for (link, target) in [("toolgate.toml", own.join("config.toml")), (".toolgate", own)] {
        let link = repository.folder().join(link);
        symlink(target, &link).unwrap();
        let listed = repository.run(&["list"]).ok().stdout;
        assert_eq!((listed.lines().count(), listed.contains("pending")), (2, false), "{listed}");
        repository.is_harmless(&[]);
        fs::remove_file(link).unwrap();
    }
}

#[test]
fn path_and_symlink_escapes_what_is_no_regular_file_holds_nobody_up() {
    let names = ["toolgate.toml", ".toolgate/config.toml", "toolgate.json", ".codelia/config.json"];
    for (number, name) in names.into_iter().enumerate() {
        let repository = Repository::new();
        let path = repository.folder().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let make: [&dyn Fn(); 4] = [
            &|| symlink("/dev/zero", &path).unwrap(),
            &|| symlink("/dev/tty", &path).unwrap(),
            &|| assert!(Command::new("mkfifo").arg(&path).status().unwrap().success()),
            &|| fs::create_dir(&path).unwrap(),
        ];
        for (other, make) in make.into_iter().enumerate() {
            make();
            repository.run(&["list"]).ok();
            repository.run(&["--config", name, "list"]);
            // The whole way once for each kind and each name.
            if number == other {
                repository.is_harmless(&[]);
                let args = ["stdio", "--config", name].map(str::to_owned).to_vec();
                repository.is_harmless_with(&ClientEntry { args, env: vec![] }, &[]);
            }
            clear(&path);
        }
    }
}
