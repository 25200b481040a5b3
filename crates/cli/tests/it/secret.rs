//! `secret`: typed unseen or piped, kept for its owner, listed without itself, named by entries.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use serde_json::Value;
use toolgate_testkit::{Act, Script};

use crate::support::{World, peer_path};

const CANARY: &str = "canary-kept-for-the-person-77";
const FILE: &str = "home/.local/state/toolgate/secrets.json";

fn keep(world: &World, name: &str, value: &str) {
    world.run_with_input(&["secret", "set", name], value).ok();
}

fn listed(world: &World) -> Value {
    world.run(&["secret", "list", "--json"]).ok().json()
}

#[test]
fn a_secret_is_piped_or_typed_unseen_and_nothing_prints_it() {
    let world = World::new();
    let piped = world.run_with_input(&["secret", "set", "PIPED"], &format!("{CANARY}\n")).ok();
    insta::assert_snapshot!(piped.stderr, @"kept secret PIPED; entries name it as ${secret:PIPED}");
    assert_eq!(piped.stdout, "");
    let mut terminal = world.at_terminal(&["secret", "set", "typed.one"]);
    terminal.until("(not shown): ");
    terminal.type_in(&format!("wrong\u{15}x\u{7f}{CANARY}\r"));
    let typed = terminal.ended(&world).ok();
    assert!(!typed.stdout.contains("canary") && !typed.stdout.contains("wrong"), "{typed:?}");
    assert!(typed.stdout.contains("kept secret typed.one"), "{typed:?}");
    let file = world.read(FILE);
    assert_eq!(file.matches(&format!("\"value\":\"{CANARY}\"")).count(), 2, "{file}");
    let mode = |path: &str| fs::metadata(world.home().join(path)).unwrap().mode() & 0o777;
    assert_eq!(mode(".local/state/toolgate/secrets.json"), 0o600);
    assert_eq!(mode(".local/state/toolgate"), 0o700);
    let again = world.run_with_input(&["secret", "set", "PIPED"], "other").ok();
    assert!(again.stderr.contains("replaced secret PIPED"), "{again:?}");
}

#[test]
fn whoever_gives_up_or_gives_nothing_changes_nothing() {
    let world = World::new();
    world.run_with_input(&["secret", "set", "A"], "\n").fails_with(2);
    world.run_with_input(&["secret", "set", "A"], "a\0b").fails_with(2);
    let mut terminal = world.at_terminal(&["secret", "set", "A"]);
    terminal.until("(not shown): ");
    terminal.type_in("half\u{3}");
    terminal.ended(&world).fails_with(2);
    assert!(!world.exists(FILE));
    // Not as an argument, and under no odd name.
    world.run(&["secret", "set", "A", CANARY]).fails_with(2);
    for odd in ["../x", "a b", "-x", "a/b", "\u{202e}x", ""] {
        let ran = world.run_with_input(&["secret", "set", odd], CANARY).fails_with(2);
        assert!(!ran.stderr.contains('\u{202e}'), "{ran:?}");
    }
    assert!(!world.exists(FILE));
}

#[test]
fn a_list_has_names_times_and_users_and_no_secret() {
    let world = World::new();
    assert_eq!(world.run(&["secret", "list"]).ok().stdout, "there are no secrets\n");
    keep(&world, "USED", CANARY);
    keep(&world, "idle", CANARY);
    world.server(
        "api",
        "command = \"api\"\nenv = { K = \"${secret:USED}\", L = \"${secret:GONE}\" }",
    );
    world.write(
        "project/toolgate.toml",
        "[tools.t]\ncommand = \"t\"\nargs = [\"${secret:USED}\"]\n",
    );
    let json = listed(&world);
    let names = |list: &Value| -> Vec<String> {
        let all = list.as_array().unwrap().iter();
        all.map(|one| format!("{} {}", one["name"].as_str().unwrap(), one["usedBy"])).collect()
    };
    assert_eq!(names(&json["secrets"]), ["USED [\"server api\",\"tool t\"]", "idle []"]);
    assert_eq!(names(&json["missing"]), ["GONE [\"server api\"]"]);
    assert!(json["secrets"][0]["setAt"].as_str().unwrap().ends_with('Z'));
    let text = world.run(&["secret", "list"]).ok().stdout;
    assert!(text.contains("not set") && !text.contains("canary"), "{text}");
    assert!(!json.to_string().contains("canary"));
}

