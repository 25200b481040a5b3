//! Secrets, and configured text that may hold one.
//!
//! A [`Secret`] cannot be printed, compared or serialised; whoever needs its value says so with
//! [`Secret::expose`]. Masking secrets inside other text is `toolgate-mask`.

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
pub enum ConfigText {
    Plain(String),
    /// `shown` is the text as it was written (`${TOKEN}`), or stars where that was the secret.
    Secret {
        shown: String,
        value: Secret,
        expanded: bool,
    },
}

impl ConfigText {
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

    /// What of a secret's value is not shown, if that is one part in a row: `--api-key=***` and
    /// `Bearer ${TOKEN}` tell which part it is.
    pub fn secret_part(&self) -> Option<&str> {
        let Self::Secret { shown, value, .. } = self else { return None };
        let value = value.expose();
        let start = shown.find("${").or_else(|| shown.find(Self::STARS))?;
        let last_brace = shown.rfind('}').filter(|_| shown.contains("${"));
        let end = last_brace.map(|at| at + 1);
        let end = end.or_else(|| shown.rfind(Self::STARS).map(|at| at + Self::STARS.len()))?;
        value.strip_prefix(shown.get(..start)?)?.strip_suffix(shown.get(end..)?)
    }

    /// Whether this is a secret that the file itself holds, not one that a variable brought.
    pub fn is_literal_secret(&self) -> bool {
        matches!(self, Self::Secret { expanded: false, .. })
    }

    pub fn is_secret(&self) -> bool {
        matches!(self, Self::Secret { .. })
    }
}

impl fmt::Display for ConfigText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.shown())
    }
}

impl fmt::Debug for ConfigText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.shown())
    }
}

/// Whether a variable, header, flag or key of this name usually holds a secret. Separators and
/// case do not matter: `API_KEY`, `api-key` and `apiKey` are one name.
pub fn is_sensitive_name(name: &str) -> bool {
    const PARTS: [&str; 9] = [
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "PASSPHRASE",
        "AUTHORIZATION",
        "COOKIE",
        "CREDENTIAL",
        "APIKEY",
        "API_KEY",
    ];
    const ENDS: [&str; 4] = ["AUTH", "PAT", "PASS", "PWD"];
    let flat = name.to_ascii_uppercase().replace('-', "_");
    if PARTS.iter().any(|part| flat.contains(part)) {
        return true;
    }
    let split = split_words(name);
    let words: Vec<&str> = split.split('_').filter(|word| !word.is_empty()).collect();
    match words.as_slice() {
        ["KEY" | "AUTH"] => true,
        [.., before, "KEY"] => !is_ordinary_key(before),
        [_, .., last] if ENDS.contains(last) => true,
        words => holds_token(words),
    }
}

/// `githubToken-2` becomes `GITHUB_TOKEN_2`, `APIKey` becomes `API_KEY`.
fn split_words(name: &str) -> String {
    let bytes = name.as_bytes();
    let mut split = String::with_capacity(name.len() + 4);
    for (at, c) in name.char_indices() {
        let before = at.checked_sub(1).map(|at| bytes[at]);
        let starts_word = c.is_ascii_uppercase()
            && before.is_some_and(|before| {
                let next = bytes.get(at + 1);
                before.is_ascii_lowercase()
                    || before.is_ascii_uppercase() && next.is_some_and(u8::is_ascii_lowercase)
            });
        if starts_word {
            split.push('_');
        }
        split.push(if c == '-' || c == '.' { '_' } else { c.to_ascii_uppercase() });
    }
    split
}

/// Keys that name or order things. Hiding these would hide what a call is about.
fn is_ordinary_key(before: &str) -> bool {
    const ORDINARY: [&str; 14] = [
        "PUBLIC",
        "PRIMARY",
        "FOREIGN",
        "SORT",
        "PARTITION",
        "CACHE",
        "OBJECT",
        "ISSUE",
        "PROJECT",
        "PARENT",
        "GROUP",
        "ROW",
        "HOT",
        "IDEMPOTENCY",
    ];
    ORDINARY.contains(&before)
}

/// A token to get in with, not one of those that language models count.
fn holds_token(words: &[&str]) -> bool {
    const MEASURES: [&str; 8] =
        ["COUNT", "LIMIT", "TYPE", "BUDGET", "USAGE", "URL", "URI", "ENDPOINT"];
    const OWNED: [&str; 6] = ["ACCESS", "API", "AUTH", "BEARER", "REFRESH", "SESSION"];
    words.iter().enumerate().any(|(index, word)| {
        let Some((_, rest)) = word.split_once("TOKEN") else { return false };
        let before = index.checked_sub(1).map(|before| words[before]);
        let after = words.get(index + 1);
        if rest.starts_with('S') {
            before.is_some_and(|before| OWNED.contains(&before))
        } else {
            let is_tokenizer = rest.starts_with("IZ") || rest.starts_with("IS");
            !is_tokenizer && after.is_none_or(|after| !MEASURES.contains(after))
        }
    })
}

#[cfg(test)]
mod tests;
