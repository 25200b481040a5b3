//! What the administrator of a machine lays down.

use toolgate_guard::{Administrator, HiddenReason, RuleError, ServerRule, ToolExposure};
use toolgate_types::Trust::Trusted;
use toolgate_types::config::{BundleMode, Transport};

use crate::world::{World, allow, patterns, process, remote, server};

fn only(rule: ServerRule) -> Administrator {
    Administrator { allowed_servers: Some(vec![rule]), ..Administrator::default() }
}

fn command(words: &[&str]) -> ServerRule {
    ServerRule::command(words.iter().map(|word| (*word).to_owned())).unwrap()
}

fn permits(administrator: &Administrator, transport: Transport) -> bool {
    administrator.permits_server(&server(transport)).is_ok()
}

/// Shows: E-6.
#[test]
fn a_command_rule_wants_the_program_and_its_first_arguments_exactly() {
    let rule = only(command(&["npx", "-y", "@corp/server"]));
    assert!(permits(&rule, process("npx", &["-y", "@corp/server"])));
    assert!(permits(&rule, process("npx", &["-y", "@corp/server", "--root", "."])));
    for (program, args) in [
        ("npx", &["-y"][..]),
        ("npx", &[]),
        ("npx", &["-y", "@corp/server-evil"]),
        ("npx", &["-y", "@corp/serve"]),
        ("npx", &["@corp/server", "-y"]),
        ("npx", &["--package", "evil", "-y", "@corp/server"]),
        ("/tmp/npx", &["-y", "@corp/server"]),
        ("npx-evil", &["-y", "@corp/server"]),
        ("sh", &["-c", "npx -y @corp/server"]),
        ("npx -y @corp/server", &[]),
    ] {
        assert!(!permits(&rule, process(program, args)), "{program} {args:?}");
    }
    assert!(!permits(&rule, remote("https://npx/-y/@corp/server")));
}

/// Shows: E-6.
#[test]
fn a_url_rule_wants_the_origin_exactly_and_whole_segments_of_the_path() {
    let rule = only(ServerRule::url("https://a.example/mcp").unwrap());
    for url in [
        "https://a.example/mcp",
        "https://a.example/mcp/",
        "https://a.example:443/mcp/v1?tenant=x",
        "HTTPS://A.example/mcp",
    ] {
        assert!(permits(&rule, remote(url)), "{url}");
    }
    for url in [
        "https://a.example.evil/mcp",
        "https://evil/a.example/mcp",
        "https://a.example/mcp-evil",
        "https://a.example/",
        "https://a.example/MCP",
        "https://a.example/mcp/../evil",
        "https://a.example/mcp/%2e%2e/evil",
        "https://a.example/mcp/..%2fevil",
        "https://a.example/mcp/..%5Cevil",
        "https://a.example:8443/mcp",
        "http://a.example/mcp",
        "https://sub.a.example/mcp",
    ] {
        assert!(!permits(&rule, remote(url)), "{url}");
    }
    let anywhere = only(ServerRule::url("https://a.example").unwrap());
    assert!(permits(&anywhere, remote("https://a.example/any/path")));
    assert!(!permits(&anywhere, remote("https://a.example.evil/")));
    assert!(!permits(&anywhere, process("https://a.example", &[])));
}

#[test]
fn no_list_of_servers_permits_all_and_an_empty_one_only_what_is_built_in() {
    let none = Administrator::default();
    assert!(permits(&none, process("anything", &[])));
    let empty = Administrator { allowed_servers: Some(Vec::new()), ..Administrator::default() };
    assert!(!permits(&empty, process("anything", &[])));
    assert!(!permits(&empty, remote("https://a.example/")));
    assert!(permits(&empty, Transport::Builtin));
}

#[test]
fn what_is_no_rule_is_refused() {
    assert_eq!(ServerRule::command([]).unwrap_err(), RuleError::NoProgram);
    assert_eq!(ServerRule::command([String::new()]).unwrap_err(), RuleError::NoProgram);
    assert_eq!(ServerRule::url("https://a.example/?x=1").unwrap_err(), RuleError::Query);
    assert!(matches!(ServerRule::url("ftp://a.example/").unwrap_err(), RuleError::Url(_)));
    assert!(matches!(ServerRule::url("a.example/mcp").unwrap_err(), RuleError::Url(_)));
}

/// Shows: E-6.
#[test]
fn nothing_of_a_server_that_is_not_permitted_is_seen() {
    let world = World::with(Trusted)
        .bundle("b", "git", BundleMode::Direct, allow(&["read"]))
        .policy(allow(&["*"]));
    assert_eq!(world.exposes("git", "read"), ToolExposure::Direct);
    let barred = world.administrator(only(command(&["other"])));
    let ToolExposure::Hidden { why } = barred.exposes("git", "read") else { panic!("it is shown") };
    assert!(matches!(why, HiddenReason::ServerNotPermitted(_)));
    assert_eq!(
        why.to_string(),
        "the server is not in the list of allowed servers of the administrator"
    );
}

#[test]
fn a_tool_that_the_administrator_denies_is_seen_by_nobody() {
    let administrator =
        Administrator { deny_tools: patterns(&["git:push*"]), ..Administrator::default() };
    let world = World::with(Trusted)
        .server("other", Trusted, |_| {})
        .administrator(administrator)
        .policy(allow(&["*"]))
        .role(allow(&["push_all", "read"]));
    assert_eq!(world.shown(&["read", "push_all"]), ["read"]);
    assert_eq!(world.exposes("other", "push_all"), ToolExposure::Direct);
}
