//! A name for the state of a policy, so that a record says under which one a call was decided.
//!
//! Two equal policies have the same name in the same version of this program, and no longer.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use toolgate_types::Digest;
use toolgate_upstream::Upstream;

use super::Rulebook;

impl Rulebook {
    pub(crate) fn revision(&self, upstreams: &[Arc<Upstream>]) -> Digest {
        let mut hashed = HashedText(Sha256::new());
        // Names are not what decides.
        let Self {
            policies,
            bundles,
            roles,
            routing,
            administrator,
            workspace,
            other_ids: _,
            switched,
            exposure: _,
        } = self;
        // A hash takes everything that is written to it.
        let _ = write!(
            hashed,
            "{policies:?}{bundles:?}{roles:?}{routing:?}{administrator:?}{workspace:?}{:?}",
            switched.role
        );
        for upstream in upstreams {
            let server = &upstream.entry().value;
            let (id, standing) = (upstream.id(), upstream.standing());
            let lists = (&server.tools, &server.resources, &server.prompts);
            // One that is off is not there; what waits for a person at another has not changed.
            let is_enabled = server.enabled || switched.off.contains_key(id);
            let modes = (&server.approval, &server.tool_settings, is_enabled);
            let named = upstream.accepted_by_name();
            let _ = write!(hashed, "{id:?}{standing:?}{lists:?}{modes:?}{named:?}");
        }
        Digest(hashed.0.finalize().into())
    }

    /// Changes whenever the configuration does in what lists are made of; `decides` is its revision.
    pub(crate) fn listing_revision(&self, decides: Digest, upstreams: &[Arc<Upstream>]) -> Digest {
        let mut hashed = HashedText(Sha256::new());
        hashed.0.update(decides.0);
        // A hash takes everything that is written to it.
        let _ = write!(hashed, "{:?}{:?}", self.exposure, self.switched.off);
        for upstream in upstreams {
            hashed.0.update(upstream.entry().fingerprint.entry.0);
        }
        Digest(hashed.0.finalize().into())
    }
}

struct HashedText(Sha256);

impl fmt::Write for HashedText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}
