//! The bundles that an address selects, by their servers. What each lets through is compiled by others.

use toolgate_types::Trust;
use toolgate_types::config::BundleMode;

use super::inputs::{BundleInput, ServerInput};
use super::{ServerPlaces, Unresolvable};

/// Put in order once: an address may have a bundle of each of hundreds of servers.
pub(super) struct BundlesByServer<'a> {
    bundles: Vec<&'a BundleInput<'a>>,
    /// Where those of each server end, by its place among all; the command tools come last.
    ends: Vec<usize>,
}

impl<'a> BundlesByServer<'a> {
    /// All bundles that cannot be at once, where there are any.
    pub(super) fn of(
        bundles: &'a [BundleInput<'a>],
        servers: &[ServerInput<'_>],
        places: &ServerPlaces,
    ) -> Result<Self, Vec<Unresolvable>> {
        let (mut placed, mut problems) = (Vec::with_capacity(bundles.len()), Vec::new());
        for bundle in bundles {
            let server = &bundle.entry.value.server;
            if server.is_local() {
                placed.push((servers.len(), bundle));
                continue;
            }
            match places.get(server) {
                Some(place) => {
                    problems.extend(problem(bundle, servers[place].trust));
                    placed.push((place, bundle));
                }
                None => {
                    let (bundle, server) = (bundle.id.clone(), server.clone());
                    problems.push(Unresolvable::UnknownServer { bundle, server });
                }
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        // In the order that they are in, for each server.
        placed.sort_by_key(|(place, _)| *place);
        let (mut ends, mut end) = (Vec::with_capacity(servers.len() + 1), 0);
        for place in 0..=servers.len() {
            end += placed[end..].iter().take_while(|(of, _)| *of == place).count();
            ends.push(end);
        }
        Ok(Self { bundles: placed.into_iter().map(|(_, bundle)| bundle).collect(), ends })
    }

    /// Those of the server at this place; the command tools' are behind all others.
    pub(super) fn about(&self, place: usize) -> &[&'a BundleInput<'a>] {
        let end_of = |place: usize| self.ends.get(place).copied().unwrap_or_default();
        let start = place.checked_sub(1).map_or(0, end_of);
        self.bundles.get(start..end_of(place)).unwrap_or_default()
    }
}

/// Why a bundle cannot be at once, of a server that is believed so far.
fn problem(bundle: &BundleInput<'_>, trust: Trust) -> Option<Unresolvable> {
    if trust == Trust::Trusted {
        return None;
    }
    let of = bundle.entry.value;
    let names_some = of.tools.allow.as_ref().is_some_and(|allow| !allow.is_empty());
    let (bundle, server) = (bundle.id.clone(), of.server.clone());
    match of.mode {
        BundleMode::Direct | BundleMode::Auto => {
            Some(Unresolvable::UntrustedDirect { bundle, server })
        }
        BundleMode::Meta if names_some => None,
        BundleMode::Meta => Some(Unresolvable::UntrustedWithoutAllow { bundle, server }),
    }
}
