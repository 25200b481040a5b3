//! What an audience sees: every allow list that exists, intersected, minus every deny list.
//!
//! Compiled once per audience and configuration, then asked per name. Several direct bundles of one
//! server are a union first; several meta bundles of one are an intersection. Nothing a server says
//! of itself is looked at. Whether an entry is pending is not known here: what a person did not
//! accept is not given in.

mod bundles_by_server;
mod compile_lists;
mod inputs;
mod lists;
mod narrowing;
mod server_places;
mod why;

use std::collections::BTreeSet;
use std::sync::Arc;

use toolgate_types::{Trust, decode_fully};

pub use inputs::{BundleInput, ConfiguredValue, RoleInput, ServerInput, VisibilityInputs};
pub use narrowing::{RoleInUse, VisibilityNarrowing};
pub use server_places::ServerPlaces;
pub use why::{HiddenReason, Unresolvable};

use crate::case::{MatterKind, MatterOwner};
use lists::{AllowList, JoinedLists, PerKind};

/// How something is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolExposure {
    /// Itself in the list.
    Direct,
    /// Through the meta tools.
    Meta,
    /// To the caller it does not exist; the reason is for the owner of the configuration.
    Hidden { why: HiddenReason },
}

/// What one audience sees of all servers.
#[derive(Debug)]
pub struct Visibility {
    places: Arc<ServerPlaces>,
    /// By those.
    servers: Vec<ServerSlice>,
    /// What of the command tools.
    local: ServerSlice,
    /// Of role, policies and administrator: about every server.
    shared: PerKind<JoinedLists>,
    /// What is taken away of that.
    narrowing: VisibilityNarrowing,
}

/// What of one server.
#[derive(Debug)]
struct ServerSlice {
    trust: Trust,
    /// Why nothing of it may be used.
    barred: Option<HiddenReason>,
    /// Of its own entry and of the bundles that are selected; nearly no server has any.
    own: Option<Box<PerKind<JoinedLists>>>,
    /// The names of the tools that a person accepted, where the server is untrusted.
    accepted: Option<BTreeSet<String>>,
    reach: ServerReach,
}

/// The way to a server's tools.
#[derive(Debug)]
enum ServerReach {
    /// No bundle of it is among those that are selected.
    None,
    /// No bundles at all: as its trust says.
    Implicit,
    Bundled {
        direct: BundleUnion,
        /// Of those, what is direct by a bundle's own word.
        said: BundleUnion,
        /// Each bundle's allow list, where it has one; nothing where there is no meta bundle.
        meta: Option<Vec<AllowList>>,
    },
}

/// What several direct bundles let through together.
#[derive(Debug)]
enum BundleUnion {
    All,
    Some(Vec<AllowList>),
}

impl BundleUnion {
    fn nothing() -> Self {
        Self::Some(Vec::new())
    }

    /// And what another bundle lets through: everything where it has no list.
    fn add(&mut self, allow: Option<impl FnOnce() -> AllowList>) {
        match (self, allow) {
            (Self::All, _) => {}
            (Self::Some(allows), Some(allow)) => allows.push(allow()),
            (all, None) => *all = Self::All,
        }
    }

    fn contains(&self, owner: MatterOwner<'_>, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Some(allows) => allows.iter().any(|allow| allow.contains(owner, name)),
        }
    }
}

impl Visibility {
    pub fn of(inputs: &VisibilityInputs<'_>) -> Result<Self, Vec<Unresolvable>> {
        compile_lists::compile(inputs, None)
    }

    /// The same beside another audience, whose servers' places are known.
    pub(crate) fn beside(
        inputs: &VisibilityInputs<'_>,
        places: Option<&Arc<ServerPlaces>>,
    ) -> Result<Self, Vec<Unresolvable>> {
        compile_lists::compile(inputs, places)
    }

    /// The places of its servers, for other audiences.
    pub fn places(&self) -> &Arc<ServerPlaces> {
        &self.places
    }

    /// The same, with this taken away.
    #[must_use]
    pub fn narrowed(self, narrowing: VisibilityNarrowing) -> Self {
        Self { narrowing, ..self }
    }

    /// How a name is shown.
    pub fn exposes(&self, owner: MatterOwner<'_>, kind: MatterKind, name: &str) -> ToolExposure {
        match self.find(owner, kind, name) {
            Ok(exposed) => exposed,
            Err(why) => ToolExposure::Hidden { why },
        }
    }

    /// Whether a bundle itself says that a tool is listed, so that nothing else puts it behind the meta
    /// tools. About tools that are exposed directly, and nothing about any other.
    pub fn lists_by_bundle(&self, owner: MatterOwner<'_>, tool: &str) -> bool {
        match self.slice(owner).map(|slice| &slice.reach) {
            Some(ServerReach::Bundled { said, .. }) => said.contains(owner, tool),
            _ => false,
        }
    }

    /// How far a server is believed; an unknown one is not.
    pub(crate) fn trust(&self, owner: MatterOwner<'_>) -> Trust {
        self.slice(owner).map_or(Trust::Untrusted, |slice| slice.trust)
    }

    /// What it sees of one server, for who asks about many names of it.
    pub fn of_server<'v>(&'v self, owner: MatterOwner<'v>) -> ServerVisibility<'v> {
        let slice = match self.narrowing.bars(owner) {
            Some(why) => Err(why),
            None => self.slice(owner).ok_or(HiddenReason::UnknownServer),
        };
        ServerVisibility { whole: self, owner, slice }
    }

