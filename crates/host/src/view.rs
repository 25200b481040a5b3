//! What an audience sees: a list of tools that stays as it is, and the way back from every name.
//!
//! Building one asks no server anything; it takes what is known.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use toolgate_guard::{AudienceRules, MatterKind, MatterOwner, ToolExposure};
use toolgate_types::{Definition, Digest, ListFigures, ListKind, ServerId, visible};
use toolgate_upstream::{SessionDefaults, Upstream};
use tracing::warn;

use crate::Audience;
use crate::entry::{ToolEntry, ToolSource};
use crate::exposure::ExposureRules;
use crate::names::{ConfiguredIds, NamedTool, ToolNames};
use crate::own_tool::{MetaScope, OwnTool};
use crate::rulebook::{ResolveError, SelectedServers};
use crate::shaping::ShownNames;

/// The tools of one audience at one time.
#[derive(Debug)]
pub struct ToolView {
    /// By the place that their names know them by.
    entries: Vec<Arc<ToolEntry>>,
    own: Vec<Arc<ToolEntry>>,
    /// What is listed, by name.
    listed: Vec<Arc<ToolEntry>>,
    names: ToolNames,
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

/// Why a command tool may not run where it would run for an audience, if it may not.
fn misplaced(
    upstream: &Upstream,
    tool: &str,
    rules: &AudienceRules,
    audience: &Audience,
) -> Option<&'static str> {
    let tool = upstream.commands()?.get(tool)?;
    let overrides = audience.overrides.as_deref();
    let (folder, is_led_outside) =
        SessionDefaults::folder(&tool.value, upstream.workspace(), overrides)?;
    if !rules.permits_folder(&folder) {
        return Some("no policy's `allowed_cwds` has the folder that it would run in");
    }
    let is_stray = is_led_outside && !rules.limits_folders();
    is_stray.then_some("its session's folder is outside the workspace")
}

/// How many views are kept of callers that say themselves what they see less or otherwise.
const KEPT_OF_SESSIONS: usize = 32;

/// The last view of each audience, with the state of the catalogs it was made from.
#[derive(Debug, Default)]
pub(crate) struct LastViews(Vec<(Audience, u64, Arc<ToolView>)>);

impl LastViews {
    pub(crate) fn audiences(&self) -> impl Iterator<Item = &Audience> {
        self.0.iter().map(|(audience, ..)| audience)
    }

    /// The view of an audience, and the state that it is of.
    pub(crate) fn of(&self, audience: &Audience) -> Option<(u64, Arc<ToolView>)> {
        let mine = self.0.iter().find(|(of, ..)| of == audience);
        mine.map(|(_, at, view)| (*at, Arc::clone(view)))
    }

    pub(crate) fn replace(&mut self, audience: &Audience, at: u64, view: &Arc<ToolView>) {
        self.0.retain(|(of, ..)| of != audience);
        // Sessions come and go.
        let of_session = |(of, ..): &(Audience, u64, Arc<ToolView>)| of.is_of_its_own();
        if audience.is_of_its_own()
            && self.0.iter().filter(|one| of_session(one)).count() >= KEPT_OF_SESSIONS
            && let Some(oldest) = self.0.iter().position(of_session)
        {
            self.0.remove(oldest);
        }
        self.0.push((audience.clone(), at, Arc::clone(view)));
    }
}

