//! Habits of the whole command line: help, exit codes, quiet and loud, colour, pipes.

use toolgate_testkit::{Act, Script};

use crate::support::World;

const VERBS: [&str; 43] = [
    "add",
    "test",
    "add-json",
    "list",
    "get",
    "remove",
    "enable",
    "disable",
    "tools",
    "tools show",
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

/// What one wants first stands first, and every verb once.
#[test]
fn the_first_page_says_what_this_is_and_has_its_verbs_in_groups() {
    let world = World::new();
    for arguments in [&["--help"][..], &["help"]] {
        let page = world.run(arguments).ok().stdout;
        assert!(page.starts_with("Toolgate is the one gate between coding agents"), "{page}");
        for line in ["Servers:", "Agents:", "  list, ls ", "Common options:", "Exit codes:"] {
            assert!(page.contains(&format!("\n{line}")), "{line}: {page}");
        }
        assert!(!page.contains("Commands:") && !page.contains("__"), "{page}");
        assert!(page.lines().all(|line| line.chars().count() <= 100), "{page}");
    }
    assert!(!world.run(&["-h"]).ok().stdout.contains("Exit codes:"));
    assert!(world.run(&["mcp", "--help"]).ok().stdout.contains("Commands:"));
}

/// What bash would offer where the last of these words is typed.
fn offered(world: &World, words: &[&str]) -> Vec<String> {
    let program = assert_cmd::cargo::cargo_bin!("toolgate");
    let script = world.write("home/completions", &world.run(&["completions", "bash"]).ok().stdout);
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let ask = format!(
        "PATH={}:$PATH; source {}; COMP_WORDS=({}); COMP_CWORD={}; \
         _toolgate toolgate '{}' '{}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        program.parent().unwrap().display(),
        script.display(),
        quoted.join(" "),
        words.len() - 1,
        words[words.len() - 1],
        words[words.len() - 2],
    );
    let mut bash = std::process::Command::new("bash");
    bash.args(["-c", &ask]).current_dir(world.project()).env_clear().envs(world.environment());
    let ran = world.ran(bash.output().unwrap());
    ran.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn completions_know_what_is_configured() {
    let world = World::new();
    let tool = |name: &str| format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
    let tools = ["read", "$(touch started)"].map(tool).join(",");
    let tools = Act::answer(format!(r#"{{"tools":[{tools}]}}"#));
    world.local("files", &Script::legacy().on("tools/list", [tools]));
    let before = world.read(World::GLOBAL);
    let more = "gateway.naming = \"bare\"\n";
    world.write(World::GLOBAL, &format!("{more}{before}[roles.reviewer]\n"));
    world.run(&["tools"]).ok();
    world.run(&["token", "create", "laptop"]).ok();
    assert_eq!(offered(&world, &["toolgate", "get", "fi"]), ["files"]);
    assert_eq!(offered(&world, &["toolgate", "stop", "fi"]), ["files"]);
    assert_eq!(offered(&world, &["toolgate", "tools", "--role", "re"]), ["reviewer"]);
    assert_eq!(offered(&world, &["toolgate", "tools", "--server", "f"]), ["files"]);
    assert_eq!(offered(&world, &["toolgate", "call", "re"]), ["read"]);
    assert_eq!(offered(&world, &["toolgate", "token", "revoke", "la"]), ["laptop"]);
    assert_eq!(offered(&world, &["toolgate", "connect", "code"]), ["codex"]);
    // Its name would run something in the shell that completes it.
    offered(&world, &["toolgate", "call", ""]);
    assert!(!world.exists("project/started"));
    for (shell, question) in [("zsh", "_toolgate_servers"), ("fish", "toolgate __complete servers")]
    {
        let script = world.run(&["completions", shell]).ok().stdout;
        assert!(script.contains(question) && !script.contains("@servers@"), "{script}");
    }
    assert_eq!(offered(&world, &["toolgate", "__"]), [""], "what is hidden is not offered");
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