    fn slice(&self, owner: MatterOwner<'_>) -> Option<&ServerSlice> {
        match owner {
            MatterOwner::Server(id) if !id.is_local() => self.servers.get(self.places.get(id)?),
            MatterOwner::Server(_) | MatterOwner::Local => Some(&self.local),
        }
    }

    fn find(
        &self,
        owner: MatterOwner<'_>,
        kind: MatterKind,
        name: &str,
    ) -> Result<ToolExposure, HiddenReason> {
        self.of_server(owner).find(kind, name)
    }
}

/// What one audience sees of one server.
#[derive(Debug)]
pub struct ServerVisibility<'v> {
    whole: &'v Visibility,
    owner: MatterOwner<'v>,
    slice: Result<&'v ServerSlice, HiddenReason>,
}

impl ServerVisibility<'_> {
    /// Whether a tool stands itself in a list of everything.
    pub fn is_direct(&self, tool: &str) -> bool {
        self.find(MatterKind::Tool, tool) == Ok(ToolExposure::Direct)
    }

    /// Whether each of its tools does, whatever it is called: then nobody has to ask about any.
    pub fn is_all_direct(&self) -> bool {
        let Ok(slice) = &self.slice else { return false };
        slice.barred.is_none()
            && self.whole.shared.tools.is_empty()
            && slice.own_of(MatterKind::Tool).is_none_or(JoinedLists::is_empty)
            && slice.lists_all()
            && self.whole.narrowing.role.is_none()
    }

    fn find(&self, kind: MatterKind, name: &str) -> Result<ToolExposure, HiddenReason> {
        let Self { whole, owner, slice } = self;
        let slice = slice.clone()?;
        if let Some(why) = &slice.barred {
            return Err(why.clone());
        }
        let (shared, own) = (whole.shared.of(kind), slice.own_of(kind));
        let listed = !shared.is_empty() || own.is_some_and(|own| !own.is_empty());
        if kind == MatterKind::Resource && listed && has_dot_segment(name) {
            return Err(HiddenReason::DotSegments);
        }
        shared.check(*owner, name)?;
        own.map_or(Ok(()), |own| own.check(*owner, name))?;
        let exposed = match kind {
            MatterKind::Tool => slice.reach_tool(*owner, name),
            MatterKind::Resource | MatterKind::Prompt => slice.reach_other(own),
        }?;
        whole.narrowing.leaves(exposed, (*owner, kind, name))
    }
}

impl ServerSlice {
    fn own_of(&self, kind: MatterKind) -> Option<&JoinedLists> {
        self.own.as_ref().map(|own| own.of(kind))
    }

    fn reach_tool(&self, owner: MatterOwner<'_>, name: &str) -> Result<ToolExposure, HiddenReason> {
        if self.accepted.as_ref().is_some_and(|names| !names.contains(name)) {
            return Err(HiddenReason::NotAccepted);
        }
        let (direct, meta) = match &self.reach {
            ServerReach::None => return Err(HiddenReason::NoBundle),
            ServerReach::Implicit => return self.reach_implicitly(),
            ServerReach::Bundled { direct, meta, .. } => (direct, meta),
        };
        if direct.contains(owner, name) {
            return Ok(ToolExposure::Direct);
        }
        let left_out = |allow: &AllowList| HiddenReason::NotAllowed(allow.list());
        match meta {
            Some(allows) => match allows.iter().find(|allow| !allow.contains(owner, name)) {
                Some(allow) => Err(left_out(allow)),
                None => Ok(ToolExposure::Meta),
            },
            None => match direct {
                BundleUnion::Some(allows) => {
                    Err(allows.first().map_or(HiddenReason::NoBundle, left_out))
                }
                BundleUnion::All => Ok(ToolExposure::Direct),
            },
        }
    }

    /// Whether all of its tools are reached directly, as far as its lists let them through.
    fn lists_all(&self) -> bool {
        let reaches_all = match &self.reach {
            ServerReach::None => false,
            ServerReach::Implicit => self.trust == Trust::Trusted,
            ServerReach::Bundled { direct, .. } => matches!(direct, BundleUnion::All),
        };
        reaches_all && self.accepted.is_none()
    }

    fn reach_implicitly(&self) -> Result<ToolExposure, HiddenReason> {
        match (self.trust, &self.accepted) {
            (Trust::Trusted, _) => Ok(ToolExposure::Direct),
            (Trust::Untrusted, Some(_)) => Ok(ToolExposure::Meta),
            (Trust::Untrusted, None) => Err(HiddenReason::NothingAccepted),
        }
    }

    /// Bundles say nothing of resources and prompts but whose they may be.
    fn reach_other(&self, own: Option<&JoinedLists>) -> Result<ToolExposure, HiddenReason> {
        match (&self.reach, self.trust) {
            (ServerReach::None, _) => Err(HiddenReason::NoBundle),
            // The list of its own entry, which a person accepted; a list of everybody's names that a
            // project brings along must not open anything.
            (_, Trust::Untrusted) if !own.is_some_and(JoinedLists::has_allow) => {
                Err(HiddenReason::Unnamed)
            }
            _ => Ok(ToolExposure::Direct),
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
