//! `audit`: every call that was made here, found again, shown whole, and proven unchanged.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use toolgate_testkit::{Act, Script};

use crate::support::{World, served, without_reference};

fn offering() -> Script {
    let tools =
        r#"{"tools":[{"name":"good"},{"name":"bad"},{"name":"slow"},{"name":"odd\u202e"}]}"#;
    Script::legacy()
        .on("tools/list", [Act::answer(tools)])
        .on_call("good", [Act::say("fine")])
        .on_call("odd\u{202e}", [Act::say("fine")])
        .on_call("slow", [Act::hold("never")])
        .on_call("bad", [Act::answer(r#"{"content":[],"isError":true}"#)])
}

/// A world in which three calls were made: one that went well, one that did not, one refused. Each
/// has one row.
fn used() -> World {
    let world = World::new();
    world.write(World::GLOBAL, "[audit]\ndurability = \"async\"\n");
    world.local("s", &offering());
    world.local_with("t", &offering(), "");
    world.run(&["call", "s", "good", "a=1"]).ok();
    world.run(&["call", "s", "bad"]).fails_with(5);
    world.run(&["call", "t", "good"]).fails_with(6);
    world
}

fn calls(world: &World, arguments: &[&str]) -> Vec<serde_json::Value> {
    let json = world.run(&[&["audit", "--json"], arguments].concat()).ok().json();
    json["calls"].as_array().unwrap().clone()
}

/// Each call as `server/tool outcome`.
fn found(world: &World, arguments: &[&str]) -> Vec<String> {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or("-").to_owned();
    let shown = |call: &serde_json::Value| {
        format!("{}/{} {}", text(&call["server"]), text(&call["tool"]), text(&call["outcome"]))
    };
    calls(world, arguments).iter().map(shown).collect()
}

/// Text without what differs from run to run: times, durations and references.
fn steady(text: &str) -> String {
    let text = without_reference(text);
    let word = |word: &str| match word {
        time if time.len() == 20 && time.ends_with('Z') => "<time>".to_owned(),
        took if took.starts_with(|c: char| c.is_ascii_digit()) && took.ends_with('s') => {
            "<took>".to_owned()
        }
        other => other.to_owned(),
    };
    let line = |line: &str| line.split_whitespace().map(word).collect::<Vec<_>>().join(" ");
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_call_is_a_line_with_the_newest_last() {
    let world = World::new();
    assert_eq!(world.run(&["audit"]).ok().stdout, "no such call was recorded\n");
    assert!(!world.exists("home/.local/state/toolgate"), "looking makes nothing");
    let world = used();
    insta::assert_snapshot!(steady(&world.run(&["audit"]).ok().stdout), @"
    time outcome call took principal ref code
    <time> done s/good <took> local <ref>
    <time> tool_error s/bad <took> local <ref>
    <time> failed t/good <took> local <ref> permission_denied
    ");
    let json = world.run(&["mcp", "audit", "--json", "--limit", "1"]).ok().json();
    assert_eq!(json["schemaVersion"], 1);
    let call = &json["calls"][0];
    assert_eq!(call["outcome"], "failed");
    assert_eq!(call["code"], "permission_denied");
    assert_eq!(call["principal"], "local");
}

#[test]
fn calls_are_found_by_what_they_were() {
    let world = used();
    assert_eq!(found(&world, &[]), ["s/good done", "s/bad tool_error", "t/good failed"]);
    assert_eq!(found(&world, &["--server", "t"]), ["t/good failed"]);
    assert_eq!(found(&world, &["--tool", "good"]), ["s/good done", "t/good failed"]);
    assert_eq!(found(&world, &["--outcome", "tool_error"]), ["s/bad tool_error"]);
    assert_eq!(found(&world, &["--grep", "no_channel"]), ["t/good failed"]);
    assert_eq!(found(&world, &["--limit", "2"]), ["s/bad tool_error", "t/good failed"]);
    assert_eq!(found(&world, &["--since", "1h"]).len(), 3);
    assert!(found(&world, &["--since", "2200-01-01T00:00:00Z"]).is_empty());
    assert!(found(&world, &["--session", "none"]).is_empty());
    for wrong in [&["--since", "yesterday"][..], &["--limit", "0"], &["verify", "--head", "7"]] {
        world.run(&[&["audit"], wrong].concat()).fails_with(2);
    }
}

#[test]
fn hidden_text_in_a_name_is_seen() {
    let world = World::new();
    world.local("s", &offering());
    world.run(&["call", "s", "odd\u{202e}"]).ok();
    let ran = world.run(&["audit"]).ok();
    assert!(ran.stdout.contains("s/odd\\u{202e}"), "{ran:?}");
}

#[test]
fn one_call_is_shown_whole_by_the_reference_of_its_error() {
    let world = used();
    let refused = world.run(&["call", "t", "good", "--json"]).fails_with(6).json();
    let reference = refused["error"]["correlationId"].as_str().unwrap().to_owned();
    let shown = world.run(&["audit", "show", &reference]).ok().stdout;
    for words in ["end", "t", "permission_denied", "\"decision\": \"ask\"", "a person is asked"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert!(shown.contains("<world>/project"), "the caller's folder: {shown}");
    let json = world.run(&["audit", "show", &reference, "--json"]).ok().json();
    assert_eq!(json["schemaVersion"], 1);
    assert_eq!(json["correlationId"], reference.as_str());
    let (asked, row) = (&json["rows"][0], &json["rows"][1]);
    assert_eq!((&asked["kind"], &asked["outcome"]), (&"decision".into(), &"denied".into()));
    assert_eq!((&row["kind"], &row["body"]["decision"]), (&"end".into(), &"ask".into()));
    let ran = world.run(&["audit", "show", "nope"]).fails_with(1);
    assert!(ran.stderr.contains("no call was recorded as `nope`"), "{ran:?}");
}

#[test]
fn a_whole_log_has_a_head_and_a_changed_one_names_the_row() {
    let world = used();
    let whole = world.run(&["audit", "verify"]).ok().stdout;
    let head = whole.trim().strip_prefix("whole: 4 rows, head ").unwrap().to_owned();
    world.run(&["audit", "verify", "--head", &head]).ok();
    world.run(&["call", "s", "good"]).ok();
    // An earlier head still lies on the way; another log's does not.
    world.run(&["audit", "verify", "--head", &head]).ok();
    let other = format!("4:{}", "0".repeat(64));
    world.run(&["audit", "verify", "--head", &other]).fails_with(1);
    // As it was written before there were times in it.
    let older = head.split(':').take(2).collect::<Vec<_>>().join(":");
    world.run(&["audit", "verify", "--head", &older]).ok();
    let json = world.run(&["audit", "verify", "--json"]).ok().json();
    assert_eq!((&json["isWhole"], &json["rows"]), (&true.into(), &5.into()));

    let path = world.home().join(".local/state/toolgate/state.db");
    let mut bytes = std::fs::read(&path).unwrap();
    let (from, to) = (b"tool_error", b"tool_fine!");
    let mut place = 0;
    while place + from.len() <= bytes.len() {
        if bytes[place..].starts_with(from) {
            bytes[place..place + to.len()].copy_from_slice(to);
        }
        place += 1;
    }
    std::fs::write(&path, bytes).unwrap();
    let broken = world.run(&["audit", "verify"]).fails_with(1).stdout;
    assert!(broken.starts_with("broken at row 2: "), "{broken}");
    let json = world.run(&["audit", "verify", "--json"]).fails_with(1).json();
    assert_eq!((&json["isWhole"], &json["brokenAt"]), (&false.into(), &2.into()));
}

#[test]
fn an_export_is_lines_of_json_with_the_head_as_the_last() {
    let world = used();
    let export = world.run(&["audit", "export"]).ok().stdout;
    let lines: Vec<serde_json::Value> =
        export.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (end, rows) = lines.split_last().unwrap();
    let outcomes: Vec<_> = rows.iter().map(|row| row["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["done", "tool_error", "denied", "failed"]);
    assert_eq!((&end["schemaVersion"], &end["rows"]), (&1.into(), &4.into()));
    let head = end["head"].as_str().unwrap();
    let (hash, at, first_at) =
        (rows[3]["hash"].as_str().unwrap(), &rows[3]["atMillis"], &rows[0]["atMillis"]);
    assert_eq!(head, format!("4:{hash}:{at}:1:{first_at}"));
    world.run(&["audit", "verify", "--head", head]).ok();
    let none = world.run(&["audit", "export", "--since", "2200-01-01T00:00:00Z"]).ok().json();
    assert_eq!((&none["rows"], none["head"].as_str()), (&0.into(), Some(head)));
    let none = World::new().run(&["audit", "export"]).ok().json();
    assert_eq!((&none["rows"], &none["head"]), (&0.into(), &serde_json::Value::Null));
}

#[test]
fn a_call_runs_as_long_as_its_host_does_and_is_aborted_when_that_was_killed() {
    let (runtime, site) = served(offering());
    let world = World::new();
    world.write(World::GLOBAL, "[audit]\ndurability = \"before_call\"\n");
    world.server("s", &format!("approval = \"approve\"\nurl = {:?}", site.url("/mcp")));
    world.run(&["call", "s", "good"]).ok();
    let mut child = world.command(&["call", "s", "slow"]).spawn().unwrap();
    runtime.block_on(site.visited(|visit| visit.body.contains("\"slow\"")));
    assert_eq!(found(&world, &[]), ["s/good done", "s/slow -"]);
    let ran = world.run(&["audit"]).ok();
    assert!(ran.stdout.contains("running or lost  s/slow"), "{ran:?}");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(found(&world, &[]), ["s/good done", "s/slow aborted"]);
    world.run(&["audit", "verify"]).ok();
    // A call with two rows counts once.
    assert_eq!(found(&world, &["--limit", "2"]).len(), 2);
    assert_eq!(found(&world, &["--limit", "1", "--tool", "good"]), ["s/good done"]);
}

#[test]
fn a_follower_sees_calls_as_they_end() {
    let world = used();
    let mut command = world.command(&["audit", "--follow", "--json", "--limit", "1"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next =
        || -> serde_json::Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next()["outcome"], "failed");
    world.run(&["call", "s", "bad"]).fails_with(5);
    let call = next();
    assert_eq!((&call["schemaVersion"], &call["outcome"]), (&1.into(), &"tool_error".into()));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn what_must_be_recorded_first_and_cannot_be_is_not_done() {
    let (_runtime, site) = served(offering());
    let world = World::new().with("XDG_STATE_HOME", "/proc/no-such-folder");
    world.write(World::GLOBAL, "[audit]\ndurability = \"before_call\"\n");
    world.server("s", &format!("approval = \"approve\"\nurl = {:?}", site.url("/mcp")));
    let ran = world.run(&["call", "s", "good"]).fails_with(1);
    assert!(ran.stderr.contains("what cannot be recorded is not done"), "{ran:?}");
    assert!(site.visits().is_empty());
    world.run(&["tools"]).ok();
}

/// Text without what differs from run to run, hashes among them.
fn steady_verdict(text: &str) -> String {
    let text = steady(text);
    let word = |word: &str| match word.trim_end_matches(';') {
        time if time.len() == 20 && time.ends_with('Z') => word.replace(time, "<time>"),
        head if head.len() > 40 && head.contains(':') => "<head>".to_owned(),
        _ => word.to_owned(),
    };
    let line = |line: &str| line.split(' ').map(word).collect::<Vec<_>>().join(" ");
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Three calls, of which the last run keeps what fits.
fn pruned() -> World {
    let world = used();
    world.write(
        World::GLOBAL,
        &world.read(World::GLOBAL).replace("durability", "retention_bytes = 10\ndurability"),
    );
    world.run(&["call", "s", "good"]).ok();
    world
}

#[test]
fn what_was_taken_away_is_said_with_its_rule() {
    let world = pruned();
    let verdict = world.run(&["audit", "verify"]).ok().stdout;
    insta::assert_snapshot!(steady_verdict(&verdict), @"
    whole: 2 rows, head <head>
    pruned: 4 rows, 1 to 4, until <time>; by size, at most 10 bytes; on <time> says row 5
    ");
    let json = world.run(&["audit", "verify", "--json"]).ok().json();
    let pruning = &json["prunings"][0];
    assert_eq!((&json["isWhole"], &json["prunedTo"]), (&true.into(), &pruning["last"]));
    assert_eq!((&pruning["rule"], &pruning["maxBytes"]), (&"size".into(), &10.into()));
    assert_eq!((&pruning["first"], &pruning["rows"]), (&1.into(), &pruning["last"]));
    assert!(found(&world, &[]).iter().all(|call| !call.contains("pruned")), "no call");
    let shown = world.run(&["audit", "show", "pruning"]).ok().stdout;
    assert!(shown.contains("\"rule\": \"size\""), "{shown}");
}

#[test]
fn a_head_from_before_a_pruning_is_compared_as_far_as_it_can_be() {
    let world = used();
    let head = world.run(&["audit", "verify", "--json"]).ok().json()["head"].clone();
    let head = head.as_str().unwrap();
    world.write(
        World::GLOBAL,
        &world.read(World::GLOBAL).replace("durability", "retention_bytes = 10\ndurability"),
    );
    world.run(&["call", "s", "good"]).ok();
    // Exactly the last that went: its hash is in the record.
    world.run(&["audit", "verify", "--head", head]).ok();
    world.run(&["call", "s", "good"]).ok();
    let ran = world.run(&["audit", "verify", "--head", head]).fails_with(1);
    assert!(ran.stderr.contains("row 4 was taken away, so the head you gave cannot be"), "{ran:?}");
    let json = world.run(&["audit", "verify", "--json", "--head", head]).fails_with(1).json();
    assert!(json["notShown"].as_str().unwrap().contains("row 4"), "{json}");
    assert_eq!(json["isWhole"], true);
}

/// A rule that was stricter once is the person's word, and has to be said.
#[test]
fn what_went_by_a_stricter_rule_than_is_configured_is_not_whole() {
    let world = pruned();
    let text = world.read(World::GLOBAL).replace("retention_bytes = 10\n", "");
    world.write(World::GLOBAL, &text);
    let ran = world.run(&["audit", "verify"]).fails_with(1);
    assert!(ran.stdout.contains("to keep 10 bytes, and 1073741824 are to be kept"), "{ran:?}");
    world.run(&["audit", "verify", "--retention-bytes", "10"]).ok();
    world.run(&["audit", "verify", "--retention-bytes", "11"]).fails_with(1);
}

/// Whatever was typed, and however far it came.
#[test]
fn what_never_reaches_a_server_is_recorded_too() {
    let world = World::new();
    world.local("s", &offering());
    world.server("gone", "command = \"sh\"\nargs = [\"-c\", \"exit 3\"]");
    world.server("off", "command = \"sh\"\nenabled = false");
    world.server("there", "url = \"http://127.0.0.1:1/mcp\"");
    world.write("project/toolgate.toml", "[servers.cloned]\ncommand = \"sh\"\n");
    let tried: [(&[&str], i32, &str); 8] = [
        (&["call", "gone", "x"], 4, "gone/x unavailable"),
        (&["call", "there", "x"], 4, "there/x unavailable"),
        (&["call", "nope", "x"], 1, "nope/x not_found"),
        (&["call", "no.pe", "x"], 1, "-/no.pe/x not_found"),
        (&["call", "off", "x"], 1, "off/x unavailable"),
        (&["call", "cloned", "x"], 8, "cloned/x permission_denied"),
        (&["call", "s", "absent"], 1, "s/absent not_found"),
        (&["resources", "read", "gone", "file:///a"], 4, "gone/file:///a unavailable"),
    ];
    for (arguments, code, record) in tried {
        world.run(arguments).fails_with(code);
        let call = calls(&world, &["--limit", "1"]).remove(0);
        let text = |key: &str| call[key].as_str().unwrap_or("-").to_owned();
        assert_eq!(format!("{}/{} {}", text("server"), text("tool"), text("code")), record);
        assert_eq!(text("outcome"), "failed", "{arguments:?}");
    }
    assert_eq!(calls(&world, &[]).len(), tried.len());
    let json = world.run(&["call", "gone", "x", "--json"]).fails_with(4).json();
    let reference = json["error"]["correlationId"].as_str().unwrap();
    world.run(&["audit", "show", reference]).ok();
    world.run(&["audit", "verify"]).ok();
}
