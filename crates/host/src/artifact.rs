//! Results that were kept, read again by their address: whole, or some lines of them.

use std::time::SystemTime;

use serde::Serialize;
use serde_json::value::to_raw_value;
use toolgate_store::ArtifactId;
use toolgate_types::{Done, Outcome, since_1970};

use crate::call::failing::Trouble;
use crate::{Host, Options};

const SCHEME: &str = "toolgate://artifact/";

/// The most that is read at once; the rest is asked for by its lines.
const MOST: u64 = 256 * 1024;

pub(crate) fn artifact_uri(id: &ArtifactId) -> String {
    format!("{SCHEME}{id}")
}

/// An address, taken apart.
struct Address {
    id: ArtifactId,
    /// From 1, both included.
    lines: Option<(usize, usize)>,
}

impl Address {
    fn parse(uri: &str) -> Option<Self> {
        let rest = uri.strip_prefix(SCHEME)?;
        let (id, query) = rest.split_once('?').unwrap_or((rest, ""));
        let id = ArtifactId::parse(id)?;
        let lines = match query.strip_prefix("lines=") {
            Some(range) => {
                let (from, to) = range.split_once('-')?;
                Some((from.parse().ok()?, to.parse().ok()?))
            }
            None if query.is_empty() => None,
            None => return None,
        };
        Some(Self { id, lines })
    }
}

/// Whether an address is one of ours.
pub(crate) fn is_artifact(uri: &str) -> bool {
    uri.starts_with(SCHEME)
}

impl Host {
    /// What was kept under this address, as the contents of a resource. To anybody but the one it
    /// was made for it does not exist.
    pub(crate) async fn read_artifact(
        &self,
        uri: &str,
        options: &Options,
    ) -> Result<Outcome, Trouble> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Content<'a> {
            uri: &'a str,
            mime_type: &'a str,
            text: &'a str,
        }
        #[derive(Serialize)]
        struct Contents<'a> {
            contents: [Content<'a>; 1],
        }
        let unknown = || Trouble::NotFound(uri.to_owned());
        let address = Address::parse(uri).ok_or_else(unknown)?;
        let kept = self.inner.artifacts.as_ref().ok_or_else(unknown)?;
        let principal = self.principal(options);
        let found = kept.artifact(&address.id, principal.as_str()).await;
        let artifact = found.map_err(|_| Trouble::Unreadable)?.ok_or_else(unknown)?;
        let range = match address.lines {
            Some(_) => 0..artifact.size,
            None => 0..artifact.size.min(MOST),
        };
        let bytes = kept.read_artifact(&address.id, principal.as_str(), range).await;
        let bytes = bytes.map_err(|_| Trouble::Unreadable)?.ok_or_else(unknown)?;
        let text = String::from_utf8_lossy(&bytes);
        let text = match address.lines {
            Some((from, to)) => lines(&text, from, to),
            None => text.into_owned(),
        };
        let mime_type = artifact.mime.as_str();
        let contents = Contents { contents: [Content { uri, mime_type, text: &text }] };
        let result = to_raw_value(&contents).map_err(|_| Trouble::Unreadable)?;
        Ok(Outcome::Done(Done { is_error: false, result }))
    }
}

fn lines(text: &str, from: usize, to: usize) -> String {
    let count = to.saturating_add(1).saturating_sub(from.max(1));
    let mut wanted = String::new();
    for line in text.lines().skip(from.max(1) - 1).take(count) {
        wanted.push_str(line);
        wanted.push('\n');
    }
    wanted
}

/// Milliseconds since 1970.
pub(crate) fn now() -> u64 {
    since_1970(SystemTime::now())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_an_id_and_perhaps_some_lines() {
        let id = "0123456789abcdef0123456789abcdef";
        assert!(Address::parse(&format!("{SCHEME}{id}")).is_some_and(|all| all.lines.is_none()));
        let some = Address::parse(&format!("{SCHEME}{id}?lines=2-3")).unwrap();
        assert_eq!(some.lines, Some((2, 3)));
        for odd in ["", "x", "../../etc", &format!("{id}?lines=a-b"), &format!("{id}?x=1")] {
            assert!(Address::parse(&format!("{SCHEME}{odd}")).is_none(), "{odd}");
        }
        assert!(Address::parse("file:///etc/passwd").is_none());
    }

    #[test]
    fn lines_are_counted_from_one_and_both_ends_are_in() {
        assert_eq!(lines("a\nb\nc\nd", 2, 3), "b\nc\n");
        assert_eq!(lines("a\nb", 0, 1), "a\n");
        assert_eq!(lines("a\nb", 5, 9), "");
        assert_eq!(lines("a\nb", 2, 1), "");
    }
}
