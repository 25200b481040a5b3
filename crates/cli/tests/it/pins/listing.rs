//! `pins`, `pins list` and `pins diff`: what is pinned, what changed, and nothing hidden in it.

use serde_json::json;

use super::{changed, is_plain, states, tool, update, world_with};
use crate::support::World;

#[test]
fn what_was_first_listed_is_pinned() {
    let world = World::new();
    let nothing = "nothing is pinned yet; tools are when their server is first listed\n";
    assert_eq!(world.run(&["pins"]).ok().stdout, nothing);
    assert_eq!(world.run(&["pins", "list", "--json"]).ok().json()["pins"], json!([]));
    let world = world_with(&[&tool("read", "Reads"), &tool("write", "Writes")]);
    let shown = world.run(&["pins"]).ok().stdout;
    assert_eq!(world.run(&["pins", "list"]).ok().stdout, shown);
    let rows: Vec<Vec<&str>> =
        shown.lines().map(|line| line.split_whitespace().take(4).collect()).collect();
    assert_eq!(rows[0], ["server", "tool", "state", "by"]);
    assert_eq!(
        rows[1..],
        [["files", "read", "accepted", "first"], ["files", "write", "accepted", "first"]]
    );
    let pin = world.run(&["pins", "list", "--json"]).ok().json()["pins"][0].clone();
    assert!(pin["acceptedAt"].as_str().unwrap().ends_with('Z'), "{pin}");
    assert_eq!((&pin["named"], &pin["ofProject"]), (&json!(false), &json!(false)));
    assert!(pin.get("severity").is_none(), "{pin}");
    let same = "every tool is as it was accepted, as far as its server was seen\n";
    assert_eq!(world.run(&["pins", "diff"]).ok().stdout, same);
    assert_eq!(world.run(&["pins", "diff", "files", "--json"]).ok().json()["changed"], json!([]));
}

/// Shows: E-6, P11-11.
#[test]
fn rug_pulls_what_changed_is_shown_with_how_grave_it_is() {
    let world = world_with(&[&tool("read", "Reads"), &tool("write", "Writes")]);
    let flipped = tool("read", "Reads and sends")
        .replace(r#""inputSchema""#, r#""annotations":{"destructiveHint":true},"inputSchema""#);
    update(&world, &[&flipped, &tool("write", "Writes"), &tool("more", "More")]);
    assert_eq!(states(&world), ["more accepted new", "read changed first", "write accepted first"]);
    let shown = world.run(&["pins"]).ok().stdout;
    assert!(shown.contains("changed (danger)"), "{shown}");
    insta::assert_snapshot!(world.run(&["pins", "diff"]).ok().stdout, @r#"
    files/read
      danger
      annotations (danger)
      + {"destructiveHint":true}
      description (wording)
      - Reads
      + Reads and sends
    "#);
    let json = changed(&world);
    assert_eq!(
        json,
        json!({
            "server": "files", "tool": "read", "severity": "danger", "more": 0,
            "changes": [
                {"place": "annotations", "before": null, "after": r#"{"destructiveHint":true}"#, "severity": "danger"},
                {"place": "description", "before": "Reads", "after": "Reads and sends", "severity": "wording"},
            ],
        })
    );
    // What the person is not asked about stays as it was.
    assert_eq!(world.run(&["tools", "--json"]).ok().stdout.matches("Reads and sends").count(), 0);
    let ran = world.run(&["call", "files", "read"]).fails_with(6);
    assert!(ran.stderr.contains("no_channel"), "{ran:?}");
    world.run(&["call", "files", "write"]).ok();
}

#[test]
fn what_is_hidden_in_a_change_is_written_out_and_nothing_raw_reaches_a_terminal() {
    let evil = "a\u{1b}]0;x\u{7}\u{1b}[2J\u{202e}\u{200b}\u{e0041}\r";
    let world = world_with(&[&tool("read", "Reads")]);
    // The name of a tool and the names of members are its server's words too.
    let name = serde_json::to_string(&format!("x{evil}")).unwrap();
    let odd = format!(r#"{{"name":{name},"description":"1"}}"#);
    update(&world, &[&tool("read", "Reads"), &odd]);
    let member = odd.replace("}", &format!(",{name}:{{{name}:{name}}}}}"));
    update(&world, &[&tool("read", &format!("Reads{evil}")), &member]);
    for verb in
        [&["pins"][..], &["pins", "diff"], &["pins", "list", "--json"], &["pins", "diff", "--json"]]
    {
        let ran = world.run_at_terminal(verb, "").ok();
        is_plain(&ran.stdout);
        let escaped = if verb.contains(&"--json") { "\\u202e" } else { "\\u{202e}" };
        assert!(ran.stdout.contains(escaped), "{verb:?}: {ran:?}");
    }
    for verb in ["list", "diff"] {
        is_plain(&world.run(&["pins", verb]).ok().stdout);
    }
    // Accepted it is shown in no other way.
    let ran = world.run_at_terminal(&["pins", "accept", "files"], "n\nn\n").fails_with(8);
    is_plain(&ran.stdout);
    assert_eq!(ran.stdout.matches("[y/N]").count(), 2, "{ran:?}");
    // A program gets what was sent.
    let pins = world.run(&["pins", "list", "--json"]).ok().json();
    assert_eq!(pins["pins"][1]["tool"], format!("x{evil}"));
}

#[test]
fn a_server_that_is_not_there_is_said_so() {
    let world = world_with(&[&tool("read", "Reads")]);
    let ran = world.run(&["pins", "diff", "no\u{1b}pe"]).fails_with(1);
    assert!(ran.stderr.contains("MCP server not found: no\\u{1b}pe"), "{ran:?}");
    let ran = world.run(&["pins", "--config", "nowhere.toml"]).fails_with(1);
    assert!(ran.stderr.contains("nowhere.toml"), "{ran:?}");
}

/// One of a project is pinned by its folder: the same words elsewhere are another server's.
#[test]
fn what_another_project_pinned_is_not_shown_here() {
    let world = super::cloned(&super::having(&[&tool("read", "Reads")]));
    world.run_at_terminal(&["trust", "--trusted"], "y\n").ok();
    world.run(&["tools"]).ok();
    assert_eq!(states(&world), ["read accepted first"]);
    let elsewhere = world.home().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::copy(world.project().join("toolgate.toml"), elsewhere.join("toolgate.toml")).unwrap();
    let output = world.command(&["pins"]).current_dir(&elsewhere).output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("nothing is pinned yet"));
}
