//! Whether agents see a surface at all: opted into for a bare file of command tools, else on.

use crate::support::{Found, World, project_toml};

const TOOLS: &str = "[mcp.lint]\ncommand = \"x\"\n";
const VARIABLE: &str = "TOOLGATE_ENABLE_MCP_SERVER_SURFACE";

fn surface(world: &World) -> bool {
    world.load_clean().config.gateway.enable_mcp_server_surface
}

#[test]
fn it_is_off_for_a_bare_file_of_command_tools_and_on_otherwise() {
    assert!(surface(&World::new()));
    assert!(surface(&project_toml("[servers.s]\ncommand = \"x\"\n")));
    assert!(!surface(&project_toml(TOOLS)));
    assert!(!surface(&World::new().global(TOOLS)));
    assert!(surface(&project_toml(TOOLS).global("[servers.s]\ncommand = \"x\"\n")));
    assert!(surface(&project_toml(TOOLS).env("TOOLGATE_CONFIG_JSON", "{}")));
}

#[test]
fn a_file_may_say_so_at_its_top_or_in_the_gateway_section() {
    assert!(surface(&project_toml(&format!("enable_mcp_server_surface = true\n{TOOLS}"))));
    assert!(surface(
        &World::new().global(&format!("{TOOLS}[gateway]\nenable_mcp_server_surface = true\n"))
    ));
    assert!(!surface(&World::new().global("[gateway]\nenable_mcp_server_surface = false\n")));
}

#[test]
fn a_project_does_not_overrule_what_a_person_said() {
    let off = "[gateway]\nenable_mcp_server_surface = false\n";
    let opened = format!("enable_mcp_server_surface = true\n{TOOLS}");
    assert!(!surface(&project_toml(&opened).global(off)));
    let closed = format!("enable_mcp_server_surface = false\n{TOOLS}");
    let on = "[gateway]\nenable_mcp_server_surface = true\n";
    assert!(surface(&project_toml(&closed).global(on)));
}

#[test]
fn the_variable_overrules_the_files() {
    for (word, on) in [("1", true), ("true", true), ("on", true), ("0", false), (" off ", false)] {
        let off = format!("enable_mcp_server_surface = {}\n{TOOLS}", !on);
        assert_eq!(surface(&World::new().global(&off).env(VARIABLE, word)), on, "{word}");
    }
    assert!(!surface(&project_toml(TOOLS).env(VARIABLE, " ")));
    let loaded = project_toml(TOOLS).env(VARIABLE, "perhaps").load();
    assert_eq!(loaded.errors(), [("wrong-type", "")]);
    assert!(loaded.problems[0].to_string().starts_with(&format!("${VARIABLE}: ")));
    assert!(!loaded.config.gateway.enable_mcp_server_surface);
}
