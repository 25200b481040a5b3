//! What is decided about one run of a command tool.

use std::path::Path;

use toolgate_guard::{
    CommandFacts, DecisionReason, LadderRuling, MatterDetail, PolicyCase, PolicyMatter, decide,
};
use toolgate_types::config::{NetworkAccess, Policy, SandboxProfile, SideEffects};
use toolgate_types::{Digest, Principal};

use crate::world::{WORKSPACE, World};

const NOW: Digest = Digest([1; 32]);

#[test]
fn the_folder_of_a_run_is_looked_at_in_each_call() {
    let policy = Policy { allowed_cwds: Some(vec![".".to_owned()]), ..Policy::default() };
    let rules = World { policies: vec![policy], ..World::default() }.rules();
    let effects = SideEffects::Declared(Vec::new());
    let run_in = |cwd| {
        let what = MatterDetail::CommandTool(CommandFacts {
            side_effects: &effects,
            profile: SandboxProfile::Default,
            network: &NetworkAccess::Off,
            requires_approval: false,
            cwd: Path::new(cwd),
        });
        PolicyMatter { name: "run", what }
    };
    let me = Principal::local_user();
    let decided = |matter| {
        let (session, grants, arguments) = (None, &[], None);
        let case = PolicyCase {
            matter,
            principal: &me,
            session,
            definition: NOW,
            grants,
            unlike: None,
            arguments,
            defined: None,
        };
        decide(&rules, &case)
    };
    assert_eq!(decided(run_in(WORKSPACE)), LadderRuling::Allow(DecisionReason::RequiresNoApproval));
    assert!(matches!(
        decided(run_in("/etc")),
        LadderRuling::Deny(DecisionReason::FolderNotAllowed(_))
    ));
}
