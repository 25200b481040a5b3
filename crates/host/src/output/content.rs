//! The `content` of a result, item by item.
//!
//! An item of a kind that nobody knows stays the JSON it is, unless it carries data of a media type
//! as images and sound do: base64 is never put where a model reads it.

use serde_json::value::RawValue;
use toolgate_types::OutputPart;

use crate::members::members;

/// For data whose server does not say what it is.
const UNKNOWN_MIME: &str = "application/octet-stream";

pub(super) fn parts(content: &RawValue) -> Vec<OutputPart> {
    if let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(content.get()) {
        return items.into_iter().flat_map(of_item).collect();
    }
    // Some servers forget the array.
    match text(Some(content)) {
        Some(text) => vec![OutputPart::Text(text)],
        None => of_item(content),
    }
}

fn of_item(item: &RawValue) -> Vec<OutputPart> {
    let understood = members(item, ["type"]).and_then(|[kind]| match text(kind).as_deref() {
        Some("text") => of_text(item),
        Some("image" | "audio") => Some(of_media(item)),
        Some("resource") => of_resource(item),
        Some("resource_link") => of_link(item),
        _ => of_unknown(item),
    });
    understood.unwrap_or_else(|| vec![OutputPart::Json(item.to_owned())])
}

fn of_text(item: &RawValue) -> Option<Vec<OutputPart>> {
    let [words] = members(item, ["text"])?;
    Some(vec![OutputPart::Text(text(words)?)])
}

fn of_media(item: &RawValue) -> Vec<OutputPart> {
    let [mime, data] = members(item, ["mimeType", "data"]).unwrap_or_default();
    vec![media(mime, data)]
}

fn of_resource(item: &RawValue) -> Option<Vec<OutputPart>> {
    let [resource] = members(item, ["resource"])?;
    let [uri, mime, words, blob] = members(resource?, ["uri", "mimeType", "text", "blob"])?;
    let mut parts: Vec<_> = text(words).map(OutputPart::Text).into_iter().collect();
    parts.extend(blob.map(|blob| media(mime, Some(blob))));
    if parts.is_empty() {
        parts.push(OutputPart::Link { uri: text(uri)?, name: None, mime: text(mime) });
    }
    Some(parts)
}

fn of_link(item: &RawValue) -> Option<Vec<OutputPart>> {
    let [uri, name, mime] = members(item, ["uri", "name", "mimeType"])?;
    Some(vec![OutputPart::Link { uri: text(uri)?, name: text(name), mime: text(mime) }])
}

fn of_unknown(item: &RawValue) -> Option<Vec<OutputPart>> {
    let [mime, data, blob] = members(item, ["mimeType", "data", "blob"])?;
    let data = text(data.or(blob))?;
    Some(vec![OutputPart::Media { mime: text(mime)?, data }])
}

/// Data that is no text stays away: whatever it is, it is not for reading.
fn media(mime: Option<&RawValue>, data: Option<&RawValue>) -> OutputPart {
    let mime = text(mime).unwrap_or_else(|| UNKNOWN_MIME.to_owned());
    OutputPart::Media { mime, data: text(data).unwrap_or_default() }
}

fn text(value: Option<&RawValue>) -> Option<String> {
    serde_json::from_str(value?.get()).ok()
}
