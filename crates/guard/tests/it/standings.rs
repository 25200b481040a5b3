//! The table of decisions that were worked out ahead.

use std::path::Path;
use std::sync::Arc;

use toolgate_guard::{Case, CommandFacts, Matter, Owner, Reason, Ruling, Standings, What};
use toolgate_types::Trust::Trusted;
use toolgate_types::config::{ApprovalMode, Policy, SandboxProfile, SideEffects};
use toolgate_types::{Digest, Hints, Principal};

use crate::world::{WORKSPACE, World, case, id};

const NOW: Digest = Digest([1; 32]);
const THEN: Digest = Digest([2; 32]);

#[test]
fn a_tool_that_is_defined_otherwise_is_decided_anew() {
    let (rules, git, me) =
        (Arc::new(World::with(Trusted).rules()), id("git"), Principal::local_user());
    let tool = |read_only| {
        let hints = Hints { read_only: Some(read_only), ..Hints::default() };
        let mode = Some(ApprovalMode::Auto);
        Matter {
            name: "sum",
            what: What::ServerTool { server: &git, mode, tool_mode: None, hints },
        }
    };
    let standings = Standings::of(rules, [(tool(true), THEN)]);
    let case = |matter, definition| case(matter, &me, definition);
    assert!(standings.get(Owner::Server(&git), "sum", THEN).is_some());
    assert!(standings.get(Owner::Server(&git), "sum", NOW).is_none());
    assert!(matches!(standings.decide(&case(tool(true), THEN)), Ruling::Allow(_)));
    assert!(matches!(standings.decide(&case(tool(false), NOW)), Ruling::Ask(_)));
}

#[test]
fn the_folder_of_a_run_is_looked_at_in_each_call() {
    let policy = Policy { allowed_cwds: Some(vec![".".to_owned()]), ..Policy::default() };
    let rules = World { policies: vec![policy], ..World::default() }.rules();
    let effects = SideEffects::Declared(Vec::new());
    let run_in = |cwd| {
        let what = What::CommandTool(CommandFacts {
            side_effects: &effects,
            profile: SandboxProfile::Default,
            allow_network: false,
            requires_approval: false,
            cwd: Path::new(cwd),
        });
        Matter { name: "run", what }
    };
    let standings = Standings::of(Arc::new(rules), [(run_in(WORKSPACE), NOW)]);
    let me = Principal::local_user();
    let decided = |matter| {
        let (session, grants, arguments) = (None, &[], None);
        standings.decide(&Case {
            matter,
            principal: &me,
            session,
            definition: NOW,
            grants,
            unlike: None,
            arguments,
        })
    };
    assert_eq!(decided(run_in(WORKSPACE)), Ruling::Allow(Reason::RequiresNoApproval));
    assert!(matches!(decided(run_in("/etc")), Ruling::Deny(Reason::FolderNotAllowed(_))));
}
