//! What visibility is worked out from: configured things with their places, as plain references.

use std::collections::BTreeSet;

use toolgate_types::config::{Bundle, Entry, Policy, Role, Server};
use toolgate_types::{BundleId, Origin, RoleId, ServerId, Trust};

use crate::Administrator;

/// Something configured, with the place it was written at where that is known.
#[derive(Debug)]
pub struct ConfiguredValue<'a, T> {
    pub value: &'a T,
    pub origin: Option<&'a Origin>,
    /// The place of each value inside.
    pub values: &'a [Origin],
}

// Not derived, since a derive would want `T: Copy`.
impl<T> Clone for ConfiguredValue<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ConfiguredValue<'_, T> {}

impl<'a, T> ConfiguredValue<'a, T> {
    pub fn nowhere(value: &'a T) -> Self {
        Self { value, origin: None, values: &[] }
    }

    /// The place of a key inside, in any of its spellings, or else that of the whole.
    pub(crate) fn place(&self, keys: &[&str]) -> Option<Origin> {
        let is_meant = |value: &&Origin| {
            let key = value.key.rsplit('.').next().unwrap_or_default();
            let plain = |key: &str| key.replace('_', "").to_ascii_lowercase();
            keys.iter().any(|wanted| plain(wanted) == plain(key))
        };
        self.values.iter().find(is_meant).or(self.origin).cloned()
    }
}

impl<'a, T> From<&'a Entry<T>> for ConfiguredValue<'a, T> {
    fn from(entry: &'a Entry<T>) -> Self {
        Self { value: &entry.value, origin: Some(&entry.origin), values: &entry.values }
    }
}

/// A server that a person accepted.
#[derive(Debug, Clone, Copy)]
pub struct ServerInput<'a> {
    pub id: &'a ServerId,
    pub entry: ConfiguredValue<'a, Server>,
    pub trust: Trust,
    /// The tools that were accepted by name, for an untrusted server; nothing where none were.
    pub accepted: Option<&'a BTreeSet<String>>,
}

/// A bundle that is selected for the audience.
#[derive(Debug, Clone, Copy)]
pub struct BundleInput<'a> {
    pub id: &'a BundleId,
    pub entry: ConfiguredValue<'a, Bundle>,
}

/// What the caller acts as.
#[derive(Debug, Clone, Copy)]
pub struct RoleInput<'a> {
    pub id: &'a RoleId,
    pub entry: ConfiguredValue<'a, Role>,
}

/// Everything that an audience's visibility depends on.
#[derive(Debug, Clone, Default)]
pub struct VisibilityInputs<'a> {
    pub servers: Vec<ServerInput<'a>>,
    /// The bundles of the audience's address. `None` if it has no address that selects any: then each
    /// server is as its trust says. An empty list selects nothing.
    pub bundles: Option<Vec<BundleInput<'a>>>,
    pub role: Option<RoleInput<'a>>,
    /// Of every layer.
    pub policies: Vec<ConfiguredValue<'a, Policy>>,
    pub administrator: Option<&'a Administrator>,
}