/// What a view is made of.
pub(crate) struct ViewInputs<'a> {
    pub(crate) selected: Result<SelectedServers, ResolveError>,
    pub(crate) upstreams: &'a [Arc<Upstream>],
    pub(crate) ids: Arc<ConfiguredIds>,
    pub(crate) schema_bytes: usize,
    pub(crate) exposure: &'a Arc<ExposureRules>,
    /// The state of the configuration that it is decided for whether this list is folded, where that is
    /// to be seen by the list.
    pub(crate) decided_for: Option<Digest>,
    /// Whether tools are reached through the meta tools in a list that would be so long.
    pub(crate) folds: &'a dyn Fn(ListFigures) -> bool,
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
        self.listed.iter()
    }

    /// How long the list is, and what a model pays for it.
    pub fn figures(&self) -> ListFigures {
        list_figures(self.listed.iter())
    }

    /// The same of the tools of each server that are listed.
    pub(crate) fn figures_by_server(&self) -> BTreeMap<&ServerId, ListFigures> {
        let mut bytes: BTreeMap<&ServerId, (usize, usize)> = BTreeMap::new();
        for entry in &self.listed {
            let Some(server) = entry.server() else { continue };
            let (tools, length) = bytes.entry(server).or_default();
            (*tools, *length) = (*tools + 1, *length + entry.listed_bytes());
        }
        let figures = |(server, (tools, bytes))| (server, ListFigures::of_bytes(tools, bytes));
        bytes.into_iter().map(figures).collect()
    }

    /// The tool with this name, in any of its forms; its own name where names are listed so.
    pub fn resolve(&self, name: &str) -> Option<&Arc<ToolEntry>> {
        match self.names.resolve(name) {
            Some(place) => self.entries.get(place),
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
        self.names.set_aside().first().map(|(_, why)| why.as_str())
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
        let is_its = |entry: &Arc<ToolEntry>| entry.server() == Some(server);
        self.shows(server, MatterKind::Resource, "") || self.entries.iter().any(is_its)
    }

    /// Why the address of the audience resolves to nothing, if it does.
    pub fn unresolved(&self) -> Option<&ResolveError> {
        self.rules.as_ref().err()
    }

    /// The entries by the definition that each is of.
    fn by_definition(&self) -> HashMap<*const Definition, &Arc<ToolEntry>> {
        let definition = |entry: &Arc<ToolEntry>| entry.definition().map(Arc::as_ptr);
        let entries = self.entries.iter();
        entries.filter_map(|entry| definition(entry).map(|pointer| (pointer, entry))).collect()
    }

    pub(crate) fn build(audience: &Audience, inputs: ViewInputs<'_>) -> Self {
        let ViewInputs {
            selected,
            upstreams,
            ids,
            schema_bytes,
            exposure,
            decided_for,
            folds,
            before,
        } = inputs;
        let (rules, revision, mut meta, foldable) = match selected {
            Ok(SelectedServers { rules, revision, meta, foldable, .. }) => {
                (Ok(Arc::new(rules)), Some(revision), meta, foldable)
            }
            Err(error) => (Err(error), None, Vec::new(), Vec::new()),
        };
        let mut found: Vec<(&Arc<Upstream>, Arc<Definition>)> = Vec::new();
        let mut shown_names = Vec::new();
        let mut set_aside = Vec::new();
        for upstream in upstreams {
            let Some(listing) = upstream.known(ListKind::Tools) else { continue };
            let Ok(rules) = &rules else { continue };
            let (id, visibility) = (upstream.id(), rules.visibility());
            let is_direct = |tool: &&Arc<Definition>| {
                visibility.exposes(MatterOwner::Server(id), MatterKind::Tool, &tool.key)
                    == ToolExposure::Direct
            };
            let is_placed = |tool: &&Arc<Definition>| {
                let why = misplaced(upstream, &tool.key, rules, audience);
                set_aside.extend(why.map(|why| format!("{id}: {}: {why}", visible(&tool.key))));
                why.is_none()
            };
            let shown = listing.items.iter().filter(is_direct).filter(is_placed);
            let given = ShownNames::of(&upstream.entry().value);
            for tool in shown.collect::<Vec<_>>() {
                match given.shown(&tool.key) {
                    Ok(name) => {
                        found.push((upstream, tool.clone()));
                        shown_names.push(name.to_owned());
                    }
                    Err(why) => set_aside.push(format!("{id}: {}: {why}", visible(&tool.key))),
                }
            }
            set_aside.extend(listing.set_aside.iter().map(|why| format!("{id}: {why}")));
            set_aside.extend(listing.cut.map(|why| format!("{id}: {why}")));
        }
        let mut keys = Vec::with_capacity(found.len());
        for ((upstream, _), name) in found.iter().zip(&shown_names) {
            keys.push(NamedTool { server: upstream.id(), tool: name });
        }
        let names = ToolNames::build(audience.naming, &keys, &OwnTool::NAMES, ids);
        for (place, why) in names.set_aside() {
            let NamedTool { server, tool } = keys[*place];
            set_aside.push(format!("{server}: {}: {why}", visible(tool)));
        }
        let entry = |name: &str, source| {
            Arc::new(ToolEntry::new(name.to_owned(), audience, schema_bytes, source))
        };
        // What is as it was is taken over, with everything that was worked out about it.
        let known = before.map(|before| before.by_definition()).unwrap_or_default();
        let entries: Vec<_> = found
            .into_iter()
            .enumerate()
            .map(|(place, (upstream, definition))| {
                // One that is not listed is still called by its other names.
                let name = names.listed(place).unwrap_or(&shown_names[place]);
                match known.get(&Arc::as_ptr(&definition)) {
                    Some(entry) if entry.is(name, upstream, &definition) => Arc::clone(entry),
                    _ => {
                        let upstream = Arc::clone(upstream);
                        entry(name, ToolSource::Server { upstream, definition: definition.clone() })
                    }
                }
            })
            .collect();
        let named = |(place, entry)| names.listed(place).map(|_| entry);
        let list = list_figures(entries.iter().enumerate().filter_map(named));
        let folded = rules
            .as_ref()
            .ok()
            .filter(|_| folds(list))
            .map(|rules| FoldedTools { exposure: Arc::clone(exposure), rules: Arc::clone(rules) });
        if folded.is_some() {
            meta.extend(foldable);
            meta.sort();
            meta.dedup();
        }
        let own = OwnTool::resources().into_iter().filter(|_| audience.resource_tools);
        let scope = rules.as_ref().ok().filter(|_| !meta.is_empty());
        let scope = scope.map(|rules| MetaScope::new(meta, Arc::clone(rules)));
        let own = own.chain(scope.iter().flat_map(OwnTool::meta));
        let own: Vec<_> =
            own.map(|tool| entry(tool.name(audience.naming), ToolSource::Own(tool))).collect();
        let is_listed = |(place, entry): (usize, &Arc<ToolEntry>)| {
            let is_folded = match (&folded, &entry.source) {
                (Some(folded), ToolSource::Server { upstream, definition }) => {
                    folded.hides(upstream.id(), &definition.key)
                }
                _ => false,
            };
            names.listed(place).filter(|_| !is_folded).map(|_| Arc::clone(entry))
        };
        let mut listed: Vec<_> = entries.iter().enumerate().filter_map(is_listed).collect();
        listed.extend(own.iter().cloned());
        listed.sort_unstable_by(|one, other| one.name().cmp(other.name()));
        let flaws: Vec<_> = entries.iter().filter_map(|entry| entry.told_flaw()).collect();
        if before.is_none_or(|before| before.flaws != flaws) {
            flaws.iter().for_each(|flaw| warn!("{flaw}"));
        }
        Self { entries, own, listed, names, set_aside, flaws, rules, revision, folded, decided_for }
    }
}

/// How long a list of these is.
fn list_figures<'a>(listed: impl Iterator<Item = &'a Arc<ToolEntry>>) -> ListFigures {
    let (tools, bytes) =
        listed.fold((0, 0), |(tools, bytes), entry| (tools + 1, bytes + entry.listed_bytes()));
    ListFigures::of_bytes(tools, bytes)
}
