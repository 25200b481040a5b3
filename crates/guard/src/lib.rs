//! Decides (purely) whether something may be done for a caller, and makes the proof that it may.
//!
//! [`Permitted`] is made here and nowhere else; whoever carries something out takes nothing but
//! that. It runs nothing itself. The deciding half is [`Visibility`] (what an audience sees),
//! [`Rules`] and [`decide`] (whether a call is allowed, asked for or denied) and [`Routing`] (from
//! an address to bundles): plain data in, an answer with its reason out. The asking half is the
//! [`Desk`], where calls wait for a person's answer.

mod administrator;
mod approve;
mod arguments;
mod case;
mod decision;
mod drift;
mod filter;
mod ladder;
mod list;
mod members;
mod pattern;
mod permitted;
mod routing;
mod rules;
mod standing;
mod visibility;

pub use administrator::{Administrator, RuleError, ServerRule};
pub use approve::{
    Approver, Broken, Consent, Desk, Form, Full, GoingOn, Gone, Held, News, NotWaiting, Note,
    OwnSecrets, Petition, Prompt, Reference, Rendering, Settled, SettledNote, ShownCall, Subject,
    Unclear, Verdict, Waiting, choice_of, effects_of, effects_of_command,
};
pub use arguments::Trespass;
pub use case::{Case, CommandFacts, Grant, Kind, Matter, Owner, Unlike, What};
pub use decision::{AllowEverything, Decision, Guard, Refusal, Unasked, Withheld};
pub use drift::{Change, Drift, compare};
pub use filter::admits;
pub use ladder::{Annotation, Reason, Risks, Ruling};
pub use list::{Effect, List, Rule, Whose};
pub use permitted::Permitted;
pub use routing::{Routing, StepAddress};
pub use rules::{Rules, decide};
pub use standing::{Standing, Standings};
pub use visibility::{
    BundleInput, Exposed, RoleInput, ServerInput, Unresolvable, Visibility, VisibilityInputs, Why,
    Written,
};
