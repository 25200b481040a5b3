//! Which files are found: names, order, how far up, and what a path that was given means.

use std::fs;
use std::path::{Path, PathBuf};

use toolgate_config::{PROJECT_FILES, discover_mcp_config_path, project_file, root_of};
use toolgate_types::Layer;

use crate::support::{Found, World, project_toml};

/// A native file with one server of this name.
fn with(id: &str) -> String {
    format!("{{ \"servers\": {{ \"{id}\": {{ \"url\": \"https://example.com/{id}\" }} }} }}")
}

/// Shows: S0-13, S0-34.
#[test]
fn in_one_folder_the_names_are_tried_in_the_documented_order() {
    let world = World::new();
    assert_eq!(
        PROJECT_FILES,
        [
            "toolgate.toml",
            ".toolgate/config.toml",
            "toolgate.json",
            "codex-toolloop.mcp.json",
            ".codex-toolloop/mcp.json",
            ".codelia/config.json",
        ]
    );
    for name in PROJECT_FILES {
        world.write(name, "");
    }
    let home = world.home();
    for name in PROJECT_FILES {
        let found = discover_mcp_config_path(&world.project(), Some(&home));
        assert_eq!(found, Some(world.project().join(name)));
        fs::remove_file(world.project().join(name)).unwrap();
    }
    assert_eq!(discover_mcp_config_path(&world.project(), Some(&home)), None);
}

#[test]
fn the_nearest_folder_wins_whatever_the_name() {
    let world = World::new()
        .file("toolgate.toml", "")
        .file("a/.codelia/config.json", "")
        .file("a/b/c/codex-toolloop.mcp.json/is-a-folder", "");
    let found = |folder: &str| {
        discover_mcp_config_path(&world.project().join(folder), Some(&world.home())).unwrap()
    };
    assert_eq!(found("a/b/c"), world.project().join("a/.codelia/config.json"));
    assert_eq!(found("a"), world.project().join("a/.codelia/config.json"));
    assert_eq!(found("."), world.project().join("./toolgate.toml"));
}

/// Shows: S0-14.
#[test]
fn the_search_looks_into_a_hundred_folders_and_no_more() {
    let world = project_toml("");
    let below = |levels: usize| vec!["d"; levels].join("/");
    let start = world.project().join(below(100));
    fs::create_dir_all(&start).unwrap();
    assert_eq!(discover_mcp_config_path(&start, None), None);
    let start = world.project().join(below(99));
    assert_eq!(discover_mcp_config_path(&start, None), Some(world.project().join("toolgate.toml")));
}

/// Shows: C3.
#[test]
fn the_search_stops_before_the_home_folder_also_by_another_name() {
    let world = World::new().file("../toolgate.toml", "").file("inner/x", "");
    let (home, start) = (world.home(), world.project().join("inner"));
    assert_eq!(discover_mcp_config_path(&start, Some(&home)), None);
    assert_eq!(discover_mcp_config_path(&home, Some(&home)), None);
    let elsewhere = home.join("another");
    assert_eq!(
        discover_mcp_config_path(&start, Some(&elsewhere)),
        Some(home.join("toolgate.toml"))
    );
    let link = home.parent().unwrap().join("link");
    std::os::unix::fs::symlink(&home, &link).unwrap();
    assert_eq!(discover_mcp_config_path(&start, Some(&link)), None);
    assert_eq!(discover_mcp_config_path(&link.join("project/inner"), Some(&home)), None);
}

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

#[test]
fn no_file_at_all_is_an_empty_configuration() {
    let loaded = World::new().load_clean();
    assert_eq!(loaded.ids(), Vec::<&str>::new());
    assert!(loaded.sources.is_empty() && loaded.project_file.is_none());
    assert!(loaded.config.gateway.enable_mcp_server_surface);
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

#[test]
fn the_global_file_is_below_the_configuration_home() {
    let world = World::new().global("[servers.usual]\ncommand = \"x\"\n");
    assert_eq!(world.load_clean().ids(), ["usual"]);
    let other = world.home().join("xdg").display().to_string();
    let world = world
        .file("../xdg/toolgate/config.toml", "[servers.xdg]\ncommand = \"x\"\n")
        .env("XDG_CONFIG_HOME", other);
    assert_eq!(world.load_clean().ids(), ["xdg"]);
    let world = world.env("XDG_CONFIG_HOME", "xdg");
    assert_eq!(world.load_clean().ids(), ["usual"], "a relative one does not count");
}

#[test]
fn the_persons_own_file_stays_theirs_when_a_path_names_it_as_a_project() {
    let world =
        World::new().global("[gateway]\nnaming = \"dotted\"\n[servers.mine]\ncommand = \"x\"\n");
    let world = world.path("../.config/toolgate/config.toml");
    let loaded = world.load_clean();
    assert_eq!(loaded.sources.len(), 1);
    assert_eq!(loaded.entry("mine").origin.layer, Layer::Global);
}

#[test]
fn a_file_in_a_hidden_folder_of_a_tool_speaks_for_the_folder_above() {
    for (file, root) in [
        ("/p/toolgate.toml", "/p"),
        ("/p/.toolgate/config.toml", "/p"),
        ("/p/.codex-toolloop/mcp.json", "/p"),
        ("/p/.codelia/config.json", "/p"),
        ("/p/.codex/config.toml", "/p"),
        ("/p/.hidden/config.toml", "/p/.hidden"),
        ("toolgate.toml", "."),
        (".codelia/config.json", "."),
    ] {
        assert_eq!(root_of(Path::new(file)), PathBuf::from(root), "{file}");
    }
    let world = World::new().file(".toolgate/config.toml", "").cwd("sub");
    assert_eq!(world.load_clean().project_root, world.project());
    assert_eq!(World::new().cwd("sub").load().project_root.file_name().unwrap(), "sub");
}

/// Shows: S0-42.
#[test]
fn no_other_programs_file_is_picked_up() {
    let entry = r#"{"mcpServers":{"a":{"command":"x"}},"servers":{"b":{"command":"x"}}}"#;
    let mut world = World::new();
    for name in [".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json", "opencode.json"] {
        world = world.file(name, entry);
    }
    let codex = "[mcp_servers.c]\ncommand = \"x\"\n";
    for name in [".codex/config.toml", "../.codex/config.toml", "config.toml"] {
        world = world.file(name, codex);
    }
    let world = world.file("../.claude.json", entry);
    assert!(world.load_clean().sources.is_empty());
}
