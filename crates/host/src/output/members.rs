//! Members of a raw object by name, whatever else is in it.
//!
//! The values stay raw, so that one of an unexpected type spoils nothing but itself.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// The members so named, `None` for each that is missing; `None` if this is no object.
pub(super) fn members<'a, const N: usize>(
    object: &'a RawValue,
    names: [&str; N],
) -> Option<[Option<&'a RawValue>; N]> {
    let mut found = [None; N];
    each(object, |name, value| {
        if let Some(place) = names.iter().position(|wanted| *wanted == name) {
            found[place] = Some(value);
        }
    })?;
    Some(found)
}

/// The names of all members; none if this is no object.
pub(super) fn names(object: &RawValue) -> Vec<String> {
    let mut names = Vec::new();
    let whole = each(object, |name, _| names.push(name.to_owned()));
    if whole.is_some() { names } else { Vec::new() }
}

fn each<'a>(object: &'a RawValue, take: impl FnMut(&str, &'a RawValue)) -> Option<()> {
    let mut json = serde_json::Deserializer::from_str(object.get());
    json.deserialize_map(Each(take)).ok()
}

struct Each<F>(F);

impl<'a, F: FnMut(&str, &'a RawValue)> Visitor<'a> for Each<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some((name, value)) = map.next_entry::<&RawValue, _>()? {
            // A name that is no Unicode text is none of those anybody asks for.
            let read = serde_json::from_str(name.get()).unwrap_or(Name(name.get().into()));
            (self.0)(&read.0, value);
        }
        Ok(())
    }
}
