//! Attacks that a policy has to withstand.

use std::path::Path;

use serde_json::value::RawValue;
use toolgate_guard::{
    CommandFacts, DecisionReason, HiddenReason, LadderRuling, MatterDetail, MatterKind,
    MatterOwner, PolicyCase, PolicyMatter, ToolExposure, decide,
};
use toolgate_types::Trust::{Trusted, Untrusted};
use toolgate_types::config::{ApprovalMode, NetworkAccess, Policy, SandboxProfile, SideEffects};
use toolgate_types::{Digest, Principal, ToolHints};

use crate::world::{WORKSPACE, World, accepted, allow, case, deny, id};

/// Shows: S1-83.
#[test]
fn tool_poisoning_annotations_that_play_harmless_do_not_spare_an_untrusted_server_the_question() {
    let world =
        World::default().server("evil", Untrusted, |known| known.accepted = accepted(&["add"]));
    let (rules, evil, me) = (world.rules(), id("evil"), Principal::local_user());
    let hints = ToolHints {
        read_only: Some(true),
        destructive: Some(false),
        idempotent: Some(true),
        open_world: Some(false),
    };
    for mode in [None, Some(ApprovalMode::Auto), Some(ApprovalMode::Approve)] {
        let what = MatterDetail::ServerTool { server: &evil, mode, tool_mode: mode, hints };
        let matter = PolicyMatter { name: "add", what };
        let case = case(matter, &me, Digest([0; 32]));
        assert!(matches!(decide(&rules, &case), LadderRuling::Ask(_)), "{mode:?}");
    }
}

#[test]
fn tool_shadowing_a_tool_that_calls_itself_as_another_servers_is_not_let_through() {
    let world = World::with(Trusted)
        .server("evil", Trusted, |_| {})
        .policy(allow(&["git:push_*", "git:read"]));
    assert_eq!(world.exposes("git", "push_files"), ToolExposure::Direct);
    for name in ["git:push_files", "git:read", "push_files", "git__read", "git.read"] {
        assert!(matches!(world.exposes("evil", name), ToolExposure::Hidden { .. }), "{name}");
    }
    let role = World::with(Trusted).server("evil", Trusted, |_| {}).role(allow(&["git:read"]));
    assert!(matches!(role.exposes("evil", "git:read"), ToolExposure::Hidden { .. }));
}

#[test]
fn tool_shadowing_a_colon_in_a_name_does_not_save_it_from_a_deny() {
    let world = World::with(Trusted).policy(deny(&["git:push", "admin:*"]));
    for name in ["push", "git:push", "admin:drop"] {
        assert!(matches!(world.exposes("git", name), ToolExposure::Hidden { .. }), "{name}");
    }
    assert_eq!(world.exposes("git", "read"), ToolExposure::Direct);
}

#[test]
fn path_escapes_a_uri_that_climbs_out_of_what_is_allowed_is_hidden() {
    let world = World::default().server("files", Trusted, |known| {
        known.entry.resources = allow(&["file:///docs/*"]);
    });
    let visibility = world.visibility().unwrap();
    let files = id("files");
    let exposed =
        |uri: &str| visibility.exposes(MatterOwner::Server(&files), MatterKind::Resource, uri);
    assert_eq!(exposed("file:///docs/a.md"), ToolExposure::Direct);
    assert_eq!(exposed("file:///docs/...md"), ToolExposure::Direct);
    for uri in [
        "file:///docs/../etc/passwd",
        "file:///docs/%2e%2E/etc/passwd",
        "file:///docs/.%2e/etc/passwd",
        "file:///docs/..%2Fetc/passwd",
        "file:///docs/..%5cetc",
        "file:///docs/..\\etc",
        "file:///docs/..",
    ] {
        assert_eq!(exposed(uri), ToolExposure::Hidden { why: HiddenReason::DotSegments }, "{uri}");
    }
    assert!(matches!(exposed("file:///docs-evil/a"), ToolExposure::Hidden { .. }));
}

#[test]
fn shadowing_a_uri_is_no_server_and_a_server_is_no_uri() {
    let policy = Policy { resources: allow(&["file:///docs/*", "git:*"]), ..Policy::default() };
    let world = World::with(Trusted).server("evil", Trusted, |_| {});
    let visibility = World { policies: vec![policy], ..world }.visibility().unwrap();
    let (git, evil) = (id("git"), id("evil"));
    let shown = |server, uri: &str| {
        visibility.exposes(MatterOwner::Server(server), MatterKind::Resource, uri)
            == ToolExposure::Direct
    };
    assert!(shown(&evil, "file:///docs/a"), "no server is called `file`");
    assert!(shown(&git, "anything:x"));
    assert!(!shown(&evil, "git:x"), "`git:` means the server");
}

