//! A JSON object as ordered members whose values stay raw.
//!
//! A view that always equals its text: to change something, see [`crate::Splice`]. It looks one
//! level deep and no further.

use std::borrow::Cow;
use std::fmt;

use serde_json::value::RawValue;
use thiserror::Error;

use crate::MessageLimits;
use crate::few_first::FewFirst;
use crate::json::{JsonError, JsonScanner, RawStr, ScanFault};

/// An object, borrowed from the text it stands in.
#[derive(Clone)]
pub struct RawObject<'a> {
    raw: &'a RawValue,
    members: FewFirst<ObjectMember<'a>>,
}

/// One key and its value.
#[derive(Clone, Copy)]
pub struct ObjectMember<'a> {
    key: RawStr<'a>,
    value: &'a RawValue,
}

/// Why a value is not read as an object.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ObjectError {
    #[error("not an object")]
    NotAnObject,
    #[error(transparent)]
    Json(#[from] JsonError),
}

impl<'a> RawObject<'a> {
    /// Reads the members of a value that came from anywhere; keys that repeat, here or below, are
    /// refused.
    pub fn parse(raw: &'a RawValue) -> Result<Self, ObjectError> {
        let text = raw.get();
        if !text.starts_with('{') {
            return Err(ObjectError::NotAnObject);
        }
        let mut scanner = JsonScanner::new(text, MessageLimits::DEFAULT.depth);
        Ok(Self::take(&mut scanner).map_err(|fault| fault.explain(text))?)
    }

    /// Takes the object that the scanner stands before, remembering its members on the way.
    pub(crate) fn take(scanner: &mut JsonScanner<'a>) -> Result<Self, ScanFault> {
        Self::take_with(scanner, None).map(|(object, _)| object)
    }

    /// The same, and beside it the object under a key, where that is one.
    pub(crate) fn take_with(
        scanner: &mut JsonScanner<'a>,
        wanted: Option<&str>,
    ) -> Result<(Self, Option<Box<Self>>), ScanFault> {
        let (from, mut members, mut inner) = (scanner.place(), FewFirst::new(), None);
        scanner.object(|scanner, key| {
            let is_wanted = wanted.is_some_and(|wanted| key.is(wanted));
            let value = match is_wanted && scanner.peek() == Some(b'{') {
                true => inner.insert(Box::new(Self::take(scanner)?)).raw,
                false => scanner.value()?,
            };
            members.push(ObjectMember { key, value });
            Ok(())
        })?;
        Ok((Self { raw: scanner.since(from)?, members }, inner))
    }

    /// Whether a value may be an object with this key, which is plain letters: a quick look at a text that
    /// need not be read otherwise. It is wrong only by saying yes.
    pub fn may_have(raw: &RawValue, key: &str) -> bool {
        let has = |text: &str| raw.get().contains(text);
        // Letters can be spelled in one other way.
        has(key) || has(r"\u")
    }

    /// The whole object as it is spelled.
    pub fn raw(&self) -> &'a RawValue {
        self.raw
    }

    pub fn members(&self) -> impl Iterator<Item = &ObjectMember<'a>> + Clone {
        self.members.iter()
    }

    pub fn get(&self, key: &str) -> Option<&'a RawValue> {
        self.members.iter().find(|member| member.key.is(key)).map(|member| member.value)
    }

    /// The value of a key that may be left out or `null`, which mean the same.
    pub fn get_some(&self, key: &str) -> Option<&'a RawValue> {
        self.get(key).filter(|value| value.get() != "null")
    }

    /// The value of a key as text, if it is a string.
    pub fn text(&self, key: &str) -> Option<Cow<'a, str>> {
        self.get(key).and_then(text_of)
    }

    /// A key that differs from one of these only in case. To a reader that ignores case it would
    /// be the same key, so the two would disagree on what the object says.
    pub fn case_variant_of(&self, keys: &[&str]) -> Option<String> {
        self.members.iter().find_map(|member| member.case_variant_of(keys))
    }
}

impl<'a> ObjectMember<'a> {
    pub fn value(&self) -> &'a RawValue {
        self.value
    }

    /// The key's meaning; `None` for half of a surrogate pair.
    pub fn key(&self) -> Option<Cow<'a, str>> {
        self.key.text()
    }

    pub fn is(&self, key: &str) -> bool {
        self.key.is(key)
    }

    pub(crate) fn spelled_key(&self) -> &'a str {
        self.key.spelled()
    }

    fn case_variant_of(&self, keys: &[&str]) -> Option<String> {
        let is_variant = keys.iter().any(|key| is_case_variant(self.key, key));
        is_variant.then(|| self.key.shown())
    }
}

/// Whether the key is another spelling of `exact` to a reader that folds case, as Go's does: two
/// letters outside ASCII fold onto ones within.
pub(crate) fn is_case_variant(key: RawStr<'_>, exact: &str) -> bool {
    // Nearly every key: only letters outside ASCII fold onto fewer bytes.
    if key.plain().is_some_and(|key| key.len() != exact.len() && key.is_ascii()) {
        return false;
    }
    let Some(key) = key.text() else { return false };
    if key.is_ascii() {
        return key != exact && key.eq_ignore_ascii_case(exact);
    }
    let folded = key.chars().map(|char| match char {
        '\u{17F}' => 's',
        '\u{212A}' => 'k',
        _ => char.to_ascii_lowercase(),
    });
    folded.eq(exact.chars().map(|char| char.to_ascii_lowercase()))
}

/// The meaning of a raw JSON string; `None` for any other value.
pub fn text_of(raw: &RawValue) -> Option<Cow<'_, str>> {
    RawStr::from_json(raw.get())?.text()
}

/// Payloads may hold secrets, and what is debugged ends in logs: only the size is shown.
impl fmt::Debug for RawObject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawObject({} members, {} bytes)", self.members().count(), self.raw.get().len())
    }
}

impl fmt::Debug for ObjectMember<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Member({}, {} bytes)", self.key.shown(), self.value.get().len())
    }
}

#[cfg(test)]
mod tests;
