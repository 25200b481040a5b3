//! Tools of servers: the configured mode, or else a person is asked.

use toolgate_types::config::ApprovalMode;
use toolgate_types::{ToolHints, Trust};

use super::{Annotation, DecisionReason, LadderRuling};

pub(super) fn climb(
    trust: Trust,
    mode: Option<ApprovalMode>,
    tool_mode: Option<ApprovalMode>,
    hints: ToolHints,
) -> LadderRuling {
    let of_tool = tool_mode.is_some();
    match (tool_mode.or(mode), trust) {
        (None, _) => LadderRuling::Ask(DecisionReason::Default),
        (Some(ApprovalMode::Prompt), _) => LadderRuling::Ask(DecisionReason::Prompt { of_tool }),
        // Neither a mode nor its own words make an untrusted server pass.
        (Some(mode), Trust::Untrusted) => LadderRuling::Ask(DecisionReason::ModeNeedsTrust(mode)),
        (Some(ApprovalMode::Approve), Trust::Trusted) => {
            LadderRuling::Allow(DecisionReason::Approved { of_tool })
        }
        (Some(ApprovalMode::Auto), Trust::Trusted) => match annotation(hints) {
            Annotation::ReadOnly => {
                LadderRuling::Allow(DecisionReason::Annotated(Annotation::ReadOnly))
            }
            asks => LadderRuling::Ask(DecisionReason::Annotated(asks)),
        },
    }
}

/// What the annotations come to. Of two that contradict each other the graver counts.
fn annotation(hints: ToolHints) -> Annotation {
    let ToolHints { read_only, destructive, idempotent: _, open_world } = hints;
    match read_only {
        _ if destructive == Some(true) => Annotation::Destructive,
        _ if open_world == Some(true) => Annotation::OpenWorld,
        Some(true) => Annotation::ReadOnly,
        Some(false) => Annotation::NotReadOnly,
        None => Annotation::Missing,
    }
}