/// Whether a command tool in the workspace may be called with these arguments.
fn is_let_through(allowed: &[&str], arguments: &str) -> bool {
    let allowed = allowed.iter().map(|folder| (*folder).to_owned()).collect();
    let policy = Policy { allowed_arg_paths: Some(allowed), ..Policy::default() };
    let rules = World { policies: vec![policy], ..World::default() }.rules();
    let effects = SideEffects::Declared(Vec::new());
    let what = MatterDetail::CommandTool(CommandFacts {
        side_effects: &effects,
        profile: SandboxProfile::Default,
        network: &NetworkAccess::Off,
        requires_approval: false,
        cwd: Path::new(WORKSPACE),
    });
    let arguments = RawValue::from_string(arguments.to_owned()).unwrap();
    let ruling = decide(
        &rules,
        &PolicyCase {
            matter: PolicyMatter { name: "run", what },
            principal: &Principal::local_user(),
            session: None,
            definition: Digest([0; 32]),
            grants: &[],
            unlike: None,
            arguments: Some(&arguments),
            defined: None,
        },
    );
    match ruling {
        LadderRuling::Allow(_) => true,
        LadderRuling::Deny(DecisionReason::Arguments(_)) => false,
        other => panic!("{other}"),
    }
}

#[test]
fn path_escapes_dots_and_sibling_prefixes_in_arguments_are_denied() {
    for path in ["docs", "docs/a", "./docs/a", "docs/x/../a", "/code/project/docs/a", "docs//a"] {
        assert!(is_let_through(&["docs"], &format!(r#"{{"a":"{path}"}}"#)), "{path}");
    }
    for path in [
        "..",
        "../project/docs-evil/a",
        "docs/..",
        "docs/../../etc/passwd",
        "/etc/passwd",
        "/code/project/docs-evil/a",
        "/code/project/docs/../docs-evil",
        "/code/project",
        "src/main.rs",
        "~/x",
        "~root",
        "docs/a\\u0000/../../etc",
        "file:///etc/passwd",
        "file:///code/project/docs/%2e%2e/x",
        "https://../../../etc/passwd",
    ] {
        assert!(!is_let_through(&["docs"], &format!(r#"{{"a":"{path}"}}"#)), "{path}");
    }
}

#[test]
fn path_escapes_what_another_program_could_read_otherwise_is_denied() {
    for path in [
        "~/x",
        "~root",
        "docs/a\\u0000b",
        "file:///code/project/%2e%2e/x",
        "--from=file:///code/project/%2e%2e/x",
    ] {
        assert!(!is_let_through(&["."], &format!(r#"{{"a":"{path}"}}"#)), "{path}");
    }
    assert!(is_let_through(&["."], r#"{"a":"file:///code/project/x"}"#));
}

#[test]
fn path_escapes_a_path_inside_an_option_or_deep_in_the_arguments_is_found() {
    for arguments in [
        r#"{"a":"--output=/etc/passwd"}"#,
        r#"{"a":"-I/usr/include"}"#,
        r#"{"a":"-I../.."}"#,
        r#"{"a":"@/etc/passwd"}"#,
        r#"{"a":"x:/etc/passwd"}"#,
        r#"{"a":"cat /etc/passwd"}"#,
        r#"{"a":["b",{"c":["/etc/passwd"]}]}"#,
        r#"{"a":{"/etc/passwd":1}}"#,
        r#"{"a":"docs/ok","a":"/etc/passwd"}"#,
        r#"{"a":"\u002fetc/passwd"}"#,
    ] {
        assert!(!is_let_through(&["."], arguments), "{arguments}");
    }
    assert!(is_let_through(
        &["."],
        r#"{"a":"--output=docs/x","b":"https://example.com/x","c":1.5}"#
    ));
}

#[test]
fn path_escapes_a_bare_name_is_a_path_where_its_key_says_so() {
    for key in ["path", "file", "output_file", "targetDir", "include-paths", "PATH", "directories"]
    {
        assert!(!is_let_through(&["docs"], &format!(r#"{{"{key}":"secret"}}"#)), "{key}");
        assert!(!is_let_through(&["docs"], &format!(r#"{{"{key}":["secret"]}}"#)), "{key}");
    }
    for key in ["word", "profile", "filter", "pathology"] {
        assert!(is_let_through(&["docs"], &format!(r#"{{"{key}":"secret"}}"#)), "{key}");
    }
}

#[test]
fn arguments_that_cannot_be_read_to_their_end_are_denied() {
    let deep = format!(r#"{{"a":{}"/etc/passwd"{}}}"#, "[".repeat(300), "]".repeat(300));
    assert!(!is_let_through(&["."], &deep));
}
