//! A configuration said back: in native keys, so that what is shown can be written again.

use serde_json::{Value, json};
use toolgate_config::show;
use toolgate_types::config::Config;

use crate::samples::normalised;
use crate::support::{Found, World, project_toml};

#[test]
fn defaults_are_left_out_and_what_matters_for_trust_is_not() {
    let loaded = project_toml(
        "[servers.p]\ncommand = \"x\"\n[servers.r]\nurl = \"https://a.example.com\"\n",
    )
    .load_clean();
    let shown = |id: &str| Value::Object(show::server(loaded.server(id)));
    assert_eq!(
        shown("p"),
        json!({ "transport": "stdio", "command": "x", "sandbox_profile": "default", "enabled": true })
    );
    assert_eq!(shown("r"), json!({ "url": "https://a.example.com", "enabled": true }));
}

#[test]
fn what_is_shown_reads_back_as_the_same_configuration() {
    let world = World::new().global(
        "[servers.p]\ncommand = \"x\"\nargs = [\"a\"]\ncwd = \"/c\"\nenv = { K = \"v\" }\nenv_vars = [\"A\"]\n\
         inherit_env = \"none\"\nstderr = \"inherit\"\nsandbox_profile = \"default\"\nallow_network = true\n\
         readable = [\"/r\"]\nwritable = [\"/w\"]\nisolation = \"session\"\nidle_timeout_ms = 5\n\
         [servers.r]\ntransport = \"sse\"\nurl = \"https://a.example.com/sse\"\nbearer_token_env = \"T\"\n\
         env_headers = { X-A = \"A\" }\nauth_provider = \"corp\"\nca_file = \"/ca.pem\"\n\
         oauth = { token_url = \"https://a.example.com/t\", client_id = \"c\", scope = \"s\", resource = \"r\", callback_port = 81 }\n\
         label = \"L\"\ndescription = \"D\"\nenabled = false\ntrust = \"untrusted\"\nstartup = \"eager\"\nrequired = true\n\
         startup_timeout_ms = 1\nrequest_timeout_ms = 2\ntool_timeout_ms = 3\nenabled_tools = [\"a\"]\ndisabled_tools = [\"b\"]\n\
         allow_resources = [\"a\"]\ndeny_resources = [\"b\"]\nallow_prompts = [\"a\"]\ndeny_prompts = [\"b\"]\n\
         approval = \"approve\"\nmask_results = true\nomit_output_schemas = true\nsampling = true\ntools.a = { approval = \"auto\", timeout_ms = 4, result_bytes = 5 }\n\
         [servers.repo]\ntransport = \"builtin\"\n\
         [tools.t]\ndisplay_name = \"T\"\ndescription = \"D\"\nenabled = false\ncommand = \"t\"\ninput_schema = { type = \"object\" }\n\
         side_effects = [\"network\"]\nrequires_approval = false\ntimeout_ms = 9\nstreaming = true\nresult_bytes = 8\n\
         [bundles.b]\nserver = \"r\"\nmode = \"meta\"\ndescription = \"D\"\nallow_tools = [\"a\"]\ndeny_tools = [\"c\"]\n\
         [roles.x]\ndescription = \"D\"\nbundles = [\"b\"]\nallow_tools = [\"a\"]\n[workflows.w.x]\nstep = [\"b\"]\n\
         [gateway]\nenable_mcp_server_surface = true\nnaming = \"hashed\"\nalways_visible = [\"r:*\"]\n\
         clients.codex = { naming = \"bare\", approval_channels = [\"agent\"] }\n\
         [audit]\narguments = true\n[limits]\nsessions = 3\n[sandbox]\nouter = \"builtin\"\n[approval]\ntimeout_ms = 7\n",
    );
    let loaded = world.load_clean();
    let mut shown = Value::Object(normalised(&loaded.config));
    let again = World::new().overrides(shown.clone()).load_clean();
    assert_eq!(normalised(&again.config), *shown.as_object().unwrap());
    // It is no accident of an empty comparison.
    assert_eq!(shown.as_object_mut().unwrap().len(), 10);
    assert_eq!(again.ids(), ["p", "r", "repo"]);
}

#[test]
fn the_settings_in_force_are_shown_with_their_defaults() {
    insta::assert_json_snapshot!("default-settings", show::settings(&Config::default()));
}
