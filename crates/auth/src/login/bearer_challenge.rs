//! What a server says in `WWW-Authenticate` when it wants a token, or a better one.

/// The `Bearer` challenge of an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BearerChallenge {
    /// Where the server's metadata is (RFC 9728).
    pub resource_metadata: Option<String>,
    /// What the token should be good for.
    pub scope: Option<String>,
    pub error: Option<String>,
}

impl BearerChallenge {
    /// The first `Bearer` challenge of a header that may hold several; none where there is none.
    pub fn parse(header: &str) -> Option<Self> {
        let mut rest = header.trim_start();
        let mut found: Option<Self> = None;
        while !rest.is_empty() {
            let (word, after) = token(rest)?;
            let after = after.trim_start();
            if let Some(value) = after.strip_prefix('=') {
                let (value, after) = value_of(value.trim_start())?;
                if let Some(challenge) = &mut found {
                    challenge.put(word, value);
                }
                rest = next(after);
                continue;
            }
            // A new scheme; ours was read whole.
            if found.is_some() {
                break;
            }
            if word.eq_ignore_ascii_case("bearer") {
                found = Some(Self::default());
            }
            rest = next(after);
        }
        found
    }

    pub fn is_insufficient_scope(&self) -> bool {
        self.error.as_deref() == Some("insufficient_scope")
    }

    fn put(&mut self, name: &str, value: String) {
        let place = match name.to_ascii_lowercase().as_str() {
            "resource_metadata" => &mut self.resource_metadata,
            "scope" => &mut self.scope,
            "error" => &mut self.error,
            _ => return,
        };
        // Said twice it means nothing; the first is as good as any.
        place.get_or_insert(value);
    }
}

fn next(rest: &str) -> &str {
    rest.trim_start_matches([',', ' ', '\t'])
}

/// A word, and what follows. None where there is no word: the rest is nonsense.
fn token(text: &str) -> Option<(&str, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// A word or a quoted text, and what follows.
fn value_of(text: &str) -> Option<(String, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        // What servers leave unquoted holds more than a word should.
        let end = text.find([',', ' ', '\t']).unwrap_or(text.len());
        let (value, rest) = text.split_at(end);
        return Some((value.to_owned(), rest));
    };
    let (mut value, mut is_escaped) = (String::new(), false);
    for (at, c) in quoted.char_indices() {
        match (is_escaped, c) {
            (false, '\\') => is_escaped = true,
            (false, '"') => return Some((value, quoted.get(at + 1..).unwrap_or_default())),
            _ => {
                value.push(c);
                is_escaped = false;
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn challenge(
        metadata: Option<&str>,
        scope: Option<&str>,
        error: Option<&str>,
    ) -> BearerChallenge {
        let text = |text: Option<&str>| text.map(str::to_owned);
        BearerChallenge {
            resource_metadata: text(metadata),
            scope: text(scope),
            error: text(error),
        }
    }

    #[test]
    fn the_bearer_challenge_is_found_among_others() {
        let parse = BearerChallenge::parse;
        assert_eq!(parse("Bearer"), Some(challenge(None, None, None)));
        assert_eq!(parse("Basic realm=\"x\""), None);
        assert_eq!(
            parse("Bearer resource_metadata=\"https://a.example/x, y\", scope=\"a b\""),
            Some(challenge(Some("https://a.example/x, y"), Some("a b"), None))
        );
        assert_eq!(
            parse(
                "Basic realm=\"a, Bearer scope=\\\"evil\\\"\", bearer error=insufficient_scope,scope=a"
            ),
            Some(challenge(None, Some("a"), Some("insufficient_scope")))
        );
        assert_eq!(
            parse("Bearer scope=\"a\", Digest scope=\"b\", error=\"x\""),
            Some(challenge(None, Some("a"), None))
        );
        // Said twice: the first counts.
        assert_eq!(
            parse("Bearer scope=\"a\", scope=\"b\""),
            Some(challenge(None, Some("a"), None))
        );
    }

    #[test]
    fn nonsense_is_no_challenge() {
        for nonsense in ["", "\"", "=", "Bearer scope=\"a", "Bearer \u{0}", "\u{1f511}"] {
            let _ = BearerChallenge::parse(nonsense);
        }
        assert_eq!(BearerChallenge::parse("Bearer scope=\"a"), None);
    }
}
