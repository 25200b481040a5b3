//! The tools of some bundles: only their servers are asked, and only what they name is seen.

use std::sync::Arc;

use indexmap::IndexMap;
use toolgate_types::config::{Bundle, BundleMode, Entry, Filter, Naming};
use toolgate_types::{Acceptances, BundleId, EntryKind, ListKind, ServerId, Standing};

use crate::own::MetaScope;
use crate::view::{Scope, View};
use crate::{Audience, Host};

/// Bundles that may be used.
#[derive(Debug, Default)]
pub(crate) struct Bundles(IndexMap<BundleId, Bundle>);

impl Bundles {
    /// Those that a person accepted; the others do not exist.
    pub(crate) fn new(
        entries: IndexMap<BundleId, Entry<Bundle>>,
        acceptances: &Acceptances,
    ) -> Self {
        let accepted = entries.into_iter().filter(|(id, entry)| {
            let (grade, print) = (entry.origin.grade, &entry.fingerprint);
            let standing = acceptances.standing(grade, EntryKind::Bundle, id.as_str(), print, None);
            matches!(standing, Standing::Accepted(_))
        });
        Self(accepted.map(|(id, entry)| (id, entry.value)).collect())
    }
}

/// What some bundles resolve to.
#[derive(Debug)]
pub struct Resolved {
    pub servers: Vec<ServerId>,
    pub tools: Arc<View>,
}

/// Why bundles do not resolve.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    #[error("Unknown bundle '{0}'")]
    UnknownBundle(BundleId),
    #[error("Unknown server '{server}' of bundle '{bundle}'")]
    UnknownServer { bundle: BundleId, server: ServerId },
    #[error("Tool name collision: {0}")]
    Collision(String),
}

impl Host {
    /// The tools of these bundles, sorted by name. A direct bundle's tools are listed themselves, as
    /// `<server>.<tool>`; the tools of all meta bundles are reached through the three meta tools.
    pub async fn resolve_tools(&self, bundles: &[BundleId]) -> Result<Resolved, ResolveError> {
        let (direct, meta) = self.slices(bundles)?;
        let is_direct = |id: &ServerId| direct.iter().any(|(server, _)| server == id);
        self.refresh(ListKind::Tools, |upstream| is_direct(upstream.id())).await;
        let mut servers: Vec<_> =
            direct.iter().chain(&meta).map(|(server, _)| server.clone()).collect();
        servers.sort();
        servers.dedup();
        let meta = (!meta.is_empty()).then(|| MetaScope(Arc::new(meta)));
        let scope = Scope { direct: Some(direct), meta };
        let audience = Audience { naming: Naming::Dotted, resource_tools: false };
        let view = self.build_view(audience, &scope);
        match view.set_aside_by_name() {
            Some(why) => Err(ResolveError::Collision(why.to_owned())),
            None => Ok(Resolved { servers, tools: Arc::new(view) }),
        }
    }

    fn slices(&self, bundles: &[BundleId]) -> Result<(Slices, Slices), ResolveError> {
        let (mut direct, mut meta) = (Slices::new(), Slices::new());
        for id in bundles {
            let bundle = self.inner.bundles.0.get(id);
            let bundle = bundle.ok_or_else(|| ResolveError::UnknownBundle(id.clone()))?;
            let server = bundle.server.clone();
            if self.inner.servers.get(&server).is_none() {
                return Err(ResolveError::UnknownServer { bundle: id.clone(), server });
            }
            match bundle.mode {
                BundleMode::Direct => direct.push((server, bundle.tools.clone())),
                BundleMode::Meta => meta.push((server, bundle.tools.clone())),
            }
        }
        Ok((direct, meta))
    }
}

/// Slices of servers; several of one server stand beside each other.
pub(crate) type Slices = Vec<(ServerId, Filter)>;
