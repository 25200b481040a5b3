//! The pages that a result refers to in its `_meta`, as whoever called reaches them: at the address of
//! the tool's own server, and not at all where they may not be read. Everything around stays as it is
//! spelled.

use serde_json::value::{RawValue, to_raw_value};
use toolgate_types::ServerId;

use super::{PAGE_MEMBERS, UriClaims};
use crate::members;

impl UriClaims {
    /// A result of a tool of this server; nothing where it stays as it is. `shows` says whether a
    /// resource of that server may be read.
    pub fn result_with_pages(
        &self,
        result: &RawValue,
        server: &ServerId,
        shows: impl Fn(&str) -> bool,
    ) -> Option<Box<RawValue>> {
        if !Self::may_have_pages(result) {
            return None;
        }
        let address = |uri: &str| match shows(uri) {
            true => PageAddress::At(self.public_uri(server, uri).into_owned()),
            false => PageAddress::Nowhere,
        };
        let mut changed: Option<Box<RawValue>> = None;
        for path in PAGE_MEMBERS {
            let whole = changed.as_deref().unwrap_or(result);
            let path: Vec<&str> = std::iter::once(&"_meta").chain(path).copied().collect();
            changed = moved_at(whole, &path, &address).or(changed);
        }
        changed
    }

    /// Whether there may be a page in a result: nearly none has one, and all are looked at.
    pub fn may_have_pages(result: &RawValue) -> bool {
        let text = result.get();
        text.contains("_meta") && ["esourceUri", "utputTemplate"].iter().any(|it| text.contains(it))
    }
}

/// Where a page is for whoever called.
enum PageAddress {
    At(String),
    Nowhere,
}

/// The object with what stands at the end of a path moved, or taken out; nothing where it stays.
fn moved_at(
    object: &RawValue,
    path: &[&str],
    address: &dyn Fn(&str) -> PageAddress,
) -> Option<Box<RawValue>> {
    let (first, rest) = path.split_first()?;
    let (mut kept, mut is_changed) = (String::with_capacity(object.get().len()), false);
    members::each(object, |spelled, name, value| {
        let moved = match name == *first {
            true => moved_value(value, rest, address),
            false => MovedValue::Same,
        };
        is_changed |= !matches!(moved, MovedValue::Same);
        let value = match &moved {
            MovedValue::Same => value,
            MovedValue::To(other) => other,
            MovedValue::Gone => return,
        };
        kept.push(if kept.is_empty() { '{' } else { ',' });
        kept.push_str(spelled.get());
        kept.push(':');
        kept.push_str(value.get());
    })?;
    if kept.is_empty() {
        kept.push('{');
    }
    kept.push('}');
    if is_changed { RawValue::from_string(kept).ok() } else { None }
}

enum MovedValue {
    Same,
    To(Box<RawValue>),
    Gone,
}

fn moved_value(
    value: &RawValue,
    rest: &[&str],
    address: &dyn Fn(&str) -> PageAddress,
) -> MovedValue {
    if !rest.is_empty() {
        return moved_at(value, rest, address).map_or(MovedValue::Same, MovedValue::To);
    }
    let Ok(uri) = serde_json::from_str::<String>(value.get()) else { return MovedValue::Same };
    match address(&uri) {
        PageAddress::At(other) if other == uri => MovedValue::Same,
        PageAddress::At(other) => to_raw_value(&other).map_or(MovedValue::Gone, MovedValue::To),
        PageAddress::Nowhere => MovedValue::Gone,
    }
}
