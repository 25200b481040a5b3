//! The layers and what comes of them: who wins, what is replaced, what stands when a part is bad.

mod strict;

use serde_json::json;
use toolgate_types::{ConfigSource, EntryKind, Layer, LayerGrade};

use crate::support::{Found, World, project_toml};

/// The same server in every layer, told apart by its URL.
fn url(layer: &str) -> String {
    format!("https://{layer}.example.com/mcp")
}

fn everywhere() -> World {
    World::new()
        .global(&format!("[servers.s]\nurl = \"{}\"\nlabel = \"global\"\n", url("global")))
        .file("toolgate.toml", format!("[servers.s]\nurl = \"{}\"\n", url("file")))
        .env(
            "TOOLGATE_CONFIG_JSON",
            json!({ "servers": { "s": { "url": url("env") } } }).to_string(),
        )
        .overrides(json!({ "servers": { "s": { "url": url("runtime") } } }))
}

/// Shows: S0-1, S0-9, S0-47, C3.
#[test]
fn overrides_beat_inline_json_which_beats_the_file_which_beats_the_global_one() {
    let winner = |world: &World| world.load_clean().remote("s").endpoint.shown();
    let world = everywhere();
    assert_eq!(winner(&world), url("runtime"));
    let world = world.overrides(json!({}));
    assert_eq!(winner(&world), url("env"));
    let world = world.env("TOOLGATE_CONFIG_JSON", "");
    assert_eq!(winner(&world), url("file"));
    let world = world.file("toolgate.toml", "");
    assert_eq!(winner(&world), url("global"));
}

/// Shows: S0-15.
#[test]
fn the_result_lists_its_sources_low_to_high() {
    let world = everywhere();
    let loaded = world.load_clean();
    let sources: Vec<_> = loaded
        .sources
        .iter()
        .map(|loaded| (loaded.layer, loaded.grade, (*loaded.source).clone()))
        .collect();
    let file = |path: &str| ConfigSource::File(world.project().join(path));
    let global = ConfigSource::File(world.home().join(".config/toolgate/config.toml"));
    assert_eq!(
        sources,
        [
            (Layer::Global, LayerGrade::Person, global),
            (Layer::Project, LayerGrade::Project, file("toolgate.toml")),
            (Layer::Environment, LayerGrade::Project, ConfigSource::Env("TOOLGATE_CONFIG_JSON")),
            (Layer::Runtime, LayerGrade::Person, ConfigSource::Overrides),
        ]
    );
}

/// Shows: S0-15, S1-29.
#[test]
fn a_whole_entry_is_replaced_and_nothing_merged_inside_it() {
    let world = World::new()
        .global(
            "[servers.s]\nurl = \"https://example.com/mcp\"\nlabel = \"mine\"\ntrust = \"trusted\"\n\
             headers = { X-A = \"1\" }\n[bundles.b]\nserver = \"s\"\nmode = \"meta\"\nallow_tools = [\"a\"]\n",
        )
        .file("toolgate.toml", "[servers.s]\ncommand = \"npx\"\n[bundles.b]\nserver = \"s\"\n");
    let loaded = world.load_clean();
    let server = loaded.server("s");
    assert_eq!((&server.label, server.declared_trust), (&None, None));
    assert_eq!(loaded.stdio("s").command.shown(), "npx");
    let bundle = &loaded.config.bundles["b"].value;
    assert_eq!((bundle.mode.as_str(), &bundle.tools.allow), ("auto", &None));
}

#[test]
fn every_entry_and_value_knows_its_layer_file_key_and_line() {
    let world = World::new().global("[servers.g]\ncommand = \"x\"\n").file(
        "toolgate.json",
        "{\n  \"servers\": {\n    \"s\": {\n      \"transport\": {\n        \"type\": \"http\",\n        \
         \"url\": \"https://example.com\"\n      },\n      \"trust\": \"trusted\"\n    }\n  }\n}\n",
    );
    let loaded = world.load_clean();
    let entry = loaded.entry("s");
    let file = ConfigSource::File(world.project().join("toolgate.json"));
    assert_eq!((entry.origin.layer, &*entry.origin.source), (Layer::Project, &file));
    assert_eq!((entry.origin.key.as_str(), entry.origin.line), ("servers.s", 3));
    let values: Vec<_> =
        entry.values.iter().map(|origin| (origin.key.as_str(), origin.line)).collect();
    assert_eq!(
        values,
        [("servers.s.transport.type", 5), ("servers.s.transport.url", 6), ("servers.s.trust", 8)]
    );
    assert_eq!(loaded.entry("g").origin.layer, Layer::Global);
    assert_eq!(loaded.entry("g").values[0].line, 2);
}

