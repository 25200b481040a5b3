//! What an audience sees: a list of tools that stays as it is, and the way back from every name.
//!
//! Building one asks no server anything; it takes what is known.

mod last_views;
mod seen_names;
mod seen_places;
mod seen_server;
mod seen_tools;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use toolgate_guard::{AudienceRules, MatterKind, MatterOwner, ToolExposure};
use toolgate_types::{Definition, Digest, ListFigures, ServerId, visible};
use tracing::warn;

use crate::Audience;
use crate::entry::{ToolEntry, ToolSource};
use crate::exposure::ExposureRules;
use crate::named_servers::{NamedServer, NamingInputs};
use crate::names::ToolNames;
use crate::own_tool::{MetaScope, OwnTool};
use crate::rulebook::ResolveError;
use crate::selections::AudienceServers;
pub(crate) use last_views::LastViews;
use seen_names::SeenNames;
use seen_places::seen_places;
use seen_tools::SeenTools;

/// The tools of one audience at one time.
#[derive(Debug)]
pub struct ToolView {
    tools: SeenTools,
    own: Vec<Arc<ToolEntry>>,
    /// The places of what is listed, by name; those of the host's own come after all others.
    listed: Vec<u32>,
    names: SeenNames,
    set_aside: Vec<String>,
    /// What is wrong with how tools are shaped.
    flaws: Vec<String>,
    /// What decides about them, or why the address resolves to nothing.
    rules: Result<Arc<AudienceRules>, ResolveError>,
    revision: Option<Digest>,
    /// What of it is reached through the meta tools, and not as a server's trust or a bundle says.
    folded: Option<FoldedTools>,
    decided_for: Option<Digest>,
}

/// What a view is made of.
pub(crate) struct ViewInputs<'a> {
    pub(crate) selected: Result<Arc<AudienceServers>, ResolveError>,
    /// The tools of all servers whose lists are known.
    pub(crate) servers: Vec<Arc<NamedServer>>,
    pub(crate) naming: NamingInputs,
    pub(crate) exposure: &'a Arc<ExposureRules>,
    /// The state of the configuration that it is decided for whether this list is folded, where that is
    /// to be seen by the list.
    pub(crate) decided_for: Option<Digest>,
    /// Whether tools are reached through the meta tools in a list that would be so long.
    pub(crate) folds: &'a dyn Fn(&dyn Fn() -> ListFigures) -> bool,
    /// What the audience saw before.
    pub(crate) before: Option<&'a ToolView>,
}

/// What a folded list does not show.
#[derive(Debug)]
struct FoldedTools {
    exposure: Arc<ExposureRules>,
    rules: Arc<AudienceRules>,
}

impl FoldedTools {
    /// Of what would be listed.
    fn hides(&self, server: &ServerId, tool: &str) -> bool {
        let visibility = self.rules.visibility();
        !self.exposure.is_always_visible(server, tool)
            && !visibility.lists_by_bundle(MatterOwner::Server(server), tool)
    }
}

impl ToolView {
    /// The listed tools, sorted by name.
    pub fn tools(&self) -> impl ExactSizeIterator<Item = &Arc<ToolEntry>> {
        self.listed.iter().map(|place| self.tool_at(*place as usize))
    }

    /// The name of one of them, for who looks at few of many.
    pub fn listed_name(&self, place: usize) -> Option<&str> {
        let place = self.listed_place(place)?;
        Some(match place.checked_sub(self.tools.count()) {
            Some(own) => self.own[own].name(),
            None => self.tools.name(place),
        })
    }

    /// The same tool itself.
    pub fn listed_tool(&self, place: usize) -> Option<&Arc<ToolEntry>> {
        Some(self.tool_at(self.listed_place(place)?))
    }

    fn listed_place(&self, place: usize) -> Option<usize> {
        self.listed.get(place).map(|place| *place as usize)
    }

    fn tool_at(&self, place: usize) -> &Arc<ToolEntry> {
        match place.checked_sub(self.tools.count()) {
            Some(own) => &self.own[own],
            None => self.tools.entry(place),
        }
    }

    /// The same tool as it is listed, where that was written before and is the same for everybody.
    pub fn listed_written(&self, place: usize) -> Option<&[u8]> {
        let place = self.listed_place(place)?;
        self.tools.is_seen(place).then(|| self.tools.written(place)).flatten()
    }

