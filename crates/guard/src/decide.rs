//! Allow, ask or deny: what the rules of an audience say of one case.

use toolgate_types::Trust;

use crate::call_rules::RuledCall;
use crate::case::{MatterDetail, MatterKind, PolicyCase, SessionGrant};
use crate::ladder::{self, DecisionReason, LadderRuling};
use crate::rules::AudienceRules;

/// What the rules about calls make of it, for tools.
fn by_rule(ruling: LadderRuling, rules: &AudienceRules, case: &PolicyCase<'_>) -> LadderRuling {
    let (owner, name) = (case.matter.owner(), case.matter.name);
    if case.matter.what.kind() != MatterKind::Tool {
        return ruling;
    }
    // A person's own command tools are as trusted as their file.
    let trust = match case.matter.what {
        MatterDetail::CommandTool(_) => Trust::Trusted,
        _ => rules.visibility().trust(owner),
    };
    let call = RuledCall { arguments: case.arguments, defined: case.defined };
    ruling.by_rule(rules.call_rule(owner, name, &call), trust)
}

/// Allow, ask or deny, with the reason. The same answer each time.
pub fn decide(rules: &AudienceRules, case: &PolicyCase<'_>) -> LadderRuling {
    let standing = by_rule(ladder::climb(rules, &case.matter), rules, case);
    let is_denied = matches!(standing, LadderRuling::Deny(_));
    if let MatterDetail::CommandTool(facts) = case.matter.what
        && !is_denied
        && let Err(reason) = rules.check_run(&facts, case.arguments)
    {
        return LadderRuling::Deny(reason);
    }
    let ruling = match case.unlike {
        Some(unlike) if !is_denied => standing.raised(DecisionReason::Unlike(unlike)),
        _ => standing,
    };
    if ruling.may_be_kept() && case.grants.iter().any(|grant| SessionGrant::covers(grant, case)) {
        return LadderRuling::Allow(DecisionReason::SessionGrant);
    }
    ruling
}
