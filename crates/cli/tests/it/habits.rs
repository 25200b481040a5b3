//! Habits of the whole command line: help, exit codes, quiet and loud, colour, pipes.

use crate::support::World;

const VERBS: [&str; 42] = [
    "add",
    "test",
    "add-json",
    "list",
    "get",
    "remove",
    "enable",
    "disable",
    "tools",
    "call",
    "resources",
    "resources list",
    "resources read",
    "prompts",
    "prompts list",
    "prompts get",
    "audit",
    "audit show",
    "audit verify",
    "audit export",
    "explain",
    "config",
    "import",
    "connect",
    "disconnect",
    "trust",
    "approvals",
    "approve",
    "deny",
    "token",
    "token create",
    "token list",
    "token revoke",
    "serve",
    "stdio",
    "status",
    "stop",
    "restart",
    "logs",
    "doctor",
    "completions",
    "man",
];

#[test]
fn every_verb_has_help_with_an_example_under_both_names() {
    let world = World::new();
    for verb in VERBS {
        let verb: Vec<&str> = verb.split(' ').collect();
        for arguments in
            [[&verb[..], &["--help"]].concat(), [&["mcp"], &verb[..], &["-h"]].concat()]
        {
            let help = world.run(&arguments).ok().stdout;
            assert!(help.contains("Example"), "{arguments:?}: {help}");
        }
    }
}

#[test]
fn wrong_usage_exits_2_and_a_failed_verb_1() {
    let world = World::new();
    world.run(&["frobnicate"]).fails_with(2);
    world.run(&["add"]).fails_with(2);
    world.run(&["list", "--scope", "moon"]).fails_with(2);
    world.run(&["add", "x", "https://a/mcp", "--request-timeout-ms", "0"]).fails_with(2);
    world.run(&["remove", "nope"]).fails_with(1);
}

#[test]
fn quiet_says_only_what_was_asked_for() {
    let world = World::new();
    let ran = world.run(&["-q", "add", "a", "--", "x"]).ok();
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    let ran = world.run(&["-q", "remove", "nope"]).fails_with(1);
    assert!(ran.stderr.starts_with("error:"), "{ran:?}");
}

#[test]
fn colour_only_at_a_terminal_and_never_with_no_color() {
    let world = World::new();
    assert!(!world.run(&["get", "x"]).fails_with(1).stderr.contains('\u{1b}'));
    assert!(world.run_at_terminal(&["get", "x"], "").fails_with(1).stdout.contains('\u{1b}'));
    let plain = World::new().with("NO_COLOR", "1");
    assert!(!plain.run_at_terminal(&["get", "x"], "").fails_with(1).stdout.contains('\u{1b}'));
}

#[test]
fn completions_and_manual_are_printed() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(world.run(&["completions", shell]).ok().stdout.contains("toolgate"));
    }
    let page = world.run(&["man"]).ok().stdout;
    assert!(page.starts_with(".ie") && page.contains("disconnect"), "{page}");
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let world = World::new();
    let mut child = world
        .command(&["config", "schema"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(!String::from_utf8(output.stderr).unwrap().contains("panicked"));
}
