//! What is configured about who may see and call what, ready to become the rules of an audience.

mod narrow;
mod revision;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;
use toolgate_guard::{
    Administrator, AudienceRules, BundleInput, BundleRouting, ConfiguredValue, RoleInput,
    ServerInput, ServerPlaces, StepAddress, Unresolvable, VisibilityInputs,
};
use toolgate_types::config::{Bundle, BundleMode, Config, Entry, Policy, Role};
use toolgate_types::{
    Acceptances, BundleId, Digest, EntryKind, EntryStanding, RoleId, ServerId, SwitchedAway, Trust,
};
use toolgate_upstream::Upstream;

use crate::audience::AudienceAddress;
use crate::exposure::ExposureRules;

/// Bundles that the embedding program gives to single steps, in the place of what is configured.
pub(crate) type StepBundles = Vec<(StepAddress, Vec<BundleId>)>;

/// The policy of a host. What a person did not accept is not in it.
#[derive(Debug)]
pub(crate) struct Rulebook {
    policies: Vec<Entry<Policy>>,
    bundles: IndexMap<BundleId, Entry<Bundle>>,
    roles: IndexMap<RoleId, Entry<Role>>,
    routing: BundleRouting,
    administrator: Option<Arc<Administrator>>,
    /// Absolute: folders in a policy are seen from here.
    workspace: PathBuf,
    /// Of servers that are configured and that the host does not have.
    other_ids: BTreeSet<ServerId>,
    /// What the person switched away.
    switched: SwitchedAway,
    exposure: Arc<ExposureRules>,
    own_revision: OnceLock<Digest>,
}

/// Why an address resolves to nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// It names a bundle that is not there.
    #[error("Unknown bundle '{0}'")]
    UnknownBundle(BundleId),
    /// Its lists contradict each other, or name what is not there.
    #[error("{0}")]
    Unresolvable(Unresolvable),
    /// Two of its tools would have the same name.
    #[error("Tool name collision: {0}")]
    Collision(String),
}

/// What an address selects.
pub(crate) struct SelectedServers {
    pub(crate) rules: AudienceRules,
    /// Changes whenever what decides does.
    pub(crate) revision: Digest,
    /// The servers of its bundles; `None` where it selects none in particular.
    pub(crate) servers: Option<Vec<ServerId>>,
    /// Those that are reached through the meta tools.
    pub(crate) meta: Vec<ServerId>,
    /// Those that are too where tools are not listed themselves.
    pub(crate) foldable: Vec<ServerId>,
}

impl Rulebook {
    pub(crate) fn new(
        config: &Config,
        acceptances: &Acceptances,
        administrator: Option<Arc<Administrator>>,
        workspace: PathBuf,
        step_bundles: &StepBundles,
    ) -> Self {
        let given = step_bundles.iter().map(|(step, bundles)| (step.clone(), bundles.clone()));
        Self {
            policies: config.policies.clone(),
            bundles: accepted(&config.bundles, EntryKind::Bundle, acceptances, BundleId::as_str),
            roles: accepted(&config.roles, EntryKind::Role, acceptances, RoleId::as_str),
            routing: BundleRouting::of(config, acceptances).with_overrides(given),
            administrator,
            workspace,
            other_ids: config.other_ids.clone(),
            switched: config.switched.clone(),
            exposure: Arc::new(ExposureRules::of(&config.gateway)),
            own_revision: OnceLock::new(),
        }
    }

    pub(crate) fn other_ids(&self) -> &BTreeSet<ServerId> {
        &self.other_ids
    }

    pub(crate) fn exposure(&self) -> &Arc<ExposureRules> {
        &self.exposure
    }

    pub(crate) fn administrator(&self) -> Option<Arc<Administrator>> {
        self.administrator.clone()
    }

    pub(crate) fn workspace(&self) -> &PathBuf {
        &self.workspace
    }

    /// The roles that are accepted.
    pub(crate) fn role_ids(&self) -> impl Iterator<Item = &RoleId> {
        self.roles.keys()
    }

    /// Whether there is such a role, accepted.
    pub(crate) fn has_role(&self, role: &RoleId) -> bool {
        self.roles.contains_key(role)
    }

    /// Whether a workflow has any step for this role.
    pub(crate) fn has_step_role(&self, step: &StepAddress) -> bool {
        self.routing.has_role_in(&step.workflow, &step.role)
    }

    /// Whether a step has all of these bundles.
    pub(crate) fn has_step_bundles(&self, step: &StepAddress, bundles: &[BundleId]) -> bool {
        self.routing.has_bundles_at(step, bundles)
    }

