//! What a URI template stands for, as far as it matters whose a URI is: fixed texts with anything
//! between them.
//!
//! More than its server would take for a fit, and never less: what is claimed too often is asked for
//! by a longer address, what is claimed too rarely would be answered by another.

use toolgate_types::uri_key;

/// A character that no URI holds, for what is filled in.
const ANYTHING: char = '\u{e000}';

/// The fixed texts of a template, in the spelling of keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TemplateShape {
    start: String,
    between: Vec<String>,
    /// None where nothing is filled in.
    end: Option<String>,
}

impl TemplateShape {
    /// None where not even the scheme is fixed: such a template stands for everything, and is nobody's
    /// claim to anything.
    pub(super) fn of(template: &str) -> Option<Self> {
        let mut marked = String::with_capacity(template.len());
        let mut rest = template;
        while let Some((fixed, after)) = rest.split_once('{') {
            marked.push_str(fixed);
            marked.push(ANYTHING);
            rest = after.split_once('}').map_or("", |(_, after)| after);
        }
        marked.push_str(rest);
        let scheme = marked.split(ANYTHING).next().unwrap_or_default();
        if !scheme.contains(':') {
            return None;
        }
        let key = uri_key(&marked);
        let mut texts = key.split(ANYTHING).map(str::to_owned).collect::<Vec<_>>();
        let start = if texts.is_empty() { String::new() } else { texts.remove(0) };
        Some(Self { start, end: texts.pop(), between: texts })
    }

    /// Whether it may stand for the URI with this key.
    pub(super) fn fits(&self, key: &str) -> bool {
        let Some(rest) = key.strip_prefix(self.start.as_str()) else { return false };
        let Some(end) = &self.end else { return rest.is_empty() };
        let Some(mut rest) = rest.strip_suffix(end.as_str()) else { return false };
        for text in &self.between {
            match rest.find(text.as_str()) {
                Some(at) => rest = &rest[at + text.len()..],
                None => return false,
            }
        }
        true
    }

    /// Whether both may stand for the same.
    pub(super) fn meets(&self, other: &Self) -> bool {
        let starts = |one: &str, other: &str| one.starts_with(other) || other.starts_with(one);
        let ends = |one: &str, other: &str| one.ends_with(other) || other.ends_with(one);
        match (&self.end, &other.end) {
            (None, _) => other.fits(&self.start),
            (_, None) => self.fits(&other.start),
            (Some(end), Some(others)) => starts(&self.start, &other.start) && ends(end, others),
        }
    }
}
