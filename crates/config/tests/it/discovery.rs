//! Which files are found: names, order, how far up, and what a path that was given means.

mod named;

use std::fs;
use std::path::{Path, PathBuf};

use toolgate_config::{PROJECT_FILES, discover_mcp_config_path, root_of};
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

/// Shows: S0-14.
#[test]
fn no_file_at_all_is_an_empty_configuration() {
    let loaded = World::new().load_clean();
    assert_eq!(loaded.ids(), Vec::<&str>::new());
    assert!(loaded.sources.is_empty() && loaded.project_file.is_none());
    assert!(loaded.config.gateway.enable_mcp_server_surface);
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
