//! What an audience sees: every allow list that exists, intersected, minus every deny list.
//!
//! Compiled once per audience and configuration, then asked per name. Several direct bundles of one
//! server are a union first; several meta bundles of one are an intersection. Nothing a server says
//! of itself is looked at. Whether an entry is pending is not known here: what a person did not
//! accept is not given in.

mod compiling;
mod inputs;
mod lists;
mod why;

use std::collections::{BTreeSet, HashMap};

use toolgate_types::{Trust, decode_fully};

pub use inputs::{BundleInput, RoleInput, ServerInput, VisibilityInputs, Written};
pub use why::{Unresolvable, Why};

use crate::case::{Kind, Owner};
use lists::{Allow, Lists, PerKind};

/// How something is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exposed {
    /// Itself in the list.
    Direct,
    /// Through the meta tools.
    Meta,
    /// To the caller it does not exist; the reason is for the owner of the configuration.
    Hidden { why: Why },
}

/// What one audience sees of all servers.
#[derive(Debug)]
pub struct Visibility {
    servers: HashMap<Box<str>, Slice>,
    /// Of role, policies and administrator: about every server.
    shared: PerKind<Lists>,
}

/// What of one server.
#[derive(Debug)]
struct Slice {
    trust: Trust,
    /// Why nothing of it may be used.
    barred: Option<Why>,
    /// Of its own entry and of the bundles that are selected.
    own: PerKind<Lists>,
    /// The names of the tools that a person accepted, where the server is untrusted.
    accepted: Option<BTreeSet<String>>,
    reach: Reach,
}

/// The way to a server's tools.
#[derive(Debug)]
enum Reach {
    /// No bundle of it is among those that are selected.
    None,
    /// No bundles at all: as its trust says.
    Implicit,
    Bundled {
        direct: Union,
        /// Each bundle's allow list, where it has one; nothing where there is no meta bundle.
        meta: Option<Vec<Allow>>,
    },
}

/// What several direct bundles let through together.
#[derive(Debug)]
enum Union {
    All,
    Some(Vec<Allow>),
}

impl Visibility {
    pub fn of(inputs: &VisibilityInputs<'_>) -> Result<Self, Vec<Unresolvable>> {
        compiling::compile(inputs)
    }

    /// How a name is shown.
    pub fn exposes(&self, owner: Owner<'_>, kind: Kind, name: &str) -> Exposed {
        match self.find(owner, kind, name) {
            Ok(exposed) => exposed,
            Err(why) => Exposed::Hidden { why },
        }
    }

    /// How far a server is believed; an unknown one is not.
    pub(crate) fn trust(&self, owner: Owner<'_>) -> Trust {
        self.servers.get(owner.as_str()).map_or(Trust::Untrusted, |slice| slice.trust)
    }

    fn find(&self, owner: Owner<'_>, kind: Kind, name: &str) -> Result<Exposed, Why> {
        let slice = self.servers.get(owner.as_str()).ok_or(Why::UnknownServer)?;
        if let Some(why) = &slice.barred {
            return Err(why.clone());
        }
        let (shared, own) = (self.shared.of(kind), slice.own.of(kind));
        let listed = !shared.is_empty() || !own.is_empty();
        if kind == Kind::Resource && listed && has_dot_segment(name) {
            return Err(Why::DotSegments);
        }
        shared.check(owner, name)?;
        own.check(owner, name)?;
        match kind {
            Kind::Tool => slice.reach_tool(owner, name),
            Kind::Resource | Kind::Prompt => slice.reach_other(own),
        }
    }
}

impl Slice {
    fn reach_tool(&self, owner: Owner<'_>, name: &str) -> Result<Exposed, Why> {
        if self.accepted.as_ref().is_some_and(|names| !names.contains(name)) {
            return Err(Why::NotAccepted);
        }
        let (direct, meta) = match &self.reach {
            Reach::None => return Err(Why::NoBundle),
            Reach::Implicit => return self.reach_implicitly(),
            Reach::Bundled { direct, meta } => (direct, meta),
        };
        let is_direct = match direct {
            Union::All => true,
            Union::Some(allows) => allows.iter().any(|allow| allow.contains(owner, name)),
        };
        if is_direct {
            return Ok(Exposed::Direct);
        }
        let left_out = |allow: &Allow| Why::NotAllowed(allow.list());
        match meta {
            Some(allows) => match allows.iter().find(|allow| !allow.contains(owner, name)) {
                Some(allow) => Err(left_out(allow)),
                None => Ok(Exposed::Meta),
            },
            None => match direct {
                Union::Some(allows) => Err(allows.first().map_or(Why::NoBundle, left_out)),
                Union::All => Ok(Exposed::Direct),
            },
        }
    }

    fn reach_implicitly(&self) -> Result<Exposed, Why> {
        match (self.trust, &self.accepted) {
            (Trust::Trusted, _) => Ok(Exposed::Direct),
            (Trust::Untrusted, Some(_)) => Ok(Exposed::Meta),
            (Trust::Untrusted, None) => Err(Why::NothingAccepted),
        }
    }

    /// Bundles say nothing of resources and prompts but whose they may be.
    fn reach_other(&self, own: &Lists) -> Result<Exposed, Why> {
        match (&self.reach, self.trust) {
            (Reach::None, _) => Err(Why::NoBundle),
            // The list of its own entry, which a person accepted; a list of everybody's names that a
            // project brings along must not open anything.
            (_, Trust::Untrusted) if !own.has_allow() => Err(Why::Unnamed),
            _ => Ok(Exposed::Direct),
        }
    }
}

/// Whether a URI climbs, plainly or encoded: the server would read another one than was matched.
fn has_dot_segment(uri: &str) -> bool {
    if !uri.contains('.') && !uri.contains('%') {
        return false;
    }
    let plain = decode_fully(uri);
    plain.split(['/', '\\', '?', '#']).any(|segment| matches!(segment, "." | ".."))
}
