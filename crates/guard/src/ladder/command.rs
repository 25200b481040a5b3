//! Command tools: what is of high risk always asks; then the entry's own word.

use toolgate_types::config::{SandboxProfile, SideEffect, SideEffects};

use super::{CommandRisks, DecisionReason, LadderRuling};
use crate::case::CommandFacts;

pub(super) fn climb(facts: &CommandFacts<'_>) -> LadderRuling {
    let risks = risks(facts);
    if risks.any() {
        return LadderRuling::Ask(DecisionReason::HighRisk(risks));
    }
    if facts.requires_approval {
        LadderRuling::Ask(DecisionReason::RequiresApproval)
    } else {
        LadderRuling::Allow(DecisionReason::RequiresNoApproval)
    }
}

fn risks(facts: &CommandFacts<'_>) -> CommandRisks {
    let declares = |effect| match facts.side_effects {
        SideEffects::NotDeclared => false,
        SideEffects::Declared(effects) => effects.contains(&effect),
    };
    CommandRisks {
        writes: declares(SideEffect::FsWrite),
        network: declares(SideEffect::Network),
        network_allowed: !facts.network.is_off(),
        unconfined: facts.profile == SandboxProfile::None,
        undeclared: *facts.side_effects == SideEffects::NotDeclared,
    }
}
