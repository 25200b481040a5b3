//! Members of a raw object by name, whatever else is in it.
//!
//! The values stay raw, so that one of an unexpected type spoils nothing but itself.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct MemberNames<'a>(#[serde(borrow)] Cow<'a, str>);

/// The members so named, `None` for each that is missing; `None` if this is no object.
pub(crate) fn members<'a, const N: usize>(
    object: &'a RawValue,
    names: [&str; N],
) -> Option<[Option<&'a RawValue>; N]> {
    let mut found = [None; N];
    each(object, |_, name, value| {
        if let Some(place) = names.iter().position(|wanted| *wanted == name) {
            found[place] = Some(value);
        }
    })?;
    Some(found)
}

/// The names of all members; none if this is no object.
pub(crate) fn names(object: &RawValue) -> Vec<String> {
    let mut names = Vec::new();
    let whole = each(object, |_, name, _| names.push(name.to_owned()));
    if whole.is_some() { names } else { Vec::new() }
}

/// Gives each member as it comes, one key twice included: its name as it is spelled, its name as it
/// reads, its value. Nothing if this is no object.
pub(crate) fn each<'a>(
    object: &'a RawValue,
    take: impl FnMut(&'a RawValue, &str, &'a RawValue),
) -> Option<()> {
    let mut json = serde_json::Deserializer::from_str(object.get());
    json.deserialize_map(EachMember(take)).ok()
}

struct EachMember<F>(F);

impl<'a, F: FnMut(&'a RawValue, &str, &'a RawValue)> Visitor<'a> for EachMember<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some((name, value)) = map.next_entry::<&'a RawValue, _>()? {
            // A name that is no Unicode text is none of those anybody asks for.
            let read = serde_json::from_str(name.get()).unwrap_or(MemberNames(name.get().into()));
            (self.0)(name, &read.0, value);
        }
        Ok(())
    }
}
