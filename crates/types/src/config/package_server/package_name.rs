//! A package as a registry knows it: a name, and which version of it. No path, no URL, no repository.

use std::fmt;

use super::{BadPackageServer, PackageSource};

/// One package, as its registry's client takes it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PackageName {
    name: String,
    /// With its mark: `@1.2`, `==1.2`, `[extra]>=1`. Empty for the newest.
    version: String,
}

impl PackageName {
    pub fn parse(source: PackageSource, text: &str) -> Result<Self, BadPackageServer> {
        let parsed = match source {
            PackageSource::Npm => npm(text),
            PackageSource::PyPi => pypi(text),
        };
        parsed.ok_or_else(|| BadPackageServer::NotFromRegistry(text.to_owned()))
    }

    /// Without its version.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The last part of its name: `server` of `@ours/server`.
    pub fn base(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }
}

impl fmt::Display for PackageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, self.version)
    }
}

/// `name`, `@scope/name`, either with `@version`, `@tag` or `@range`.
fn npm(text: &str) -> Option<PackageName> {
    let at = text.char_indices().skip(1).find(|(_, c)| *c == '@').map(|(at, _)| at);
    let (name, version) = text.split_at(at.unwrap_or(text.len()));
    let bare = match name.strip_prefix('@') {
        Some(scoped) => {
            let (scope, bare) = scoped.split_once('/')?;
            Some(bare).filter(|_| is_word(scope))?
        }
        None => name,
    };
    // Ranges may hold blanks and comparisons; a colon or a slash would be another kind of place.
    let is_version = |c: char| c.is_ascii_alphanumeric() || ".-+^~<>=* |".contains(c);
    let is_fit = is_word(bare) && version != "@" && version.chars().skip(1).all(is_version);
    is_fit.then(|| PackageName { name: name.to_owned(), version: version.to_owned() })
}

/// `name`, `name[extra]`, either with `==1.2` and its like, or with `@1.2` as `uvx` takes it.
fn pypi(text: &str) -> Option<PackageName> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let end = text.find(|c| !is_name(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let (extras, version) = match rest.strip_prefix('[') {
        Some(inside) => {
            let (inside, version) = inside.split_once(']')?;
            let is_extra = |c: char| is_name(c) || c == ',';
            Some((format!("[{inside}]"), version)).filter(|_| inside.chars().all(is_extra))?
        }
        None => (String::new(), rest),
    };
    let is_version = |c: char| c.is_ascii_alphanumeric() || "._-+*!,<>=~ ".contains(c);
    let version = match version.strip_prefix('@') {
        Some("latest") => String::new(),
        Some(exact) if exact.chars().all(is_name) && !exact.is_empty() => format!("=={exact}"),
        Some(_) => return None,
        None if version.is_empty() || version.starts_with(['=', '<', '>', '~', '!']) => {
            version.to_owned()
        }
        None => return None,
    };
    let is_fit = is_word(name) && version.chars().all(is_version);
    is_fit.then(|| PackageName { name: name.to_owned(), version: format!("{extras}{version}") })
}

fn is_word(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') && text.chars().all(is_letter)
}
