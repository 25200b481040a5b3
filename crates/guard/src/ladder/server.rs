//! Tools of servers: the configured mode, or else a person is asked.

use toolgate_types::config::ApprovalMode;
use toolgate_types::{Hints, Trust};

use super::{Annotation, Reason, Ruling};

pub(super) fn climb(
    trust: Trust,
    mode: Option<ApprovalMode>,
    tool_mode: Option<ApprovalMode>,
    hints: Hints,
) -> Ruling {
    let of_tool = tool_mode.is_some();
    match (tool_mode.or(mode), trust) {
        (None, _) => Ruling::Ask(Reason::Default),
        (Some(ApprovalMode::Prompt), _) => Ruling::Ask(Reason::Prompt { of_tool }),
        // Neither a mode nor its own words make an untrusted server pass.
        (Some(mode), Trust::Untrusted) => Ruling::Ask(Reason::ModeNeedsTrust(mode)),
        (Some(ApprovalMode::Approve), Trust::Trusted) => {
            Ruling::Allow(Reason::Approved { of_tool })
        }
        (Some(ApprovalMode::Auto), Trust::Trusted) => match annotation(hints) {
            Annotation::ReadOnly => Ruling::Allow(Reason::Annotated(Annotation::ReadOnly)),
            asks => Ruling::Ask(Reason::Annotated(asks)),
        },
    }
}

/// What the annotations come to. Of two that contradict each other the graver counts.
fn annotation(hints: Hints) -> Annotation {
    let Hints { read_only, destructive, idempotent: _, open_world } = hints;
    match read_only {
        _ if destructive == Some(true) => Annotation::Destructive,
        _ if open_world == Some(true) => Annotation::OpenWorld,
        Some(true) => Annotation::ReadOnly,
        Some(false) => Annotation::NotReadOnly,
        None => Annotation::Missing,
    }
}
