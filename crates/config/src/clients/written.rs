//! A text in our own spelling: literal parts and references to variables.
//!
//! `${` in a literal part is escaped when the text is put together, never before.

/// A text being put together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct WrittenText(Vec<TextPiece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum TextPiece {
    Literal(String),
    Reference(String),
}

/// A `$` right before a variable: our own spelling would read it as an escape.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DollarBeforeReference;

impl WrittenText {
    pub(super) fn literal(&mut self, text: &str) {
        match self.0.last_mut() {
            Some(TextPiece::Literal(last)) => last.push_str(text),
            _ => self.0.push(TextPiece::Literal(text.to_owned())),
        }
    }

    pub(super) fn reference(&mut self, name: &str) {
        self.0.push(TextPiece::Reference(name.to_owned()));
    }

    /// The one variable that is the whole text.
    pub(super) fn sole_reference(&self) -> Option<&str> {
        match self.0.as_slice() {
            [TextPiece::Reference(name)] => Some(name),
            _ => None,
        }
    }

    /// The variable of `Bearer ${V}`.
    pub(super) fn bearer_reference(&self) -> Option<&str> {
        match self.0.as_slice() {
            [TextPiece::Literal(word), TextPiece::Reference(name)]
                if word.eq_ignore_ascii_case("bearer ") =>
            {
                Some(name)
            }
            _ => None,
        }
    }

    pub(super) fn references(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|piece| match piece {
            TextPiece::Reference(name) => Some(name.as_str()),
            TextPiece::Literal(_) => None,
        })
    }

    /// Whether literal text holds what would be a variable in our own spelling.
    pub(super) fn needs_escape(&self) -> bool {
        self.0.iter().any(|piece| matches!(piece, TextPiece::Literal(text) if text.contains("${")))
    }

    /// The text itself, for a place where nothing is expanded.
    pub(super) fn unescaped<'v>(&self, value: impl Fn(&str) -> Option<&'v str>) -> String {
        let pieces = self.0.iter().map(|piece| match piece {
            TextPiece::Literal(text) => text.as_str(),
            TextPiece::Reference(name) => value(name).unwrap_or_default(),
        });
        pieces.collect()
    }

    pub(super) fn render(&self) -> Result<String, DollarBeforeReference> {
        let mut out = String::new();
        for piece in &self.0 {
            match piece {
                TextPiece::Literal(text) => out.push_str(&text.replace("${", "$${")),
                TextPiece::Reference(_) if out.ends_with('$') => return Err(DollarBeforeReference),
                TextPiece::Reference(name) => {
                    out.push_str("${");
                    out.push_str(name);
                    out.push('}');
                }
            }
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests;