/// Shows: S1-22, S1-51, S1-52, S1-53, C9.
#[test]
fn a_project_switches_a_global_server_off_and_silence_means_on() {
    let world = World::new().global("[servers.s]\ncommand = \"x\"\n[servers.t]\ncommand = \"x\"\n");
    assert!(world.load_clean().server("s").enabled);
    let world = world.file(
        ".codelia/config.json",
        r#"{"version":1,"mcp":{"servers":{"s":{"transport":"stdio","command":"x","enabled":false}}}}"#,
    );
    let loaded = world.load_clean();
    let on: Vec<&str> = loaded.ids().into_iter().filter(|id| loaded.server(id).enabled).collect();
    assert_eq!((loaded.ids(), on), (vec!["s", "t"], vec!["t"]));
}

/// Shows: S1-55, C6.
#[test]
fn a_bad_entry_takes_itself_and_the_one_it_replaces_away_and_nothing_else() {
    let world = World::new()
        .global("[servers.s]\ncommand = \"x\"\n[servers.t]\ncommand = \"x\"\n")
        .file("toolgate.toml", "[servers.s]\ntransport = \"http\"\n[servers.u]\ncommand = \"x\"\n");
    let loaded = world.load();
    assert_eq!(loaded.ids(), ["t", "u"]);
    assert_eq!(loaded.errors(), [("missing-url", "servers.s")]);
    let rejected = &loaded.rejected[0];
    assert_eq!((rejected.kind, rejected.id.as_str()), (EntryKind::Server, "s"));
    assert_eq!((rejected.origin.layer, rejected.origin.line), (Layer::Project, 1));
    assert_eq!(rejected.reason, "the `url` is missing");
    // A good entry above it stands for the id again.
    let world = world.overrides(json!({ "servers": { "s": { "command": "y" } } }));
    let loaded = world.load();
    assert_eq!((loaded.stdio("s").command.shown(), loaded.rejected.len()), ("y", 0));
}

/// Shows: C6.
#[test]
fn a_file_that_cannot_be_parsed_is_a_problem_and_the_other_layers_stand() {
    let world = everywhere().overrides(json!({})).file("toolgate.toml", "[servers.s\n");
    let loaded = world.load();
    assert_eq!(loaded.errors(), [("toml-syntax", "")]);
    assert_eq!(loaded.remote("s").endpoint.shown(), url("env"));
    let layers: Vec<Layer> = loaded.sources.iter().map(|source| source.layer).collect();
    assert_eq!(layers, [Layer::Global, Layer::Environment, Layer::Runtime]);
}

/// Shows: S1-28, S3-51, C6.
#[test]
fn a_repeated_name_fails_its_whole_layer_and_names_both_places() {
    for (name, text, both) in [
        (
            "toolgate.toml",
            "[mcp.lint]\ncommand = \"a\"\n[mcp.s]\nurl = \"https://a.example.com\"\n\
             [tools.lint]\ncommand = \"b\"\n",
            ["mcp.lint", "tools.lint"],
        ),
        (
            "toolgate.json",
            r#"{"servers":{"S":{"command":"a"},"s":{"command":"b"},"x":{"command":"c"}}}"#,
            ["`S`", "`s`"],
        ),
        (
            "toolgate.json",
            r#"{"servers":{"s":{"command":"a"},"s":{"command":"b"}}}"#,
            ["twice", "s"],
        ),
    ] {
        let world = World::new().global("[servers.s]\ncommand = \"mine\"\n").file(name, text);
        let loaded = world.load();
        assert_eq!(loaded.ids(), ["s"], "{text}");
        assert_eq!(loaded.stdio("s").command.shown(), "mine");
        assert!(loaded.config.tools.is_empty());
        let shown = world.render(&loaded.problems);
        assert!(both.iter().all(|name| shown.contains(name)), "{shown}");
        assert_eq!(loaded.problems.len(), 1, "{shown}");
    }
}

#[test]
fn servers_may_stand_at_the_top_and_under_mcp_of_one_file() {
    let world = project_toml(
        "[mcp.servers.one]\ncommand = \"x\"\n[servers.two]\ncommand = \"x\"\n[mcp.three]\n\
         kind = \"server\"\ncommand = \"x\"\n[policy]\ndeny_tools = [\"a\"]\n[mcp.policy]\ndeny_tools = [\"b\"]\n",
    );
    let loaded = world.load_clean();
    assert_eq!(loaded.ids(), ["one", "two", "three"]);
    assert_eq!(loaded.config.policies.len(), 2);
}

/// Shows: S0-15, S0-22.
#[test]
fn references_are_checked_after_the_merge() {
    let bundle = "[bundles.read]\nserver = \"s\"\n[roles.r]\nbundles = [\"read\"]\n";
    let world = project_toml(bundle);
    let loaded = world.load();
    let message = "Unknown serverId 's' referenced by bundle 'read'";
    assert_eq!(loaded.problems[0].message, message);
    // The role names a bundle that was refused already: one mistake, one problem.
    assert_eq!(loaded.errors(), [("unknown-server", "bundles.read.server")]);
    assert!(loaded.config.bundles.is_empty());
    let inline = json!({ "servers": { "s": { "command": "x" } } }).to_string();
    let loaded = world.env("TOOLGATE_CONFIG_JSON", inline).load_clean();
    assert_eq!((loaded.config.bundles.len(), loaded.config.roles.len()), (1, 1));
}