#[test]
fn removing_asks_and_says_who_would_miss_it() {
    let world = World::new();
    keep(&world, "USED", CANARY);
    world.server("api", "command = \"api\"\nenv = { K = \"${secret:USED}\" }");
    let unasked = world.run(&["secret", "remove", "USED"]).fails_with(2);
    assert!(unasked.stderr.contains("--yes"), "{unasked:?}");
    let no = world.run_at_terminal(&["secret", "remove", "USED"], "n\n").ok();
    assert!(no.stdout.contains("which server api here would not start without?"), "{no:?}");
    assert_eq!(listed(&world)["secrets"].as_array().unwrap().len(), 1);
    world.run_at_terminal(&["secret", "remove", "USED"], "y\n").ok();
    assert_eq!(listed(&world)["secrets"].as_array().unwrap().len(), 0);
    let gone = world.run(&["secret", "remove", "USED", "--yes"]).fails_with(1);
    assert!(gone.stderr.contains("there is no secret of this name"), "{gone:?}");
}

/// What names a secret that is not kept is in error, with the command that sets it.
#[test]
fn an_unknown_secret_makes_the_entry_invalid_and_says_how_it_is_set() {
    let world = World::new();
    world.server("api", "command = \"api\"\nenv = { K = \"${secret:GH}\" }");
    let check = world.run(&["config", "check"]).fails_with(1);
    assert!(check.stdout.contains("error[unknown-secret]"), "{check:?}");
    assert!(check.stdout.contains("toolgate secret set GH"), "{check:?}");
    keep(&world, "GH", CANARY);
    let check = world.run(&["config", "check"]).ok();
    assert!(!format!("{check:?}").contains("canary"), "{check:?}");
}