    /// The bundles that an address leads to; `None` where it has none in particular.
    pub(crate) fn bundles_of<'a>(
        &'a self,
        address: &'a AudienceAddress,
    ) -> Option<Cow<'a, [BundleId]>> {
        match address {
            AudienceAddress::Everything => None,
            AudienceAddress::Role(role) => Some(self.routing.bundles_of_role(role).into()),
            AudienceAddress::Step(step) => Some(self.routing.bundles_of_step(step).into()),
            AudienceAddress::Bundles(bundles) => Some(bundles.into()),
            AudienceAddress::Part(part) => {
                let mut bundles = self.bundles_of(&part.of);
                if let (Some(bundles), Some(only)) = (&mut bundles, &part.bundles) {
                    bundles.to_mut().retain(|bundle| only.contains(bundle));
                }
                bundles
            }
        }
    }

    /// The servers with tools that these bundles list themselves.
    pub(crate) fn direct_servers(&self, bundles: &[BundleId]) -> Vec<ServerId> {
        let direct = bundles.iter().filter_map(|id| self.bundles.get(id));
        let direct = direct.filter(|entry| entry.value.mode != BundleMode::Meta);
        direct.map(|entry| entry.value.server.clone()).collect()
    }

    /// What an address selects before servers are taken away of it.
    fn select_whole(
        &self,
        address: &AudienceAddress,
        upstreams: &[Arc<Upstream>],
        (revision, places): (Digest, Option<&Arc<ServerPlaces>>),
    ) -> Result<SelectedServers, ResolveError> {
        let ids = self.bundles_of(address);
        let mut bundles = Vec::with_capacity(ids.as_ref().map_or(0, |ids| ids.len()));
        for id in ids.iter().flat_map(|ids| &**ids) {
            let known = self.bundles.get_key_value(id);
            let (id, entry) = known.ok_or_else(|| ResolveError::UnknownBundle(id.clone()))?;
            // A server that is off takes its own bundles away, and not the rest of the address.
            if self.switched.off.contains_key(&entry.value.server) {
                continue;
            }
            bundles.push(BundleInput { id, entry: ConfiguredValue::from(entry) });
        }
        let of_mode = |meant: fn(BundleMode) -> bool| {
            let meant = bundles.iter().filter(|bundle| meant(bundle.entry.value.mode));
            let mut servers: Vec<_> = meant.map(|bundle| &bundle.entry.value.server).collect();
            servers.sort();
            servers.dedup();
            servers.into_iter().cloned().collect::<Vec<ServerId>>()
        };
        let accepted: Vec<Option<BTreeSet<String>>> =
            upstreams.iter().map(accepted_names).collect();
        let meta = match &ids {
            Some(_) => of_mode(|mode| mode == BundleMode::Meta),
            // Of an untrusted server, what was accepted by name is there, and not by itself.
            None => {
                let known = upstreams.iter().zip(&accepted);
                let shown =
                    known.filter(|(upstream, names)| names.is_some() && upstream.is_usable());
                shown.map(|(upstream, _)| upstream.id().clone()).collect()
            }
        };
        let foldable = match &ids {
            Some(_) => of_mode(|mode| mode == BundleMode::Auto),
            None => {
                let shown = upstreams.iter().filter(|upstream| upstream.is_usable());
                let shown = shown.filter(|upstream| upstream.trust() == Trust::Trusted);
                shown.map(|upstream| upstream.id().clone()).collect()
            }
        };
        let servers = ids.as_ref().map(|_| of_mode(|_| true));
        let role = match address.whole() {
            AudienceAddress::Role(role) => Some(role),
            AudienceAddress::Step(step) => Some(&step.role),
            _ => None,
        };
        let role = role.and_then(|role| self.roles.get_key_value(role));
        let usable = upstreams.iter().zip(&accepted).filter(|(upstream, _)| upstream.is_usable());
        let inputs = VisibilityInputs {
            servers: usable
                .map(|(upstream, accepted)| ServerInput {
                    id: upstream.id(),
                    entry: ConfiguredValue::from(upstream.entry()),
                    trust: upstream.trust(),
                    accepted: accepted.as_ref(),
                })
                .collect(),
            bundles: ids.map(|_| bundles),
            role: role.map(|(id, entry)| RoleInput { id, entry: ConfiguredValue::from(entry) }),
            policies: self.policies.iter().map(ConfiguredValue::from).collect(),
            administrator: self.administrator.as_deref(),
        };
        let rules =
            AudienceRules::beside(&inputs, &self.workspace, places).map_err(|mut all| {
                // There is always one; the first says enough.
                match all.is_empty() {
                    false => ResolveError::Unresolvable(all.swap_remove(0)),
                    true => ResolveError::Collision("the bundles do not resolve".to_owned()),
                }
            })?;
        Ok(SelectedServers { rules, revision, servers, meta, foldable })
    }
}

/// The tools of an untrusted server that a person accepted by name, where there are any.
fn accepted_names(upstream: &Arc<Upstream>) -> Option<BTreeSet<String>> {
    let names = match upstream.trust() {
        Trust::Untrusted => upstream.accepted_by_name(),
        Trust::Trusted => return None,
    };
    (!names.is_empty()).then(|| names.iter().cloned().collect())
}

/// A server that the administrator does not permit is not even started.
pub(crate) fn switch_off_forbidden(config: &mut Config, administrator: Option<&Administrator>) {
    let Some(administrator) = administrator else { return };
    for entry in config.servers.values_mut() {
        if administrator.permits_server(&entry.value).is_err() {
            entry.value.enabled = false;
        }
    }
}

fn accepted<K: Clone + Eq + std::hash::Hash, T: Clone>(
    entries: &IndexMap<K, Entry<T>>,
    kind: EntryKind,
    acceptances: &Acceptances,
    name: fn(&K) -> &str,
) -> IndexMap<K, Entry<T>> {
    let is_accepted = |(id, entry): &(&K, &Entry<T>)| {
        let (grade, print) = (entry.origin.grade, &entry.fingerprint);
        let standing = acceptances.standing(grade, kind, name(id), print, None);
        matches!(standing, EntryStanding::Accepted(_))
    };
    entries.iter().filter(is_accepted).map(|(id, entry)| (id.clone(), entry.clone())).collect()
}
