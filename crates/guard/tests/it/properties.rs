//! What holds whatever is configured: nothing widens but what is meant to.

mod arbitrary;

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::Index;
use toolgate_guard::{
    Administrator, LadderRuling, MatterDetail, MatterKind, MatterOwner, PolicyCase, PolicyMatter,
    ServerRule, SessionGrant, ToolExposure, decide,
};
use toolgate_types::Trust;
use toolgate_types::config::{NameFilter, Policy};
use toolgate_types::{Digest, Pattern, Principal, SessionId};

use crate::world::{World, accepted, allow, case, id, patterns, process};
use arbitrary::{NAMES, SERVERS, a_filter, a_name, a_pattern, a_world, hints, mode};

type Shown = BTreeSet<(&'static str, &'static str)>;

/// What is shown of all servers; nothing where the bundles do not resolve.
fn shown(world: &World) -> Shown {
    exposures(world).into_iter().filter(|(_, way)| *way > 0).map(|(name, _)| name).collect()
}

/// 0 for hidden, 1 through the meta tools, 2 direct.
fn exposures(world: &World) -> Vec<((&'static str, &'static str), u8)> {
    let Ok(visibility) = world.visibility() else { return Vec::new() };
    let mut all = Vec::new();
    for server in SERVERS {
        let owner_id = id(server);
        for name in NAMES {
            let way =
                match visibility.exposes(MatterOwner::Server(&owner_id), MatterKind::Tool, name) {
                    ToolExposure::Hidden { .. } => 0,
                    ToolExposure::Meta => 1,
                    ToolExposure::Direct => 2,
                };
            all.push(((server, name), way));
        }
    }
    all
}

/// Some filter over tools in this world, with the server that it belongs to if it is of one.
fn some_filter(world: &mut World, which: Index) -> (Option<String>, &mut NameFilter) {
    let mut all: Vec<(Option<String>, &mut NameFilter)> = Vec::new();
    for known in &mut world.servers {
        all.push((Some(known.id.to_string()), &mut known.entry.tools));
    }
    for (_, bundle) in world.bundles.iter_mut().flatten() {
        all.push((Some(bundle.server.to_string()), &mut bundle.tools));
    }
    all.extend(world.role.iter_mut().map(|(_, role)| (None, &mut role.tools)));
    all.extend(world.policies.iter_mut().map(|policy| (None, &mut policy.tools)));
    let at = which.index(all.len());
    all.swap_remove(at)
}