    /// Whether another list shows the same tools under the same names. A definition that was fetched anew
    /// is another, whatever it says.
    pub(crate) fn lists_as(&self, other: &Self) -> bool {
        let is_same = |place: usize| {
            self.listed_name(place) == other.listed_name(place)
                && self.listed_definition(place) == other.listed_definition(place)
        };
        self.listed.len() == other.listed.len() && (0..self.listed.len()).all(is_same)
    }

    fn listed_definition(&self, place: usize) -> Option<*const Definition> {
        let place = self.listed_place(place)?;
        self.tools.is_seen(place).then(|| Arc::as_ptr(self.tools.definition(place)))
    }

    /// How long the list is, and what a model pays for it.
    pub fn figures(&self) -> ListFigures {
        let own = self.own.iter().map(|entry| entry.listed_bytes());
        let of_servers = self.listed.iter().map(|place| *place as usize);
        let of_servers = of_servers.filter(|place| self.tools.is_seen(*place));
        let (own, bytes) = own.fold((0, 0), |(tools, all), bytes| (tools + 1, all + bytes));
        self.tools.figures(of_servers, (own, bytes))
    }

    /// The same of the tools of each server that are listed.
    pub(crate) fn figures_by_server(&self) -> BTreeMap<&ServerId, ListFigures> {
        let mut bytes: BTreeMap<&ServerId, (usize, usize)> = BTreeMap::new();
        for entry in self.tools() {
            let Some(server) = entry.server() else { continue };
            let (tools, length) = bytes.entry(server).or_default();
            (*tools, *length) = (*tools + 1, *length + entry.listed_bytes());
        }
        let figures = |(server, (tools, bytes))| (server, ListFigures::of_bytes(tools, bytes));
        bytes.into_iter().map(figures).collect()
    }

    /// The tool with this name, in any of its forms; its own name where names are listed so.
    pub fn resolve(&self, name: &str) -> Option<&Arc<ToolEntry>> {
        match self.names.resolve(name, &self.tools) {
            Some(place) => Some(self.tools.entry(place)),
            None => self.own.iter().find(|tool| tool.is_called(name)),
        }
    }

    /// The tool of the host that calls this one, where it is not listed itself but can be reached.
    pub fn leads_to(&self, server: &ServerId, tool: &str) -> Option<&Arc<ToolEntry>> {
        let owner = MatterOwner::Server(server);
        let is_unlisted = match self.rules()?.visibility().exposes(owner, MatterKind::Tool, tool) {
            ToolExposure::Direct => self.folds(server, tool),
            ToolExposure::Meta => true,
            ToolExposure::Hidden { .. } => false,
        };
        if !is_unlisted {
            return None;
        }
        self.own.iter().find(|entry| entry.passes_on())
    }

    /// Whether tools that would be listed are reached through the meta tools.
    pub fn is_folded(&self) -> bool {
        self.folded.is_some()
    }

    /// The same of one tool.
    fn folds(&self, server: &ServerId, tool: &str) -> bool {
        self.folded.as_ref().is_some_and(|folded| folded.hides(server, tool))
    }

    /// The state of the configuration that this was decided for, where it was.
    pub(crate) fn decided_for(&self) -> Option<Digest> {
        self.decided_for
    }

    /// What is not listed, and why.
    pub fn set_aside(&self) -> &[String] {
        &self.set_aside
    }

    /// Tools whose entry has them shown in a way that no call can be right, and why.
    pub fn flaws(&self) -> &[String] {
        &self.flaws
    }

    /// Why a tool's name could not be listed, if one could not.
    pub(crate) fn set_aside_by_name(&self) -> Option<&str> {
        self.names.settled()?.set_aside().first().map(|(_, why)| why.as_str())
    }

    /// What decides for this audience; nothing where its address does not resolve.
    pub(crate) fn rules(&self) -> Option<&Arc<AudienceRules>> {
        self.rules.as_ref().ok()
    }

    /// The state of the policy that decides.
    pub(crate) fn revision(&self) -> Option<Digest> {
        self.revision
    }

    /// Whether something of a server may be seen, itself or through the meta tools.
    pub(crate) fn shows(&self, server: &ServerId, kind: MatterKind, name: &str) -> bool {
        let exposes = |rules: &Arc<AudienceRules>| {
            let exposed = rules.visibility().exposes(MatterOwner::Server(server), kind, name);
            !matches!(exposed, ToolExposure::Hidden { .. })
        };
        self.rules().is_some_and(exposes)
    }

