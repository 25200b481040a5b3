//! Command tools: what is of high risk always asks; then the entry's own word.

use toolgate_types::config::{SandboxProfile, SideEffect, SideEffects};

use super::{Reason, Risks, Ruling};
use crate::case::CommandFacts;

pub(super) fn climb(facts: &CommandFacts<'_>) -> Ruling {
    let risks = risks(facts);
    if risks.any() {
        return Ruling::Ask(Reason::HighRisk(risks));
    }
    if facts.requires_approval {
        Ruling::Ask(Reason::RequiresApproval)
    } else {
        Ruling::Allow(Reason::RequiresNoApproval)
    }
}

fn risks(facts: &CommandFacts<'_>) -> Risks {
    let declares = |effect| match facts.side_effects {
        SideEffects::NotDeclared => false,
        SideEffects::Declared(effects) => effects.contains(&effect),
    };
    Risks {
        writes: declares(SideEffect::FsWrite),
        network: declares(SideEffect::Network),
        network_allowed: facts.allow_network,
        unconfined: facts.profile == SandboxProfile::None,
        undeclared: *facts.side_effects == SideEffects::NotDeclared,
    }
}
