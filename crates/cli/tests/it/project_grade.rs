//! What a project's file, flag or variable may not do, whichever way it comes in.

use crate::support::World;

const SETTINGS: [(&str, &str); 5] = [
    ("gateway", "[gateway]\nauth = \"none\"\n"),
    ("audit", "[audit]\narguments = true\n"),
    ("approval", "[approval]\ntimeout_ms = 1\n"),
    ("limits", "[limits]\nsessions = 1\n"),
    ("profile", "profile = \"standard\"\n"),
];

#[test]
fn a_project_cannot_set_the_rules_it_is_judged_by() {
    for (name, text) in SETTINGS {
        let reason = format!("a project cannot set `{name}`");
        let discovered = World::new();
        discovered.write("project/toolgate.toml", text);
        let ran = discovered.run(&["config", "check"]).fails_with(1);
        assert!(ran.stdout.contains(&reason), "{ran:?}");

        let by_variable = World::new().with("TOOLGATE_CONFIG", "sub/other.toml");
        by_variable.write("project/sub/other.toml", text);
        let ran = by_variable.run(&["config", "check"]).fails_with(1);
        assert!(ran.stdout.contains(&reason), "{ran:?}");

        let by_flag = World::new();
        by_flag.write("project/other.toml", text);
        let ran = by_flag.run(&["--config", "other.toml", "config", "check"]).fails_with(1);
        assert!(ran.stdout.contains(&reason), "{ran:?}");
    }
    let inline = World::new().with("TOOLGATE_CONFIG_JSON", r#"{"gateway":{"auth":"none"}}"#);
    let ran = inline.run(&["config", "check"]).fails_with(1);
    assert!(ran.stdout.contains("a project cannot set `gateway`"), "{ran:?}");
}

#[test]
fn a_file_named_by_a_variable_or_inline_is_pending_too() {
    let text = "[servers.a]\ncommand = \"x\"\ntrust = \"trusted\"\n";
    let by_variable = World::new().with("TOOLGATE_CONFIG", "other.toml");
    by_variable.write("project/other.toml", text);
    assert!(by_variable.run(&["list"]).ok().stdout.contains("pending"));
    let inline = World::new()
        .with("TOOLGATE_CONFIG_JSON", r#"{"servers":{"a":{"command":"x","trust":"trusted"}}}"#);
    assert!(inline.run(&["list"]).ok().stdout.contains("pending"));
}

#[test]
fn a_link_to_the_persons_own_file_does_not_make_a_project_trusted() {
    let world = World::new();
    world.write("home/elsewhere.toml", "[servers.a]\ncommand = \"x\"\n");
    let link = world.project().join("toolgate.toml");
    std::os::unix::fs::symlink(world.home().join("elsewhere.toml"), link).unwrap();
    assert!(world.run(&["list"]).ok().stdout.contains("pending"));
}

#[test]
fn a_deny_of_the_global_layer_survives_a_project_entry_of_the_same_id() {
    let world = World::new();
    world.write(
        World::GLOBAL,
        "[servers.a]\ncommand = \"x\"\ndisabled_tools = [\"drop_*\"]\n\n[policy]\ndeny_tools = [\"rm\"]\n",
    );
    world.write(
        "project/toolgate.toml",
        "[servers.a]\ncommand = \"y\"\n\n[policy]\nallow_tools = [\"rm\"]\n",
    );
    let shown = world.run(&["config", "show", "--json"]).ok().json();
    assert_eq!(shown["servers"]["a"]["value"]["command"], "y");
    assert_eq!(shown["servers"]["a"]["value"]["disabled_tools"], serde_json::json!(["drop_*"]));
    let denies: Vec<_> =
        shown["policies"].as_array().unwrap().iter().map(|p| &p["value"]).collect();
    assert_eq!(denies[0]["deny_tools"], serde_json::json!(["rm"]));
}