    /// Whether a resource of a server may be read.
    pub fn shows_resource(&self, server: &ServerId, uri: &str) -> bool {
        self.shows(server, MatterKind::Resource, uri)
    }

    /// Whether anything of a server can be seen.
    pub(crate) fn knows(&self, server: &ServerId) -> bool {
        self.shows(server, MatterKind::Resource, "") || self.tools.knows(server)
    }

    /// Why the address of the audience resolves to nothing, if it does.
    pub fn unresolved(&self) -> Option<&ResolveError> {
        self.rules.as_ref().err()
    }

    pub(crate) fn build(audience: &Audience, inputs: ViewInputs<'_>) -> Self {
        let ViewInputs { selected, servers, naming, exposure, decided_for, folds, before } = inputs;
        let NamingInputs { naming, ids, schema_bytes } = naming;
        let (rules, selected) = match selected {
            Ok(selected) => (Ok(Arc::clone(&selected.rules)), Some(selected)),
            Err(error) => (Err(error), None),
        };
        let (mut tools, mut set_aside) = (SeenTools::new(audience), Vec::new());
        if let Ok(rules) = &rules {
            tools.reserve(&servers);
            for server in servers {
                let seen = seen_places(&server, rules, audience, &mut set_aside);
                tools.add(server, seen);
            }
        }
        let names = SeenNames::of(naming, &tools, ids);
        if let Some(names) = names.settled() {
            settle(&tools, names, before, &mut set_aside);
        }
        let mut listed = names.listed(&tools);
        let figures = || match names.settled() {
            None => tools.plain_figures(),
            Some(_) => tools.figures(listed.iter().map(|place| *place as usize), (0, 0)),
        };
        let folded = rules
            .as_ref()
            .ok()
            .filter(|_| folds(&figures))
            .map(|rules| FoldedTools { exposure: Arc::clone(exposure), rules: Arc::clone(rules) });
        let mut meta = selected.as_ref().map(|one| one.meta.clone()).unwrap_or_default();
        if let (Some(folded), Some(selected)) = (&folded, &selected) {
            meta.extend(selected.foldable.iter().cloned());
            meta.sort();
            meta.dedup();
            listed.retain(|place| {
                let (server, tool) = tools.key(*place as usize);
                !folded.hides(server, tool)
            });
        }
        let own = OwnTool::resources().into_iter().filter(|_| audience.resource_tools);
        let scope = rules.as_ref().ok().filter(|_| !meta.is_empty());
        let scope = scope.map(|rules| MetaScope::new(meta, Arc::clone(rules)));
        let own = own.chain(scope.iter().flat_map(OwnTool::meta));
        let entry = |tool: OwnTool| {
            let (name, source) = (tool.name(audience.naming).to_owned(), ToolSource::Own(tool));
            Arc::new(ToolEntry::new(name, audience, schema_bytes, source))
        };
        let own: Vec<_> = own.map(entry).collect();
        for (number, entry) in own.iter().enumerate() {
            let is_before = |place: &u32| match (*place as usize).checked_sub(tools.count()) {
                Some(own_place) => own[own_place].name() < entry.name(),
                None => tools.name(*place as usize) < entry.name(),
            };
            let place = (tools.count() + number) as u32;
            listed.insert(listed.partition_point(is_before), place);
        }
        let flaws = tools.flaws();
        if before.is_none_or(|before| before.flaws != flaws) {
            flaws.iter().for_each(|flaw| warn!("{flaw}"));
        }
        let revision = selected.map(|one| one.revision);
        Self { tools, own, listed, names, set_aside, flaws, rules, revision, folded, decided_for }
    }
}

/// Gives every tool the name that was settled.
fn settle(
    tools: &SeenTools,
    names: &ToolNames,
    before: Option<&ToolView>,
    set_aside: &mut Vec<String>,
) {
    let made = before.into_iter().flat_map(|before| before.tools.made());
    let definition = |entry: &Arc<ToolEntry>| entry.definition().map(Arc::as_ptr);
    let made: HashMap<_, _> =
        made.filter_map(|entry| definition(entry).map(|one| (one, entry.tool()))).collect();
    for place in 0..tools.count() {
        let (_, shown) = tools.shown(place);
        // One that is not listed is still called by its other names.
        let name = names.listed(place).unwrap_or(shown);
        tools.call(place, name, &made);
    }
    for (place, why) in names.set_aside() {
        let (server, tool) = tools.shown(*place);
        set_aside.push(format!("{server}: {}: {why}", visible(tool)));
    }
}
