//! The tokens of JSON that is known to be JSON, each with its own bytes.

/// A token. Texts are without their quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JsonToken<'j> {
    Opens(&'j str),
    Closes(&'j str),
    Comma,
    Colon,
    Text(&'j str),
    /// A number, `true`, `false` or `null`; and whatever is no JSON, so that nothing is left out.
    Bare(&'j str),
}

pub(super) fn tokens(json: &str) -> JsonTokens<'_> {
    JsonTokens { rest: json }
}

#[derive(Debug, Clone)]
pub(super) struct JsonTokens<'j> {
    rest: &'j str,
}

impl<'j> Iterator for JsonTokens<'j> {
    type Item = JsonToken<'j>;

    fn next(&mut self) -> Option<JsonToken<'j>> {
        let rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
        let (token, length) = match rest.bytes().next()? {
            b'{' | b'[' => (JsonToken::Opens(&rest[..1]), 1),
            b'}' | b']' => (JsonToken::Closes(&rest[..1]), 1),
            b',' => (JsonToken::Comma, 1),
            b':' => (JsonToken::Colon, 1),
            b'"' => {
                let end = end_of_text(&rest[1..]);
                (JsonToken::Text(&rest[1..=end]), (end + 2).min(rest.len()))
            }
            _ => {
                let is_end = |c: char| {
                    matches!(c, '{' | '}' | '[' | ']' | ',' | ':' | '"')
                        || matches!(c, ' ' | '\t' | '\n' | '\r')
                };
                let end = rest.find(is_end).unwrap_or(rest.len());
                (JsonToken::Bare(&rest[..end]), end)
            }
        };
        self.rest = &rest[length..];
        Some(token)
    }
}

/// Where the closing quote is, or the end.
fn end_of_text(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at,
            _ => {}
        }
    }
    text.len()
}

impl JsonTokens<'_> {
    /// Whether what is open now closes next.
    pub(super) fn is_at_close(&self) -> bool {
        matches!(self.clone().next(), Some(JsonToken::Closes(_)))
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.clone().next().is_none()
    }

    /// Passes over the rest of the value whose opening was just read; how many characters it has.
    pub(super) fn skip_whole(&mut self) -> usize {
        let before = self.rest;
        let mut depth = 1_usize;
        while depth > 0
            && let Some(token) = self.next()
        {
            match token {
                JsonToken::Opens(_) => depth += 1,
                JsonToken::Closes(_) => depth -= 1,
                _ => {}
            }
        }
        1 + before[..before.len() - self.rest.len()].chars().count()
    }
}
