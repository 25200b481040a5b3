//! The name of a host, in the one spelling in which names are compared.

use std::fmt;

use url::Host;

/// A name of at least one label: lower case, ASCII (IDNA), no dot at its end, and no address.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostName(String);

/// The text is not repeated: it is somebody else's, and may be anything.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadHostName {
    #[error("this is not the name of a host")]
    NotAName,
    #[error("this is a number and not the name of a host: write an address as `192.0.2.1`")]
    Number,
}

impl HostName {
    /// What a name in DNS can be long at most.
    const LONGEST: usize = 253;
    const LONGEST_LABEL: usize = 63;

    pub fn parse(text: &str) -> Result<Self, BadHostName> {
        // Longer than any spelling of a name; and a parser of URLs would decode percent signs.
        if text.len() > 4 * Self::LONGEST || text.contains(['%', '[', ']']) {
            return Err(BadHostName::NotAName);
        }
        let without_dot = text.strip_suffix('.').unwrap_or(text);
        let name = match Host::parse(without_dot).map_err(|_| BadHostName::NotAName)? {
            Host::Domain(name) => name,
            // `0x7f.1` and `2130706433` are 127.0.0.1 to some programs.
            Host::Ipv4(_) | Host::Ipv6(_) => return Err(BadHostName::Number),
        };
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c);
        let is_label = |label: &str| {
            (1..=Self::LONGEST_LABEL).contains(&label.len())
                && label.chars().all(is_plain)
                && !label.starts_with('-')
                && !label.ends_with('-')
        };
        if name.len() <= Self::LONGEST && name.split('.').all(is_label) {
            Ok(Self(name))
        } else {
            Err(BadHostName::NotAName)
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn labels(&self) -> std::str::Split<'_, char> {
        self.0.split('.')
    }

    /// Whether it is one label or more below another name.
    pub(super) fn is_below(&self, parent: &Self) -> bool {
        self.0.strip_suffix(&parent.0).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
