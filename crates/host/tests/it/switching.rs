//! What a person switched away: less is seen than before, and never anything else.

use toolgate_host::{Audience, AudienceAddress, Guard};
use toolgate_testkit::{Act, Script};
use toolgate_types::config::{Bundle, BundleMode, Config, NameFilter, Role};
use toolgate_types::{BundleId, Pattern, RoleId, SwitchScope, SwitchedAway, Trust};

use crate::gate::{Gate, Running, id};
use crate::policy::written;

fn reading() -> Script {
    let tools = r#"{"tools":[{"name":"read"},{"name":"write"}]}"#;
    Script::legacy().on("tools/list", [Act::answer(tools)])
}

fn role(config: &mut Config, name: &str, bundles: &[(&str, BundleMode, Option<&str>)]) {
    let mut ids = Vec::new();
    for (server, mode, allow) in bundles {
        let bundle_id = BundleId::parse(&format!("{name}-{server}")).unwrap();
        let allow = allow.map(|pattern| vec![Pattern::parse(pattern).unwrap()]);
        let tools = NameFilter { allow, deny: Vec::new() };
        let bundle = Bundle { server: id(server), mode: *mode, description: None, tools };
        config.bundles.insert(bundle_id.clone(), written(bundle_id.as_str(), bundle));
        ids.push(bundle_id);
    }
    let role = Role { description: None, bundles: ids, tools: NameFilter::default() };
    config.roles.insert(RoleId::parse(name).unwrap(), written(name, role));
}

/// Two trusted servers and one that is not, of which nothing was accepted by name.
fn gate(switched: SwitchedAway) -> Running {
    Gate::guarded(Guard::default())
        .server_with("a", reading(), |_| {})
        .server_with("b", reading(), |_| {})
        .server_with("odd", reading(), |server| server.declared_trust = Some(Trust::Untrusted))
        .configured(|config| {
            let odd = ("odd", BundleMode::Meta, Some("read"));
            role(config, "wide", &[("a", BundleMode::Direct, None), odd]);
            role(config, "meta", &[("a", BundleMode::Meta, Some("read"))]);
            config.switch(switched);
        })
        .run()
}

fn using(name: &str) -> SwitchedAway {
    let role = Some((RoleId::parse(name).unwrap(), SwitchScope::Everywhere));
    SwitchedAway { role, ..SwitchedAway::default() }
}

async fn names(gate: &Running, address: AudienceAddress) -> String {
    let audience = Audience { resource_tools: false, ..Audience::at(address) };
    let audience = Audience { naming: toolgate_types::config::Naming::Joined, ..audience };
    let listed = gate.host.list_tools(&audience).await;
    assert!(listed.unresolved().is_none(), "{:?}", listed.unresolved());
    listed.tools().map(|tool| tool.name().to_owned()).collect::<Vec<_>>().join(" ")
}

fn acting(role: &str) -> AudienceAddress {
    AudienceAddress::Role(RoleId::parse(role).unwrap())
}

#[tokio::test(start_paused = true)]
async fn a_role_in_use_shows_nothing_that_the_address_hides() {
    let plain = gate(SwitchedAway::default());
    let meta = "mcp_call_tool mcp_get_tool_schema mcp_list_tools mcp_search_tools";
    assert_eq!(names(&plain, acting("wide")).await, format!("a__read a__write {meta}"));
    let gate = gate(using("wide"));
    // The untrusted server is the role's, and not there for whoever has no role.
    assert_eq!(names(&gate, AudienceAddress::Everything).await, "a__read a__write");
    assert_eq!(names(&gate, acting("wide")).await, format!("a__read a__write {meta}"));
}

#[tokio::test(start_paused = true)]
async fn what_a_role_in_use_reaches_by_the_meta_tools_is_not_listed() {
    let gate = gate(using("meta"));
    let meta = "mcp_call_tool mcp_get_tool_schema mcp_list_tools mcp_search_tools";
    assert_eq!(names(&gate, AudienceAddress::Everything).await, meta);
    assert_eq!(names(&gate, acting("wide")).await, meta, "both hold");
}

#[tokio::test(start_paused = true)]
async fn a_role_in_use_that_does_not_exist_shows_nothing() {
    let gate = gate(using("gone"));
    assert_eq!(names(&gate, AudienceAddress::Everything).await, "");
    assert_eq!(names(&gate, acting("wide")).await, "");
}

#[tokio::test(start_paused = true)]
async fn one_server_alone_and_servers_that_are_off() {
    let off = |server: &str| [(id(server), SwitchScope::Everywhere)].into_iter().collect();
    let gate = gate(SwitchedAway { off: off("b"), role: None });
    let only = |server| AudienceAddress::Everything.only(id(server));
    assert_eq!(names(&gate, AudienceAddress::Everything).await, "a__read a__write");
    assert_eq!(names(&gate, only("a")).await, "a__read a__write");
    assert_eq!(names(&gate, only("b")).await, "", "it is off");
    assert_eq!(names(&gate, only("odd")).await, "", "nor is anything more of it there");
    assert_eq!(names(&gate, only("a").without(off("a"))).await, "");
    assert_eq!(names(&gate, only("a").only(id("b"))).await, "");
    assert_eq!(gate.peers.received("b", "initialize"), 0, "it is not even started");
    let host = &gate.host;
    assert!(host.has_server_at(&AudienceAddress::Everything, &id("b")), "off is not gone");
    assert!(!host.has_server_at(&acting("meta"), &id("b")));
    assert!(!host.has_server_at(&AudienceAddress::Everything, &id("none")));
}
