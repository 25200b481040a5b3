//! Codex's own file: its keys, its seconds, and everything in it that is not ours.

use toolgate_types::config::{ApprovalMode, HeaderValue, RemoteKind};
use toolgate_types::{ConfigText, EnvName, Pattern};

use crate::support::{Found, World};

fn codex(text: &str) -> World {
    World::new().file(".codex/config.toml", text).path(".codex/config.toml")
}

/// Shows: S4-13.
#[test]
fn a_process_has_its_environment_its_limits_in_seconds_and_its_filters() {
    let loaded = codex(
        "model = \"large\"\nversion = 7\n[profiles.x]\nmcp = 1\n[mcp_servers.s]\ncommand = \"npx\"\nargs = [\"-y\"]\n\
         cwd = \"/c\"\nenv = { K = \"v\" }\nenv_vars = [\"A\", { name = \"B\", source = \"remote\" }]\n\
         startup_timeout_sec = 1.5\ntool_timeout_sec = 2\nenabled_tools = [\"a\"]\n\
         disabled_tools = [\"b\"]\nenabled = false\nrequired = true\n",
    )
    .load_clean();
    let (server, stdio) = (loaded.server("s"), loaded.stdio("s"));
    assert_eq!((stdio.command.expose(), stdio.args[0].expose()), ("npx", "-y"));
    assert_eq!(stdio.cwd.as_ref().unwrap().expose(), "/c");
    assert_eq!(stdio.env_vars.iter().map(EnvName::as_str).collect::<Vec<_>>(), ["A", "B"]);
    assert_eq!((server.timeouts.startup.get(), server.timeouts.tool.get()), (1_500, 2_000));
    assert_eq!(server.tools.allow.as_ref().unwrap()[0].as_str(), "a");
    assert_eq!(server.tools.deny.iter().map(Pattern::as_str).collect::<Vec<_>>(), ["b"]);
    assert_eq!((server.enabled, server.required, server.declared_trust), (false, true, None));
}

/// Shows: S4-13.
#[test]
fn a_remote_server_has_its_headers_its_token_by_name_and_its_scopes() {
    let loaded = codex(
        "[mcp_servers.s]\nurl = \"https://example.com/mcp\"\nbearer_token_env_var = \"T\"\n\
         http_headers = { X-A = \"1\" }\nenv_http_headers = { X-B = \"B\" }\n\
         scopes = [\"read\", \"write\"]\noauth_resource = \"https://example.com\"\n\
         oauth = { client_id = \"c\", callback_port = 81 }\n",
    )
    .load_clean();
    let remote = loaded.remote("s");
    assert_eq!(remote.kind, RemoteKind::Auto);
    assert_eq!(remote.bearer_token_env.as_ref().unwrap().as_str(), "T");
    let [(_, given), (_, by_name)] = remote.headers.iter().collect::<Vec<_>>()[..] else {
        panic!("two headers")
    };
    assert!(matches!(given, HeaderValue::Given(text) if text.expose() == "1"));
    assert!(matches!(by_name, HeaderValue::FromEnv(name) if name.as_str() == "B"));
    let oauth = remote.oauth.as_ref().unwrap();
    assert_eq!(oauth.scope.as_ref().map(ConfigText::shown), Some("read write"));
    assert_eq!(
        (oauth.client_id.as_ref().map(ConfigText::shown), oauth.callback_port),
        (Some("c"), Some(81))
    );
    assert_eq!(oauth.resource.as_ref().map(ConfigText::shown), Some("https://example.com"));
}

#[test]
fn approval_modes_map_to_ours_and_the_nearest_safe_one() {
    let loaded = codex(
        "[mcp_servers.s]\ncommand = \"x\"\ndefault_tools_approval_mode = \"auto\"\n\
         [mcp_servers.s.tools]\na = { approval_mode = \"approve\" }\nb = { approval_mode = \"prompt\" }\n\
         c = { approval_mode = \"writes\" }\nd = {}\n",
    )
    .load_clean();
    let server = loaded.server("s");
    assert_eq!(server.approval, Some(ApprovalMode::Auto));
    let of = |tool: &str| server.tool_settings[tool].approval;
    assert_eq!((of("a"), of("b")), (Some(ApprovalMode::Approve), Some(ApprovalMode::Prompt)));
    assert_eq!((of("c"), of("d")), (Some(ApprovalMode::Prompt), None));
}

#[test]
fn a_codex_file_that_is_given_as_a_project_is_read_and_everything_foreign_left_alone() {
    let loaded =
        codex("sandbox_mode = \"read-only\"\n[gateway]\nlisten = 5\n[tools]\nweb = true\n")
            .load_clean();
    assert!(loaded.ids().is_empty() && loaded.config.tools.is_empty());
    assert_eq!(loaded.project_root.file_name().unwrap(), "project");
}
