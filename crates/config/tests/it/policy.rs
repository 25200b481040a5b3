//! What a lower layer denies stays denied, and what a project may not set it does not set.

use serde_json::json;
use toolgate_types::config::{BundleMode, CallerAuth, Profile, SandboxProfile, Transport};
use toolgate_types::{LayerGrade, Pattern};

use crate::support::{Found, World, project_toml};

const GLOBAL: &str = "
[servers.s]
command = \"x\"
disabled_tools = [\"delete_*\"]
deny_resources = [\"file:///etc/*\"]
deny_prompts = [\"jailbreak\"]
[bundles.b]
server = \"s\"
deny_tools = [\"push\"]
[roles.r]
bundles = [\"b\"]
deny_tools = [\"s:write\"]
";
const PROJECT: &str = "
[servers.s]
command = \"y\"
disabled_tools = [\"own\"]
[bundles.b]
server = \"s\"
[roles.r]
";

fn words(patterns: &[Pattern]) -> Vec<&str> {
    patterns.iter().map(Pattern::as_str).collect()
}

#[test]
fn a_deny_of_the_global_layer_survives_a_project_entry_of_the_same_id() {
    let loaded = World::new().global(GLOBAL).file("toolgate.toml", PROJECT).load_clean();
    let server = loaded.server("s");
    assert_eq!(loaded.stdio("s").command.shown(), "y");
    assert_eq!(words(&server.tools.deny), ["own", "delete_*"]);
    assert_eq!(words(&server.resources.deny), ["file:///etc/*"]);
    assert_eq!(words(&server.prompts.deny), ["jailbreak"]);
    assert_eq!(words(&loaded.config.bundles["b"].value.tools.deny), ["push"]);
    assert_eq!(words(&loaded.config.roles["r"].value.tools.deny), ["s:write"]);
}

#[test]
fn a_broken_entry_in_between_washes_no_deny_away() {
    let world = World::new()
        .global(GLOBAL)
        .file("toolgate.toml", "[servers.s]\n[bundles.b]\nserver = 5\n[roles.r]\nx = 1\n")
        .env(
            "TOOLGATE_CONFIG_JSON",
            json!({ "servers": { "s": { "command": "z" } }, "bundles": { "b": { "server": "s" } }, "roles": { "r": {} } })
                .to_string(),
        );
    let loaded = world.load();
    assert_eq!(loaded.errors().len(), 3);
    assert_eq!(loaded.stdio("s").command.shown(), "z");
    assert_eq!(words(&loaded.server("s").tools.deny), ["delete_*"]);
    assert_eq!(words(&loaded.config.bundles["b"].value.tools.deny), ["push"]);
    assert_eq!(words(&loaded.config.roles["r"].value.tools.deny), ["s:write"]);
}

/// Shows: G1.
#[test]
fn the_policies_of_all_layers_are_kept() {
    let world = World::new()
        .global("[policy]\ndeny_tools = [\"a\"]\n")
        .file("toolgate.toml", "[policy]\nallow_tools = [\"b\"]\nallowed_cwds = [\".\"]\n")
        .env("TOOLGATE_CONFIG_JSON", json!({ "policy": { "deny_prompts": ["c"] } }).to_string());
    let loaded = world.load_clean();
    let [global, project, inline] = &loaded.config.policies[..] else { panic!("three layers") };
    assert_eq!(words(&global.value.tools.deny), ["a"]);
    assert_eq!(words(project.value.tools.allow.as_ref().unwrap()), ["b"]);
    assert_eq!(project.value.allowed_cwds.as_deref(), Some(&[".".to_owned()][..]));
    assert_eq!(words(&inline.value.prompts.deny), ["c"]);
    assert_eq!(project.origin.grade, LayerGrade::Project);
}

#[test]
fn a_mistake_in_a_policy_lifts_no_other_deny_of_it() {
    let text =
        "[policy]\ndeny_tools = [\"*delete*\", \"\"]\ndeny_tool = [\"x\"]\nallow_tools = []\n";
    let loaded = World::new().global(text).load();
    let rules: Vec<&str> = loaded.errors().into_iter().map(|(rule, _)| rule).collect();
    assert_eq!(rules, ["pattern", "unknown-key", "empty-allow-list"]);
    let policy = &loaded.config.policies[0].value;
    assert_eq!(words(&policy.tools.deny), ["*delete*"]);
    assert_eq!(policy.tools.allow, Some(Vec::new()), "an empty list allows nothing");
}

const SETTINGS: &str = r#"{
  "gateway": { "auth": "none", "naming": "bare" },
  "audit": { "retention_days": 1 },
  "approval": { "timeout_ms": 1 },
  "limits": { "sessions": 1 },
  "profile": "production-http",
  "sandbox": { "outer": "container" },
  "servers": { "s": { "url": "https://example.com/mcp" } }
}"#;

#[test]
fn a_project_cannot_set_the_rules_it_is_judged_by_in_whichever_way_it_comes() {
    for world in [
        World::new().file("toolgate.json", SETTINGS),
        World::new().file("other.json", SETTINGS).path("other.json"),
        World::new().file("other.json", SETTINGS).env("TOOLGATE_CONFIG", "other.json"),
        World::new().env("TOOLGATE_CONFIG_JSON", SETTINGS),
    ] {
        let loaded = world.load();
        let keys: Vec<&str> = loaded.errors().into_iter().map(|(_, key)| key).collect();
        assert_eq!(keys, ["gateway", "audit", "approval", "limits", "profile", "sandbox"]);
        for problem in &loaded.problems {
            assert_eq!(problem.rule, "not-for-projects");
            assert!(problem.message.contains("may come from someone else"), "{problem}");
        }
        let config = &loaded.config;
        assert_eq!(config.gateway.auth, CallerAuth::Token);
        assert_eq!(config.profile, Profile::Standard);
        assert_eq!((config.audit.retention_days, config.limits.sessions), (90, 10_000));
        assert_eq!(config.approval.timeout.get(), 120_000);
        assert_eq!(config.sandbox.outer.as_str(), "auto");
        assert_eq!(loaded.ids(), ["s"], "the rest of the file stands");
    }
}

#[test]
fn a_persons_own_layers_may_set_them_key_by_key() {
    let world = World::new()
        .file("own.json", SETTINGS)
        .env("TOOLGATE_GLOBAL_CONFIG", "own.json")
        .overrides(json!({ "gateway": { "naming": "dotted" }, "limits": { "connections": 2 } }));
    let loaded = world.load();
    let config = &loaded.config;
    assert_eq!((config.gateway.auth, config.gateway.naming.as_str()), (CallerAuth::None, "dotted"));
    assert_eq!((config.limits.sessions, config.limits.connections), (1, 2));
    assert_eq!(config.approval.timeout.get(), 1);
    assert_eq!(config.sandbox.outer.as_str(), "container");
}

#[test]
fn overrides_of_a_program_that_only_passes_them_on_are_project_grade() {
    let world =
        World::new().overrides(json!({ "gateway": {}, "servers": { "s": { "command": "x" } } }));
    let mut options = world.options().clone();
    options.overrides_grade = LayerGrade::Project;
    let loaded = toolgate_config::load(&options);
    assert_eq!(loaded.errors(), [("not-for-projects", "gateway")]);
    assert_eq!(loaded.stdio("s").confinement.profile, SandboxProfile::Default);
}

/// Shows: S0-23, S0-26, S0-27, S0-29.
#[test]
fn lists_of_a_bundle_keep_the_servers_own_names_and_a_missing_list_is_not_an_empty_one() {
    let text = r#"{
      "servers": { "s": { "trust": "trusted", "transport": { "type": "stdio", "command": "x" } } },
      "bundles": {
        "all": { "serverId": "s" },
        "some": { "serverId": "s", "mode": "meta", "allowTools": ["repo.readFile", "s__x"], "denyTools": ["*Write"] },
        "none": { "serverId": "s", "allowTools": [] }
      }
    }"#;
    let loaded = World::new().file("codex-toolloop.mcp.json", text).load();
    assert_eq!(loaded.errors(), [("empty-allow-list", "bundles.none.allowTools")]);
    let [(_, all), (_, some)] = loaded.config.bundles.iter().collect::<Vec<_>>()[..] else {
        panic!("two bundles stand")
    };
    assert_eq!((all.value.mode, &all.value.tools.allow), (BundleMode::Direct, &None));
    assert_eq!(some.value.mode, BundleMode::Meta);
    assert_eq!(words(some.value.tools.allow.as_ref().unwrap()), ["repo.readFile", "s__x"]);
    assert_eq!(words(&some.value.tools.deny), ["*Write"]);
    let bad = project_toml("[bundles.b]\nserver = \"repo\"\nmode = \"both\"\n").load();
    assert_eq!(bad.errors(), [("wrong-type", "bundles.b.mode")]);
}

/// Shows: C15, S2-16.
#[test]
fn local_processes_load_and_are_errors_under_the_production_profile() {
    let local =
        "[servers.files]\ncommand = \"npx\"\n[servers.off]\ncommand = \"x\"\nenabled = false\n";
    let world = World::new().global(local);
    assert_eq!(world.load_clean().ids(), ["files", "off"]);
    let production = "profile = \"production-http\"\ngateway = { tls_proxies = [\"127.0.0.1\"] }\n";
    let by_profile = World::new().global(&format!("{production}{local}"));
    for world in [world.strict(), by_profile] {
        let loaded = world.load();
        assert_eq!(loaded.errors(), [("production-stdio", "servers.files")]);
        assert_eq!(loaded.ids(), ["off"]);
        assert_eq!(loaded.rejected[0].id, "files");
    }
}

/// Shows: S3-28.
#[test]
fn the_wall_that_nobody_mentions_is_chosen_by_who_wrote_the_entry() {
    let text = "[servers.s]\ncommand = \"x\"\n[servers.said]\ncommand = \"x\"\nsandbox_profile = \"none\"\n\
                [tools.t]\ncommand = \"x\"\n[tools.said]\ncommand = \"x\"\nsandbox_profile = \"none\"\n";
    for (world, unsaid) in [
        (World::new().global(text), SandboxProfile::None),
        (project_toml(text), SandboxProfile::Default),
    ] {
        let loaded = world.load_clean();
        let wall = |id: &str| match &loaded.server(id).transport {
            Transport::Stdio(stdio) => stdio.confinement.profile,
            _ => panic!("{id}"),
        };
        assert_eq!((wall("s"), wall("said")), (unsaid, SandboxProfile::None));
        let tool = |id: &str| loaded.config.tools[id].value.confinement.profile;
        assert_eq!((tool("t"), tool("said")), (SandboxProfile::Default, SandboxProfile::None));
    }
    let loaded =
        project_toml("[tools.t]\ncommand = \"x\"\nsandbox_profile = \"seatbelt\"\n").load();
    assert_eq!(loaded.config.tools.is_empty(), !cfg!(target_os = "macos"));
}
