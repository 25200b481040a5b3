//! Where results that were kept are found again: their address, with the part of one that is meant.
//!
//! Who may read one, and how it is answered, is for the screen of a call.

use std::fmt;
use std::time::SystemTime;

use toolgate_store::{ArtifactId, ArtifactRange};
use toolgate_types::since_1970;

use crate::call::call_trouble::CallTrouble;

const SCHEME: &str = "toolgate://artifact/";

pub(crate) fn artifact_uri(id: &ArtifactId) -> String {
    format!("{SCHEME}{id}")
}

/// Whether an address is one of ours.
pub(crate) fn is_artifact(uri: &str) -> bool {
    uri.starts_with(SCHEME)
}

/// Milliseconds since 1970.
pub(crate) fn now() -> u64 {
    since_1970(SystemTime::now())
}

/// An address, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArtifactAddress {
    pub(crate) id: ArtifactId,
    pub(crate) range: ArtifactRange,
}

impl ArtifactAddress {
    /// What is wrong with the range is told; it says nothing of what is kept.
    pub(crate) fn parse(uri: &str) -> Result<Self, CallTrouble> {
        let parts = uri.strip_prefix(SCHEME).map(|rest| rest.split_once('?').unwrap_or((rest, "")));
        let found = parts.and_then(|(id, range)| Some((ArtifactId::parse(id)?, range)));
        let (id, query) = found.ok_or_else(|| CallTrouble::NotFound(uri.to_owned()))?;
        let unfit = || {
            let usage = "a part of a kept result is `?lines=1-200`, counted from 1, or \
                         `?bytes=0-65535`, counted from 0; both ends are included";
            CallTrouble::Arguments(usage.to_owned())
        };
        Ok(Self { id, range: range(query).ok_or_else(unfit)? })
    }
}

fn range(query: &str) -> Option<ArtifactRange> {
    if query.is_empty() {
        return Some(ArtifactRange::Whole);
    }
    let (unit, ends) = query.split_once('=')?;
    let (from, to) = ends.split_once('-')?;
    let (from, to) = (from.parse().ok()?, to.parse().ok()?);
    match unit {
        "lines" if 0 < from && from <= to => Some(ArtifactRange::Lines(from, to)),
        "bytes" if from <= to => Some(ArtifactRange::Bytes(from, to)),
        _ => None,
    }
}

impl fmt::Display for ArtifactAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&artifact_uri(&self.id))?;
        match self.range {
            ArtifactRange::Whole => Ok(()),
            ArtifactRange::Lines(from, to) => write!(f, "?lines={from}-{to}"),
            ArtifactRange::Bytes(from, to) => write!(f, "?bytes={from}-{to}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_an_id_and_perhaps_a_part() {
        let id = "0123456789abcdef0123456789abcdef";
        let parts = [
            ("", ArtifactRange::Whole),
            ("?lines=2-3", ArtifactRange::Lines(2, 3)),
            ("?bytes=0-0", ArtifactRange::Bytes(0, 0)),
        ];
        for (query, range) in parts {
            let uri = format!("{SCHEME}{id}{query}");
            let address = ArtifactAddress::parse(&uri).unwrap();
            assert_eq!(address.range, range);
            assert_eq!(address.to_string(), uri);
        }
        for odd in ["lines=a-b", "x=1", "lines=0-3", "lines=3-2", "bytes=5", "lines=-1-2"] {
            let address = ArtifactAddress::parse(&format!("{SCHEME}{id}?{odd}"));
            assert!(matches!(address, Err(CallTrouble::Arguments(_))), "{odd}");
        }
        for odd in ["toolgate://artifact/", "toolgate://artifact/../../etc", "file:///etc/passwd"] {
            assert!(matches!(ArtifactAddress::parse(odd), Err(CallTrouble::NotFound(_))), "{odd}");
        }
    }
}
