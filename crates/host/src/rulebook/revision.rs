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
        hashed.0.update(self.own_revision().0);
        for upstream in upstreams {
            hashed.0.update(upstream.rules_digest(|| rules_digest(upstream)).0);
            let named = upstream.accepted_by_name();
            // One that is off is not there; what waits for a person at another has not changed.
            let is_enabled =
                upstream.entry().value.enabled || self.switched.off.contains_key(upstream.id());
            hashed.0.update([u8::from(is_enabled)]);
            // A hash takes everything that is written to it.
            let _ = write!(hashed, "{named:?}");
        }
        Digest(hashed.0.finalize().into())
    }

    /// Of what is configured besides servers: hundreds of bundles and roles take longer than a list may.
    fn own_revision(&self) -> Digest {
        *self.own_revision.get_or_init(|| {
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
                own_revision: _,
            } = self;
            // A hash takes everything that is written to it.
            let _ = write!(
                hashed,
                "{policies:?}{bundles:?}{roles:?}{routing:?}{administrator:?}{workspace:?}{:?}",
                switched.role
            );
            Digest(hashed.0.finalize().into())
        })
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

/// Of what the entry of a server says that decides, but for whether it is switched on.
fn rules_digest(upstream: &Upstream) -> Digest {
    let mut hashed = HashedText(Sha256::new());
    let (server, id, standing) = (&upstream.entry().value, upstream.id(), upstream.standing());
    let lists = (&server.tools, &server.resources, &server.prompts);
    let modes = (&server.approval, &server.tool_settings);
    // A hash takes everything that is written to it.
    let _ = write!(hashed, "{id:?}{standing:?}{lists:?}{modes:?}");
    Digest(hashed.0.finalize().into())
}

struct HashedText(Sha256);

impl fmt::Write for HashedText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}
