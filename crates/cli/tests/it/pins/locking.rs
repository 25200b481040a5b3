//! `pins lock`: what was accepted of the project's servers, for everybody who works in it.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use super::{cloned, having, play, run, tool};
use crate::support::World;

/// A project whose server is trusted, and was listed.
fn trusted(tools: &[&str]) -> World {
    let world = cloned(&having(tools));
    world.run_at_terminal(&["trust", "--trusted"], "y\n").ok();
    world.run(&["tools"]).ok();
    world
}

const LOCK: &str = "project/toolgate.lock";

#[test]
fn it_is_written_beside_the_configuration_and_holds_those_to_it_who_work_there() {
    let world = trusted(&[&tool("read", "Reads"), &tool("write", "Writes")]);
    world.local("mine", &having(&[&tool("private", "Mine")]));
    world.run(&["tools"]).ok();
    let below = world.project().join("a/b");
    fs::create_dir_all(&below).unwrap();
    let output = world.command(&["pins", "lock"]).current_dir(&below).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    insta::assert_snapshot!(world.read(LOCK), @r#"
    # The tools that this project was made with. What is not as it says here asks a person.
    # `toolgate pins lock` writes it.
    version = 1

    [servers.files]
    read = "sha256:513be60b8585738480ee086482928360b48fbd397be8e0ba100ff3645cf08913"
    write = "sha256:f8a0d66c2e2a3d753852f9dbd9960909e8d399b939d510a5d415ef67b573174e"
    "#);
    assert!(!world.read(LOCK).contains("private"), "a person's own servers are their own affair");
    world.run(&["config", "check"]).ok();
    world.run(&["call", "files", "read"]).ok();
    world.run(&["call", "mine", "private"]).ok();

    // Somebody else clones it, and their server is another one from the first time on.
    let colleague = World::new();
    super::clone_into(&colleague, &having(&[&tool("read", "Reads"), &tool("write", "Sends")]));
    colleague.write(LOCK, &world.read(LOCK));
    colleague.run_at_terminal(&["trust", "--trusted"], "y\n").ok();
    colleague.run(&["call", "files", "read"]).ok();
    let ran = colleague.run(&["call", "files", "write"]).fails_with(6);
    assert!(ran.stderr.contains("no_channel"), "{ran:?}");
    let why = colleague.run(&["explain", "files", "write"]).ok().stdout;
    assert!(why.contains("its definition is not the one in `toolgate.lock`"), "{why}");
}

#[test]
fn what_nobody_accepted_is_not_in_it() {
    let world = cloned(&having(&[&tool("read", "Reads"), &tool("write", "Writes")]));
    let ran = world.run(&["pins", "lock"]).fails_with(1);
    assert!(ran.stderr.contains("nothing was accepted of this project's servers yet"), "{ran:?}");
    assert!(!world.exists(LOCK));
    world.run_at_terminal(&["trust"], "y\ny\nn\n").ok();
    world.run(&["pins", "lock"]).ok();
    let lock = world.read(LOCK);
    assert!(lock.contains("read = ") && !lock.contains("write = "), "{lock}");
    // What changed since is locked as it was accepted.
    play(&world, &having(&[&tool("read", "Sends")]));
    world.run(&["tools"]).ok();
    world.run(&["pins", "lock"]).ok();
    assert_eq!(world.read(LOCK), lock);
    world.run(&["trust", "--revoke", "files"]).ok();
    world.run(&["pins", "lock"]).fails_with(1);
    assert_eq!(world.read(LOCK), lock);
}

/// A project must not choose what is written over.
#[test]
fn it_is_not_written_through_a_link_nor_over_what_is_no_file() {
    let world = trusted(&[&tool("read", "Reads")]);
    let (path, victim) = (world.project().join("toolgate.lock"), world.home().join("victim"));
    fs::write(&victim, "precious").unwrap();
    let refused = |what: &str| {
        let ran = run(&world, &["pins", "lock"]).fails_with(1);
        assert!(
            ran.stderr.contains("toolgate.lock is a link or no file of ours"),
            "{what}: {ran:?}"
        );
        assert!(ran.stderr.contains("remove it first"), "{what}: {ran:?}");
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious", "{what}");
    };
    symlink(&victim, &path).unwrap();
    refused("a link");
    fs::remove_file(&path).unwrap();
    symlink(world.home().join("new"), &path).unwrap();
    refused("a link to nothing");
    assert!(!world.exists("home/new"));
    fs::remove_file(&path).unwrap();
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    refused("a pipe");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    refused("a folder");
    fs::remove_dir(&path).unwrap();
    fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
    refused("far too large");
}

#[test]
fn a_broken_one_is_written_anew() {
    let world = trusted(&[&tool("read", "Reads")]);
    world.run(&["pins", "lock"]).ok();
    let good = world.read(LOCK);
    world.write(LOCK, "version = 7");
    run(&world, &["config", "check"]).fails_with(1);
    world.run(&["pins", "lock"]).ok();
    assert_eq!(world.read(LOCK), good);
    fs::write(world.project().join("toolgate.lock"), b"\xff").unwrap();
    let ran = world.run(&["pins", "lock"]).fails_with(1);
    assert!(ran.stderr.contains("or remove it, and it is written anew"), "{ran:?}");
}
