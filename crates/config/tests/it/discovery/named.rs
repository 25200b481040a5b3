//! Files and texts that a flag or a variable names.

use toolgate_config::project_file;
use toolgate_types::Layer;

use super::with;
use crate::support::{Found, World};

/// Shows: S0-11, S0-12.
#[test]
fn one_file_is_chosen_the_given_path_before_the_variable_before_the_search() {
    let world = World::new()
        .file("toolgate.json", with("found"))
        .file("by-variable.json", with("variable"))
        .file("by-path.json", with("path"));
    assert_eq!(world.load_clean().ids(), ["found"]);
    let world = world.env("TOOLGATE_CONFIG", "by-variable.json");
    assert_eq!(world.load_clean().ids(), ["variable"]);
    let world = world.path("by-path.json");
    assert_eq!(world.load_clean().ids(), ["path"]);
    assert_eq!(project_file(world.options()).unwrap().path, world.project().join("by-path.json"));
    let alias = World::new().env("CODEX_TOOLLOOP_MCP_CONFIG_PATH", "x.json").file(
        "x.json",
        r#"{"servers":{"s":{"trust":"trusted","transport":{"type":"stdio","command":"x"}}}}"#,
    );
    assert_eq!(alias.load_clean().ids(), ["s"]);
}

/// Shows: S0-14.
#[test]
fn a_named_file_that_is_missing_is_an_error_and_nothing_is_searched_instead() {
    let world = || World::new().file("toolgate.json", with("found"));
    for world in [
        world().path("gone.json"),
        world().env("TOOLGATE_CONFIG", "gone.json"),
        world().env("CODEX_TOOLLOOP_MCP_CONFIG_PATH", "gone.json"),
    ] {
        let loaded = world.load();
        assert_eq!(loaded.errors(), [("missing-file", "")]);
        let shown = world.render(&loaded.problems);
        assert!(shown.starts_with("~world/home/project/gone.json: error"), "{shown}");
        assert_eq!(loaded.ids(), Vec::<&str>::new());
    }
    for variable in ["TOOLGATE_GLOBAL_CONFIG", "CODELIA_CONFIG_PATH"] {
        let world = world().env(variable, "gone.json");
        let loaded = world.load();
        assert_eq!(loaded.errors(), [("missing-file", "")]);
        assert_eq!(loaded.ids(), ["found"]);
    }
}

/// Shows: S0-14.
#[test]
fn relative_paths_start_at_the_folder_of_the_load() {
    let world = World::new().file("sub/own.json", with("sub")).file("own.json", with("top"));
    let world = world.cwd("sub");
    assert_eq!(world.load().ids(), Vec::<&str>::new());
    let world = world.env("TOOLGATE_CONFIG", "own.json");
    assert_eq!(world.load_clean().ids(), ["sub"]);
    let world = world.path("../own.json");
    assert_eq!(world.load_clean().ids(), ["top"]);
    let world = world.env("TOOLGATE_GLOBAL_CONFIG", "own.json");
    let loaded = world.load_clean();
    assert_eq!(loaded.ids(), ["sub", "top"]);
    assert_eq!(loaded.entry("sub").origin.layer, Layer::Global);
    assert_eq!(loaded.global_file, Some(world.project().join("sub/own.json")));
}

/// Shows: S0-10, S1-51.
#[test]
fn each_variable_has_our_name_and_the_older_one_and_ours_wins() {
    let older = |id: &str| {
        let transport = serde_json::json!({ "type": "http", "url": "https://example.com/mcp" });
        let server = serde_json::json!({ "trust": "trusted", "transport": transport });
        serde_json::json!({ "servers": { id: server } }).to_string()
    };
    let codelia =
        r#"{"version":1,"mcp":{"servers":{"codelia":{"transport":"stdio","command":"x"}}}}"#;
    let world = World::new()
        .file("own.json", with("own"))
        .file("older.json", older("older"))
        .file("codelia.json", codelia);
    let world = world.env("CODEX_TOOLLOOP_MCP_CONFIG_PATH", "older.json");
    assert_eq!(world.load_clean().ids(), ["older"]);
    let world = world.env("TOOLGATE_CONFIG", "own.json");
    assert_eq!(world.load_clean().ids(), ["own"]);
    let world = world.env("CODEX_TOOLLOOP_MCP_CONFIG_JSON", older("inline"));
    assert_eq!(world.load_clean().ids(), ["own", "inline"]);
    let world = world.env("TOOLGATE_CONFIG_JSON", with("own-inline"));
    assert_eq!(world.load_clean().ids(), ["own", "own-inline"]);
    let world = world.env("CODELIA_CONFIG_PATH", "codelia.json");
    assert_eq!(world.load_clean().ids(), ["codelia", "own", "own-inline"]);
    let world = world.env("TOOLGATE_GLOBAL_CONFIG", "older.json");
    assert_eq!(world.load_clean().ids(), ["older", "own", "own-inline"]);
}

/// Shows: S0-15.
#[test]
fn blank_variables_count_as_unset() {
    let mut world = World::new().file("toolgate.json", with("found"));
    for name in [
        "TOOLGATE_CONFIG",
        "CODEX_TOOLLOOP_MCP_CONFIG_PATH",
        "TOOLGATE_CONFIG_JSON",
        "CODEX_TOOLLOOP_MCP_CONFIG_JSON",
        "TOOLGATE_GLOBAL_CONFIG",
        "CODELIA_CONFIG_PATH",
    ] {
        world = world.env(name, " \n");
    }
    let loaded = world.load_clean();
    assert_eq!((loaded.ids(), loaded.sources.len()), (vec!["found"], 1));
    let world = world.env("CODEX_TOOLLOOP_MCP_CONFIG_JSON", "{}");
    assert_eq!(world.load_clean().sources.len(), 2);
}
