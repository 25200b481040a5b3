//! `token`: made and shown once, listed without itself, ended by its name.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::support::World;

const STATE: &str = "home/.local/state/toolgate";

fn is_token(text: &str) -> bool {
    text.strip_prefix("tgt_").is_some_and(|random| {
        random.len() == 43
            && random.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_'))
    })
}

/// Makes a token and answers it.
fn made(world: &World, arguments: &[&str]) -> String {
    let ran = world.run(&[&["token", "create"], arguments].concat()).ok();
    let token = ran.stdout.trim_end().to_owned();
    assert!(is_token(&token), "{ran:?}");
    token
}

fn tokens(world: &World) -> Vec<serde_json::Value> {
    let json = world.run(&["token", "list", "--json"]).ok().json();
    assert_eq!(json["schemaVersion"], 1);
    json["tokens"].as_array().unwrap().clone()
}

/// Text without what differs from run to run: times and the room they are given.
fn steady(text: &str) -> String {
    let is_time = |word: &str| word.len() == 20 && word.ends_with('Z');
    let word = |word: &str| if is_time(word) { "<time>".to_owned() } else { word.to_owned() };
    let line = |line: &str| line.split_whitespace().map(word).collect::<Vec<_>>().join(" ");
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let found = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    found.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn a_token_is_printed_once_alone_with_a_word_on_how_to_use_it() {
    let world = World::new();
    let ran = world.run(&["token", "create", "ci"]).ok();
    let token = ran.stdout.strip_suffix('\n').unwrap();
    assert!(is_token(token), "{ran:?}");
    assert!(!ran.stderr.contains(token));
    insta::assert_snapshot!(ran.stderr, @"
    made token `ci`; it does not expire. It is shown this once.
    A client sends it as the header `Authorization: Bearer <token>`.
    ");
    let quiet = world.run(&["-q", "token", "create", "quiet"]).ok();
    assert!(is_token(quiet.stdout.trim_end()), "{quiet:?}");
    assert_eq!(quiet.stderr, "");
    world.write(World::GLOBAL, "[roles.a]\n[roles.b]\n");
    let arguments = ["token", "create", "j", "--json", "--role", "b", "--role", "a"];
    let json = world.run(&arguments).ok().json();
    assert!(is_token(json["token"].as_str().unwrap()));
    assert_eq!(json["schemaVersion"], 1);
    assert_eq!(json["name"], "j");
    assert_eq!(json["roles"], serde_json::json!(["a", "b"]));
    assert_eq!(json["expiresAt"], serde_json::Value::Null);
}

#[test]
fn tokens_are_listed_with_what_they_may_do_and_whether_they_count() {
    let world = World::new();
    assert_eq!(world.run(&["token", "list"]).ok().stdout, "there are no tokens\n");
    assert!(!world.exists(STATE), "looking makes nothing");
    world.write(
        World::GLOBAL,
        "[gateway.clients.cursor]\nnaming = \"dotted\"\n[roles.reviewer]\n[roles.dev]\n",
    );
    made(&world, &["ci", "--role", "reviewer", "--role", "dev", "--expires", "30d"]);
    made(&world, &["laptop", "--client", "cursor", "--forms"]);
    made(&world, &["old", "--expires", "2200-01-31T12:00:00Z"]);
    world.run(&["token", "revoke", "old"]).ok();
    insta::assert_snapshot!(steady(&world.run(&["token", "list"]).ok().stdout), @"
    name state roles client forms mine created expires
    ci active dev,reviewer - - - <time> <time>
    laptop active any cursor yes - <time> never
    old revoked any - - - <time> <time>
    ");
    let tokens = tokens(&world);
    assert_eq!(tokens[0]["roles"], serde_json::json!(["dev", "reviewer"]));
    assert_eq!(tokens[1]["roles"], serde_json::Value::Null);
    assert_eq!(tokens[1]["client"], "cursor");
    assert_eq!((&tokens[2]["state"], &tokens[2]["kind"]), (&"revoked".into(), &"client".into()));
    assert_eq!(tokens[2]["expiresAt"], "2200-01-31T12:00:00Z");
    assert!(tokens[2]["revokedAt"].is_string());
}

#[test]
fn a_token_is_nowhere_in_clear_once_it_was_shown() {
    let world = World::new();
    let mut made = vec![made(&world, &["ci"])];
    let json = world.run(&["token", "create", "j", "--json", "--log-level", "trace", "-v"]).ok();
    made.push(json.json()["token"].as_str().unwrap().to_owned());
    let said: String = [&["token", "list"][..], &["token", "list", "--json"], &["audit"]]
        .map(|arguments| world.run(arguments).ok())
        .map(|ran| ran.stdout + &ran.stderr)
        .concat();
    let kept = files(&world.home());
    assert!(kept.iter().any(|file| file.ends_with("state.db")), "{kept:?}");
    for token in &made {
        let random = &token[4..];
        assert!(!said.contains(random) && !json.stderr.contains(random));
        for file in &kept {
            let bytes = fs::read(file).unwrap();
            let holds = bytes.windows(random.len()).any(|window| window == random.as_bytes());
            assert!(!holds, "{}", file.display());
        }
    }
}

#[test]
fn a_name_is_one_tokens_until_it_is_revoked() {
    let world = World::new();
    let first = made(&world, &["ci"]);
    let ran = world.run(&["token", "create", "ci"]).fails_with(1);
    assert_eq!(ran.stdout, "");
    insta::assert_snapshot!(ran.stderr, @"
    error: there is already a token `ci`
    Choose another name, or revoke that token first.
    ");
    let ran = world.run(&["mcp", "token", "revoke", "ci"]).ok();
    assert_eq!(ran.stdout, "");
    insta::assert_snapshot!(ran.stderr, @"revoked token `ci`; a running gateway refuses it within 2 seconds");
    let ran = world.run(&["token", "revoke", "ci"]).fails_with(1);
    insta::assert_snapshot!(ran.stderr, @"
    error: there is no such token: ci
    see `toolgate token list`
    ");
    assert_ne!(made(&world, &["ci"]), first);
    let states: Vec<_> = tokens(&world).iter().map(|token| token["state"].clone()).collect();
    assert_eq!(states, ["revoked", "active"]);
}

#[test]
fn what_cannot_be_meant_is_wrong_usage_and_makes_nothing() {
    let world = World::new();
    for wrong in [
        &["a b"][..],
        &[""],
        &["default"],
        &["ci", "--role", "a,b"],
        &["ci", "--client", ""],
        &["ci", "--expires", "soon"],
        &["ci", "--expires", "0d"],
        &["ci", "--expires", "2020-01-01T00:00:00Z"],
    ] {
        let ran = world.run(&[&["token", "create"], wrong].concat()).fails_with(2);
        assert_eq!(ran.stdout, "", "{wrong:?}");
    }
    world.run(&["token"]).fails_with(2);
    world.run(&["token", "revoke", "a b"]).fails_with(2);
    assert!(tokens(&world).is_empty());
}

#[test]
fn client_settings_that_do_not_exist_yet_are_a_warning() {
    let world = World::new();
    let ran = world.run(&["token", "create", "ci", "--client", "cursor"]).ok();
    assert!(is_token(ran.stdout.trim_end()), "{ran:?}");
    assert!(ran.stderr.contains("no settings `[gateway.clients.cursor]`"), "{ran:?}");
    world.write(World::GLOBAL, "[gateway.clients.cursor]\nnaming = \"dotted\"\n");
    let ran = world.run(&["token", "create", "other", "--client", "cursor"]).ok();
    assert!(!ran.stderr.contains("warning"), "{ran:?}");
}

#[test]
fn of_several_that_make_a_token_of_one_name_at_once_one_does() {
    let world = World::new();
    let begin = || {
        let mut command = world.command(&["token", "create", "ci"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let running: Vec<_> = (0..6).map(|_| begin()).collect();
    let ended: Vec<_> = running.into_iter().map(|run| run.wait_with_output().unwrap()).collect();
    let made = ended.iter().filter(|run| run.status.success()).count();
    assert_eq!(made, 1, "{ended:?}");
    let taken = |stderr: &[u8]| String::from_utf8_lossy(stderr).contains("already a token `ci`");
    assert_eq!(ended.iter().filter(|run| taken(&run.stderr)).count(), 5, "{ended:?}");
    assert_eq!(tokens(&world).len(), 1);
}

#[test]
fn where_state_cannot_be_kept_no_token_is_shown() {
    let world = World::new();
    // A file in the way: that stops root too, whom modes do not.
    world.write(STATE, "mine");
    for verb in [&["token", "create", "ci"][..], &["token", "revoke", "ci"], &["token", "list"]] {
        let ran = world.run(verb).fails_with(1);
        assert_eq!(ran.stdout, "");
        assert!(ran.stderr.contains("cannot keep state in"), "{ran:?}");
    }
    assert_eq!(world.read(STATE), "mine");
}

#[test]
fn every_verb_has_help_with_an_example() {
    let world = World::new();
    for verb in [&["token"][..], &["token", "create"], &["token", "list"], &["token", "revoke"]] {
        let help = world.run(&[verb, &["--help"]].concat()).ok().stdout;
        assert!(help.contains("Example"), "{help}");
    }
}
