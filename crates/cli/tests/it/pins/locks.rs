//! A `toolgate.lock` that somebody else wrote: whatever it says, it accepts nothing, starts nothing,
//! holds nobody up, and where it cannot be understood everything asks.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use super::{having, is_plain, run, tool};
use crate::support::World;

const LOCK: &str = "project/toolgate.lock";

/// A world with an own server that needs no approval, and one of the project that nobody accepted.
fn world() -> World {
    let world = World::new();
    world.local("mine", &having(&[&tool("read", "Reads")]));
    world.write(
        "project/toolgate.toml",
        "[servers.theirs]\ncommand = \"sh\"\nargs = [\"-c\", \"touch started\"]\n\
         sandbox_profile = \"none\"\napproval = \"approve\"\n",
    );
    world
}

/// What it says cannot be understood: that is reported, and every tool asks.
#[track_caller]
fn is_broken(world: &World, what: &str) {
    let ran = run(world, &["config", "check"]).fails_with(1);
    assert!(ran.stdout.contains("project/toolgate.lock"), "{what}: {ran:?}");
    assert!(ran.stdout.contains("until it can be read, every tool asks"), "{what}: {ran:?}");
    is_plain(&ran.stdout);
    is_harmless(world, what);
    let ran = run(world, &["call", "mine", "read"]).fails_with(6);
    assert!(ran.stderr.contains("no_channel"), "{what}: {ran:?}");
}

/// It accepts nothing and starts nothing.
#[track_caller]
fn is_harmless(world: &World, what: &str) {
    let list = run(world, &["trust", "--list"]).ok().stdout;
    assert!(list.contains("server  theirs  pending: never accepted here"), "{what}: {list}");
    run(world, &["call", "theirs", "read"]).fails_with(8);
    run(world, &["pins", "accept", "theirs"]).fails_with(8);
    run(world, &["tools"]).ok();
    assert!(!world.exists("project/started"), "{what}");
}

/// Shows: E-6.
#[test]
fn a_repositorys_lock_that_cannot_be_understood_makes_everything_ask() {
    let world = world();
    let zeros = "0".repeat(64);
    let texts = [
        String::new(),
        "version = 2\n".to_owned(),
        "version = 1\naccepted = true\n".to_owned(),
        "version = 1\ntrust = \"trusted\"\n[servers.theirs]\n".to_owned(),
        format!("version = 1\n[servers.mine]\nread = \"sha256:{zeros}ff\"\n"),
        format!("version = 1\n[servers.mine]\n\"a\\u001b[2J\\u202e\" = \"md5:{zeros}\"\n"),
        format!("version = 1\n[servers.\"../mine\"]\nread = \"sha256:{zeros}\"\n"),
        format!("version = 1\n[servers.mine]\nread = {{ hash = \"sha256:{zeros}\" }}\n"),
        format!(
            "version = 1\n[servers.mine]\nread = \"sha256:{zeros}\"\nread = \"sha256:{zeros}\"\n"
        ),
        format!("version = 1\nx = {}{}\n", "[".repeat(50_000), "]".repeat(50_000)),
        format!("version = 1\n# {}\n", "x".repeat(5 << 20)),
        "\u{1b}[2J\u{202e}".to_owned(),
    ];
    for text in &texts {
        world.write(LOCK, text);
        is_broken(&world, &text.chars().take(80).collect::<String>());
    }
    fs::write(world.project().join("toolgate.lock"), b"version = 1\n# \xff\xfe\n").unwrap();
    is_broken(&world, "not UTF-8");
}

/// Shows: E-6.
#[test]
fn a_repositorys_lock_that_is_no_file_holds_nobody_up() {
    let world = world();
    let path = world.project().join("toolgate.lock");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    is_broken(&world, "a pipe");
    fs::remove_file(&path).unwrap();
    for target in ["/dev/zero", "/dev/tty", "/nowhere/at/all", "toolgate.lock", "/proc/self/mem"] {
        symlink(target, &path).unwrap();
        is_broken(&world, target);
        fs::remove_file(&path).unwrap();
    }
    fs::create_dir(&path).unwrap();
    is_broken(&world, "a folder");
    fs::remove_dir(&path).unwrap();
    run(&world, &["config", "check"]).ok();
    run(&world, &["call", "mine", "read"]).ok();
}

/// Shows: E-6.
#[test]
fn a_repositorys_lock_with_made_up_hashes_makes_those_ask_and_nothing_else() {
    let world = world();
    let hash = |byte: &str| format!("\"sha256:{}\"", byte.repeat(32));
    world.write(LOCK, &format!("version = 1\n[servers.theirs]\nread = {}\n", hash("00")));
    run(&world, &["config", "check"]).ok();
    is_harmless(&world, "made up");
    run(&world, &["call", "mine", "read"]).ok();
    world.write(LOCK, &format!("version = 1\n[servers.mine]\nread = {}\n", hash("ab")));
    run(&world, &["call", "mine", "read"]).fails_with(6);
    let many: String = (0..20_000).map(|n| format!("t{n} = {}\n", hash("ab"))).collect();
    world.write(LOCK, &format!("version = 1\n[servers.mine]\n{many}"));
    run(&world, &["config", "check"]).ok();
    run(&world, &["call", "mine", "read"]).fails_with(6);
}
