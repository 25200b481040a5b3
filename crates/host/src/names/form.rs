//! The forms of one tool's name, each a function of the tool alone.
//!
//! What happens when two tools come out alike is decided above.

use std::borrow::Cow;

use sha2::{Digest as _, Sha256};

use super::NamedTool;

/// Clients that add a prefix of their own drop tools whose name then gets too long.
pub(super) const JOINED_MOST: usize = 48;
/// What models accept.
pub(super) const QUALIFIED_MOST: usize = 64;
pub(super) const HASHED_MOST: usize = 63;

/// How many digits of a tag are enough where the name says whose it is, and where it does not: the
/// first can be found by trying, the others cannot.
pub(super) const TAG: usize = 8;
pub(super) const LONG_TAG: usize = 24;

/// A longer id may be shortened to this: some letters, and a tag of its own.
pub(super) const SHORT_ID: usize = 12;

/// What stands between an id and a tool.
pub(super) const BETWEEN: &str = "__";

/// What only a qualified name begins with.
pub(super) const QUALIFIER: &str = "mcp__";

/// Hexadecimal digits that tell a tool from every other, whatever becomes of its name.
#[derive(Debug, Clone, Copy)]
pub(super) struct NameTag([u8; LONG_TAG]);

impl NameTag {
    pub(super) fn of(named: NamedTool<'_>) -> Self {
        let hash = Sha256::new().chain_update(named.server.as_str()).chain_update(b":");
        Self::hashed(hash.chain_update(named.tool))
    }

    fn hashed(hash: Sha256) -> Self {
        let hash = hash.finalize();
        let mut digits = [0; LONG_TAG];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(hash) {
            pair[0] = hex_digit(byte >> 4);
            pair[1] = hex_digit(byte & 15);
        }
        Self(digits)
    }

    /// What tells an id from every other, where only its beginning is shown.
    pub(super) fn of_id(id: &str) -> Self {
        Self::hashed(Sha256::new().chain_update(id))
    }

    pub(super) fn digits(&self, count: usize) -> String {
        self.0.iter().take(count).map(|digit| char::from(*digit)).collect()
    }

    /// Puts so many digits after an ASCII name, which is cut so that all of it fits into `most`
    /// characters.
    pub(super) fn append(&self, name: &mut String, most: usize, digits: usize) {
        name.truncate(most - 1 - digits);
        name.push('_');
        name.extend(self.0.iter().take(digits).map(|digit| char::from(*digit)));
    }
}

fn hex_digit(value: u8) -> u8 {
    if value < 10 { b'0' + value } else { b'a' + value - 10 }
}

/// `mcp__<server>__<tool>` in letters, digits, `_` and `-`, of any length. Without its qualifier it
/// is the joined name.
pub(super) fn qualified(named: NamedTool<'_>) -> String {
    let server = named.server.as_str();
    let mut name = String::with_capacity(QUALIFIER.len() + server.len() + 2 + named.tool.len());
    name.push_str(QUALIFIER);
    name.push_str(server);
    name.push_str(BETWEEN);
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    name.extend(named.tool.chars().map(|c| if allowed(c) { c } else { '_' }));
    name
}

/// `<server>.<tool>`.
pub(super) fn write_dotted(name: &mut String, named: NamedTool<'_>) {
    name.push_str(named.server.as_str());
    name.push('.');
    name.push_str(named.tool);
}

/// `mcp_<server>_<slug>_<tag>`, with so many digits, in at most so many characters; an id for which
/// that is not room enough is shortened before the slug is.
pub(super) fn write_hashed<'a>(
    name: &mut String,
    named: NamedTool<'_>,
    tag: &NameTag,
    (digits, most): (usize, usize),
    fitting_id: impl FnOnce(usize) -> Cow<'a, str>,
) {
    let mut slug = String::with_capacity(named.tool.len());
    push_slug(&mut slug, named.tool);
    if slug.is_empty() {
        slug.push_str("tool");
    }
    let room = most.saturating_sub("mcp_".len() + 1 + slug.len() + 1 + digits);
    name.push_str("mcp_");
    name.push_str(&fitting_id(room));
    name.push('_');
    name.push_str(&slug);
    tag.append(name, most, digits);
}

/// The tool's name in lower case, each run of characters that are not `a-z0-9_` one `_`, none at
/// either end.
fn push_slug(name: &mut String, tool: &str) {
    let start = name.len();
    let mut in_run = false;
    for c in tool.chars().flat_map(char::to_lowercase) {
        let kept = matches!(c, 'a'..='z' | '0'..='9' | '_');
        let c = if kept { c } else { '_' };
        let leading = name.len() == start && c == '_';
        if !leading && (kept || !in_run) {
            name.push(c);
        }
        in_run = !kept;
    }
    let end = name[start..].trim_end_matches('_').len();
    name.truncate(start + end);
}
