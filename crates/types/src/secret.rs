//! Secrets, and configured text that may hold one.
//!
//! A [`Secret`] cannot be printed, compared or serialised; whoever needs its value says so with
//! [`Secret::expose`]. Masking secrets inside other text is not done here.

use std::fmt;

use zeroize::Zeroizing;

/// A value that must not be shown. Its memory is wiped when it goes.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    pub fn new(value: String) -> Self {
        Self(Zeroizing::new(value))
    }

    /// The value itself; for the place that uses it, never for one that shows it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}

/// Text from a configuration: plain, or secret with what stands in its place when shown.
#[derive(Clone)]
pub enum Text {
    Plain(String),
    /// `shown` is the text as it was written (`${TOKEN}`), or stars where that was the secret.
    Secret {
        shown: String,
        value: Secret,
        expanded: bool,
    },
}

impl Text {
    pub const STARS: &'static str = "***";

    /// A literal secret: nothing of it can be shown.
    pub fn hidden(value: String) -> Self {
        Self::masked(Self::STARS.to_owned(), value)
    }

    /// A literal secret of which a part can be shown.
    pub fn masked(shown: String, value: String) -> Self {
        Self::Secret { shown, value: Secret::new(value), expanded: false }
    }

    /// A secret that came from expanding `template`.
    pub fn expanded(template: String, value: String) -> Self {
        Self::Secret { shown: template, value: Secret::new(value), expanded: true }
    }

    pub fn shown(&self) -> &str {
        match self {
            Self::Plain(text) => text,
            Self::Secret { shown, .. } => shown,
        }
    }

    /// The text as it stands in the file, literal secrets included: for the person who decides
    /// whether exactly this may run, and for nobody else.
    pub fn written(&self) -> &str {
        match self {
            Self::Secret { value, expanded: false, .. } => value.expose(),
            plain_or_template => plain_or_template.shown(),
        }
    }

    pub fn expose(&self) -> &str {
        match self {
            Self::Plain(text) => text,
            Self::Secret { value, .. } => value.expose(),
        }
    }

    pub fn is_secret(&self) -> bool {
        matches!(self, Self::Secret { .. })
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.shown())
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.shown())
    }
}

/// Whether a variable, header, flag or key of this name usually holds a secret.
pub fn is_sensitive_name(name: &str) -> bool {
    const PARTS: [&str; 8] = [
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "AUTHORIZATION",
        "COOKIE",
        "CREDENTIAL",
        "APIKEY",
    ];
    let name = name.to_ascii_uppercase().replace('-', "_");
    PARTS.iter().any(|part| name.contains(part))
        || name == "KEY"
        || name == "AUTH"
        || name.ends_with("_KEY")
        || name.ends_with("_AUTH")
        || name.ends_with("_PAT")
}

#[cfg(test)]
mod tests;