proptest! {
    /// Shows: S0-31, S2-14.
    #[test]
    fn a_deny_anywhere_always_wins(
        mut world in a_world(),
        which in any::<Index>(),
        name in a_name(),
    ) {
        let (of, filter) = some_filter(&mut world, which);
        filter.deny.push(Pattern::parse(name).unwrap());
        for (server, tool) in shown(&world) {
            let concerned = of.as_deref().is_none_or(|of| of == server);
            prop_assert!(!(concerned && tool == name), "{server}/{tool}");
        }
    }

    #[test]
    fn adding_a_deny_never_widens(
        world in a_world(),
        which in any::<Index>(),
        pattern in a_pattern(),
    ) {
        let mut narrowed = world.clone();
        some_filter(&mut narrowed, which).1.deny.push(pattern);
        prop_assert!(shown(&narrowed).is_subset(&shown(&world)));
    }

    /// Shows: C10, P11-8.
    #[test]
    fn adding_an_allow_list_never_widens(
        world in a_world(),
        which in any::<Index>(),
        list in prop::collection::vec(a_pattern(), 0..4),
    ) {
        // Bundles that resolve only with the list would show nothing before.
        prop_assume!(world.visibility().is_ok());
        let mut narrowed = world.clone();
        let (_, filter) = some_filter(&mut narrowed, which);
        prop_assume!(filter.allow.is_none());
        filter.allow = Some(list.clone());
        prop_assert!(shown(&narrowed).is_subset(&shown(&world)));
        let mut narrowed = world.clone();
        let tools = NameFilter { allow: Some(list), deny: Vec::new() };
        narrowed.policies.push(Policy { tools, ..Policy::default() });
        prop_assert!(shown(&narrowed).is_subset(&shown(&world)));
    }

    #[test]
    fn a_server_all_of_whose_tools_are_direct_has_none_that_is_not(world in a_world()) {
        let visibility = world.visibility();
        for ((server, tool), way) in exposures(&world) {
            let server = id(server);
            let Ok(visibility) = &visibility else { continue };
            let its = visibility.of_server(MatterOwner::Server(&server));
            prop_assert_eq!(its.is_direct(tool), way == 2);
            prop_assert!(!its.is_all_direct() || way == 2, "{}/{}", server, tool);
        }
    }

    /// Shows: P11-1, P11-8, P11-10.
    #[test]
    fn the_order_of_layers_bundles_and_patterns_does_not_matter(world in a_world()) {
        let mut turned = world.clone();
        turned.policies.reverse();
        turned.servers.reverse();
        turned.bundles.iter_mut().for_each(|bundles| bundles.reverse());
        for policy in &mut turned.policies {
            policy.tools.deny.reverse();
            policy.tools.allow.iter_mut().for_each(|allow| allow.reverse());
        }
        prop_assert_eq!(exposures(&world), exposures(&turned));
    }

    /// Shows: S1-83, S4-42.
    #[test]
    fn an_untrusted_server_never_gains_by_what_it_says(
        role in prop::option::of(a_filter()),
        (hints, mode, tool_mode) in (hints(), mode(), mode()),
    ) {
        let world = World::default()
            .server("git", Trust::Untrusted, |known| known.accepted = accepted(&NAMES));
        let world = match role {
            Some(tools) => world.role(tools),
            None => world,
        };
        let (rules, git) = (world.rules(), id("git"));
        for name in NAMES {
            let what = MatterDetail::ServerTool { server: &git, mode, tool_mode, hints };
            let me = Principal::local_user();
            let case = case(PolicyMatter { name, what }, &me, Digest([0; 32]));
            prop_assert!(!matches!(decide(&rules, &case), LadderRuling::Allow(_)));
        }
    }

    /// Shows: E-6.
    #[test]
    fn nothing_widens_what_the_administrator_laid_down(
        world in a_world(),
        (denied, forced) in (a_pattern(), a_pattern()),
        (hints, mode, tool_mode) in (hints(), mode(), mode()),
        (name, more) in (a_name(), a_filter()),
    ) {
        let administrator = Administrator {
            allowed_servers: Some(vec![ServerRule::command(["git".to_owned()]).unwrap()]),
            deny_tools: vec![denied.clone()],
            force_approval: vec![forced.clone()],
            rules: Vec::new(),
            origins: Vec::new(),
        };
        // What would be left if nothing but this one deny were configured.
        let mut free = World::default().policy(NameFilter { allow: None, deny: vec![denied] });
        for server in SERVERS {
            free = free.server(server, Trust::Trusted, |_| {});
        }
        let mut world = world.policy(more).administrator(administrator);
        for known in &mut world.servers {
            known.entry.transport = process(known.id.as_str(), &[]);
        }
        prop_assert!(shown(&world).is_subset(&shown(&free)));
        prop_assert!(shown(&world).iter().all(|(server, _)| *server == "git"));
        prop_assume!(world.visibility().is_ok());
        let (git, me, session) = (id("git"), Principal::local_user(), SessionId("s".to_owned()));
        let definition = Digest([0; 32]);
        let grants = [SessionGrant {
            principal: me.clone(),
            session: session.clone(),
            owner: "git".to_owned(),
            tool: name.to_owned(),
            definition,
        }];
        let matter = PolicyMatter { name, what: MatterDetail::ServerTool { server: &git, mode, tool_mode, hints } };
        let (session, arguments) = (Some(&session), None);
        let case = PolicyCase { matter, principal: &me, session, definition, grants: &grants, unlike: None, arguments, defined: None };
        let ruling = decide(&world.rules(), &case);
        let is_forced = World::with(Trust::Trusted)
            .policy(NameFilter { allow: None, deny: vec![forced] })
            .shown(&[name])
            .is_empty();
        prop_assert!(!(is_forced && matches!(ruling, LadderRuling::Allow(_))), "{}", ruling);
    }

    /// Shows: S0-30.
    #[test]
    fn an_empty_intersection_shows_nothing(
        mut world in a_world(),
        (which, name, other) in (any::<Index>(), a_name(), a_name()),
    ) {
        prop_assume!(name != other && !name.contains(':') && !other.contains(':'));
        let apart = world.clone().policy(allow(&[name])).policy(allow(&[other]));
        prop_assert!(shown(&apart).is_empty());
        prop_assert!(shown(&world.clone().policy(allow(&[]))).is_empty());
        let (of, filter) = some_filter(&mut world, which);
        if of.is_none() {
            filter.allow = Some(patterns(&[]));
            prop_assert!(shown(&world).is_empty());
        }
    }
}
