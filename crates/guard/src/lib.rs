//! Decides (purely) whether something may be done for a caller, and makes the proof that it may.
//!
//! [`Permitted`] is made here and nowhere else; whoever carries something out takes nothing but
//! that. It runs nothing itself. The deciding half is [`Visibility`] (what an audience sees),
//! [`AudienceRules`] and [`decide`] (whether a call is allowed, asked for or denied) and [`BundleRouting`] (from
//! an address to bundles): plain data in, an answer with its reason out. The asking half is the
//! [`ApprovalQueue`], where calls wait for a person's answer.

mod administrator;
mod approve;
mod arguments;
mod bundle_routes;
mod call_rules;
mod case;
mod decide;
mod decision;
mod drift;
mod filter;
mod ladder;
mod list;
mod members;
mod pattern;
mod permitted;
mod rules;
mod visibility;

pub use administrator::{Administrator, RuleError, ServerRule};
pub use approve::{
    AmbiguousJson, AnsweredCount, ApprovalConsent, ApprovalGone, ApprovalOutcome, ApprovalPrompt,
    ApprovalQueue, ApprovalReference, ApprovalRendering, ApprovalRequest, ApprovalSubject,
    ApprovalVerdict, Approver, BegunTask, NotWaiting, OwnSecrets, OwnedTask, ParkedNote,
    PendingConsent, QueueEvent, QueueFull, QueuedApproval, ResumeToken, ResumeTokenError,
    ResumedCall, SettledNote, ShownCall, TaskOwner, WaitingApproval, WatchedQueue, effects_of,
    effects_of_command,
};
pub use arguments::ArgumentTrespass;
pub use bundle_routes::{ActingAs, BundleRouting, StepAddress};
pub use call_rules::WrittenRule;
pub use case::{
    CommandFacts, DefinitionMismatch, MatterDetail, MatterKind, MatterOwner, PolicyCase,
    PolicyMatter, SessionGrant,
};
pub use decide::decide;
pub use decision::{
    AllowEverything, Decision, Guard, PermissionWithheld, Refusal, UnaskedDecision,
};
pub use drift::{DefinitionChange, DefinitionDrift, compare};
pub use filter::{admits, names_tool};
pub use ladder::{Annotation, CommandRisks, DecisionReason, LadderRuling, asks_for_command};
pub use list::{ListEffect, ListOwner, ListRule, NameList};
pub use permitted::Permitted;
pub use rules::AudienceRules;
pub use visibility::{
    BundleInput, ConfiguredValue, HiddenReason, RoleInUse, RoleInput, ServerInput, ServerPlaces,
    ServerVisibility, ToolExposure, Unresolvable, Visibility, VisibilityInputs,
    VisibilityNarrowing,
};