/// A server that answers with its environment's `K`, in an error and on standard error too.
fn echo(world: &World, keys: &str) {
    let script = Script::legacy()
        .on(
            "tools/list",
            [Act::answer(r#"{"tools":[{"name":"fail","inputSchema":{"type":"object"}}]}"#)],
        )
        .on_call("fail", [Act::refuse(-32000, &format!("bad key {CANARY}"))]);
    let script = world.write("home/api.json", &script.to_argument());
    let keys = format!("command = {:?}\nargs = [{script:?}]\n{keys}", peer_path());
    world.server("api", &format!("approval = \"approve\"\n{keys}"));
}

/// Shows: S3-34, S3-35.
#[test]
fn no_way_of_looking_at_a_configuration_or_a_call_tells_a_secret() {
    let world = World::new();
    keep(&world, "GH", CANARY);
    echo(&world, "env = { K = \"x ${secret:GH} ${HOME}\" }");
    let commands: [&[&str]; 11] = [
        &["config", "show"],
        &["config", "show", "--json"],
        &["config", "check", "--json"],
        &["get", "api"],
        &["get", "api", "--json"],
        &["list", "--json"],
        &["explain", "api", "fail", "--json"],
        &["test", "api", "-v", "--log-level", "trace"],
        &["call", "api", "fail", "--log-level", "trace", "--log-format", "json"],
        &["logs", "--json"],
        &["audit", "--json"],
    ];
    for command in commands {
        let ran = world.run(command);
        assert!(!format!("{ran:?}").contains(CANARY), "{command:?}: {ran:?}");
    }
    let shown = world.run(&["config", "show", "--json"]).ok().stdout;
    assert!(shown.contains("${secret:GH}"), "{shown}");
    let told = world.run(&["call", "api", "fail"]).stderr;
    assert!(told.contains("bad key"), "the server did repeat it: {told}");
    let state = world.home().join(".local/state/toolgate");
    for path in files(&state).into_iter().filter(|path| !path.ends_with("secrets.json")) {
        let bytes = fs::read(&path).unwrap();
        let found = bytes.windows(CANARY.len()).any(|part| part == CANARY.as_bytes());
        assert!(!found, "{}", path.display());
    }
}

fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let found = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    found.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn a_file_that_is_open_to_others_or_a_link_is_refused_with_what_to_do() {
    let world = World::new();
    keep(&world, "GH", CANARY);
    world.server("api", "command = \"api\"\nenv = { K = \"${secret:GH}\" }");
    let file = world.home().join(".local/state/toolgate/secrets.json");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let commands: [&[&str]; 2] = [&["secret", "list"], &["config", "check"]];
    for command in commands {
        let ran = world.run(command).fails_with(1);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(said.contains("chmod 600") && said.contains("mode 644"), "{said}");
        assert!(!said.contains("canary"), "{said}");
    }
    world.run_with_input(&["secret", "set", "OTHER"], "x").fails_with(1);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    world.run(&["secret", "list"]).ok();
    let elsewhere = world.home().join("elsewhere.json");
    fs::rename(&file, &elsewhere).unwrap();
    symlink(&elsewhere, &file).unwrap();
    for command in commands {
        let ran = world.run(command).fails_with(1);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(said.contains("is a link") && !said.contains("canary"), "{said}");
    }
    world.run_with_input(&["secret", "set", "OTHER"], "x").fails_with(1);
    assert!(fs::symlink_metadata(&file).unwrap().is_symlink());
}

/// A project's entry gets a secret only once a person saw its name there and said yes.
#[test]
fn a_project_gets_a_secret_only_where_trust_showed_its_name() {
    let world = World::new();
    keep(&world, "GH", CANARY);
    keep(&world, "OTHER", "the-other-canary");
    let taken = world.project().join("taken");
    let entry = |secret: &str| {
        let script = format!("printf %s \\\"$K\\\" > {}", taken.display());
        format!(
            "[servers.evil]\ncommand = \"sh\"\nargs = [\"-c\", \"{script}\"]\n\
             env = {{ K = \"{secret}\" }}\nsandbox_profile = \"none\"\nstartup_timeout_ms = 20000\n"
        )
    };
    world.write("project/toolgate.toml", &entry("plain"));
    world.run_at_terminal(&["trust", "evil"], "y\n");
    world.run(&["test", "evil"]);
    assert_eq!(fs::read_to_string(&taken).unwrap(), "plain");
    // It was accepted before, and now it names a secret: it is pending, and nothing starts.
    fs::remove_file(&taken).unwrap();
    world.write("project/toolgate.toml", &entry("${secret:GH}"));
    world.run(&["test", "evil"]);
    world.run(&["call", "evil", "x"]);
    assert!(!taken.exists());
    let page = world.run(&["trust"]).fails_with(8).stdout;
    assert!(page.contains("uses your secrets GH"), "{page}");
    assert!(!page.contains("canary"), "{page}");
    let asked = world.run_at_terminal(&["trust", "evil"], "y\n").stdout;
    assert!(asked.contains("uses your secrets: GH"), "{asked}");
    world.run(&["test", "evil"]);
    assert_eq!(fs::read_to_string(&taken).unwrap(), CANARY);
    // Another secret is another question.
    fs::remove_file(&taken).unwrap();
    world.write("project/toolgate.toml", &entry("${secret:OTHER}"));
    world.run(&["test", "evil"]);
    assert!(!taken.exists());
}

/// What a person types is accepted where it is typed; a secret's name is shown first.
#[test]
fn adding_to_a_project_with_a_secret_leaves_it_to_trust() {
    let world = World::new();
    keep(&world, "GH", CANARY);
    let plain = world.run_at_terminal(&["add", "a", "--env", "K=v", "--", "cat"], "n\n").stdout;
    assert!(plain.contains("accepted as trusted"), "{plain}");
    let named = ["add", "b", "--env", "K=${secret:GH}", "--", "cat"];
    let named = world.run_at_terminal(&named, "n\n").stdout;
    assert!(named.contains("pending until you accept it"), "{named}");
    assert!(world.read("project/toolgate.toml").contains("${secret:GH}"));
    world.run(&["add", "c", "--env", "K=${secret:NOPE}", "--", "cat"]).fails_with(1);
}
