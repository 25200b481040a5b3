//! Results without the secrets in them, for entries that ask for that.
//!
//! Media stay as they are: they are no text, and a mask within one would only break it.

use serde_json::value::{RawValue, to_raw_value};
use toolgate_mask::Masker;

use super::items::{ItemKind, ItemMembers, ResultShape};

/// Media by their places in a list.
type MediaByPlace = Vec<(usize, Box<RawValue>)>;

pub(super) fn masked(
    result: &RawValue,
    shape: Option<ResultShape>,
    masker: &Masker,
) -> Box<RawValue> {
    let apart = shape.and_then(|shape| Some((shape, without_media(result, shape)?)));
    match apart {
        Some((shape, (rest, media))) => {
            let rest = mask(&rest, masker);
            with_media(&rest, media, shape).unwrap_or(rest)
        }
        None => mask(result, masker),
    }
}

fn mask(json: &RawValue, masker: &Masker) -> Box<RawValue> {
    let masked = masker.mask_json(json.get()).into_owned();
    // Masked JSON is JSON; if it were not, nothing is better than what was not masked.
    RawValue::from_string(masked).unwrap_or_default()
}

/// The result with nothing in the place of each medium; `None` if there are none.
fn without_media(result: &RawValue, shape: ResultShape) -> Option<(Box<RawValue>, MediaByPlace)> {
    let mut members: ItemMembers = serde_json::from_str(result.get()).ok()?;
    let (mut media, mut rest) = (Vec::new(), Vec::new());
    for (place, item) in shape.items(members.get(shape.list())?).into_iter().enumerate() {
        let is_media = matches!(item.kind, ItemKind::Media(_));
        let raw = item.into_raw();
        if is_media {
            media.push((place, raw));
            rest.push(Box::default());
        } else {
            rest.push(raw);
        }
    }
    if media.is_empty() {
        return None;
    }
    members.insert(shape.list().to_owned(), to_raw_value(&rest).ok()?);
    Some((to_raw_value(&members).ok()?, media))
}

fn with_media(rest: &RawValue, media: MediaByPlace, shape: ResultShape) -> Option<Box<RawValue>> {
    let mut members: ItemMembers = serde_json::from_str(rest.get()).ok()?;
    let list = members.get_mut(shape.list())?;
    let mut items: Vec<Box<RawValue>> = serde_json::from_str(list.get()).ok()?;
    for (place, raw) in media {
        *items.get_mut(place)? = raw;
    }
    *list = to_raw_value(&items).ok()?;
    to_raw_value(&members).ok()
}
