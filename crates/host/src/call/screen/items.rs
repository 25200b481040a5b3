//! The items of a result, as far as the screen has to know them, and the items it puts in their
//! place.
//!
//! What is of a kind that nobody knows stays as it is, unless it carries data of a media type.

use std::collections::HashMap;

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use toolgate_store::Artifact;

use super::media::MediaItem;
use crate::artifact::artifact_uri;

pub(super) type ItemMembers = IndexMap<String, Box<RawValue>>;

/// What kind of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResultShape {
    /// `content`: texts, media, links, embedded resources.
    ToolResult,
    /// `contents`: texts and blobs, each with the URI it is of. There are no links.
    Resource,
}

/// One item, and what is shown of it.
pub(super) struct ScreenedItem {
    raw: Box<RawValue>,
    pub(super) kind: ItemKind,
    /// Nothing if it is shown as it is.
    pub(super) instead: Option<Vec<Box<RawValue>>>,
}

pub(super) enum ItemKind {
    Text {
        text: String,
        mime: Option<String>,
        /// It is the text of an embedded resource.
        is_embedded: bool,
    },
    Media(MediaItem),
    Other,
}

impl ResultShape {
    pub(super) fn list(self) -> &'static str {
        match self {
            Self::ToolResult => "content",
            Self::Resource => "contents",
        }
    }

    pub(super) fn items(self, list: &RawValue) -> Vec<ScreenedItem> {
        let items: Result<Vec<Box<RawValue>>, _> = serde_json::from_str(list.get());
        // Some servers forget the array.
        let items = items.unwrap_or_else(|_| vec![list.to_owned()]);
        let known = |raw: &RawValue| match self {
            Self::ToolResult => of_content(raw),
            Self::Resource => of_resource(&members(raw)?, None, false),
        };
        let item = |raw: Box<RawValue>| {
            let kind = known(&raw).unwrap_or(ItemKind::Other);
            ScreenedItem { raw, kind, instead: None }
        };
        items.into_iter().map(item).collect()
    }
}

impl ScreenedItem {
    /// An item that was not in the result.
    pub(super) fn added(shown: Vec<Box<RawValue>>) -> Self {
        Self { raw: Box::default(), kind: ItemKind::Other, instead: Some(shown) }
    }

    pub(super) fn shown(self) -> Vec<Box<RawValue>> {
        self.instead.unwrap_or_else(|| vec![self.raw])
    }

    pub(super) fn into_raw(self) -> Box<RawValue> {
        self.raw
    }

    pub(super) fn raw(&self) -> &RawValue {
        &self.raw
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.kind {
            ItemKind::Text { text, .. } => Some(text),
            ItemKind::Media(_) | ItemKind::Other => None,
        }
    }

    pub(super) fn mime(&self) -> Option<&str> {
        match &self.kind {
            ItemKind::Text { mime, .. } => mime.as_deref(),
            ItemKind::Media(_) | ItemKind::Other => None,
        }
    }

    /// The same with another text; all its other members stay.
    pub(super) fn with_text(&self, text: &str) -> Option<Box<RawValue>> {
        let Ok(mut own) = serde_json::from_str::<ItemMembers>(self.raw.get()) else {
            return text_item(text, None);
        };
        let text = to_raw_value(text).ok()?;
        if matches!(self.kind, ItemKind::Text { is_embedded: true, .. }) {
            let mut resource: ItemMembers =
                serde_json::from_str(own.get("resource")?.get()).ok()?;
            resource.insert("text".to_owned(), text);
            own.insert("resource".to_owned(), to_raw_value(&resource).ok()?);
        } else {
            own.insert("text".to_owned(), text);
        }
        to_raw_value(&own).ok()
    }
}

type BorrowedMembers<'a> = HashMap<String, &'a RawValue>;

fn members(raw: &RawValue) -> Option<BorrowedMembers<'_>> {
    serde_json::from_str(raw.get()).ok()
}

fn string(members: &BorrowedMembers<'_>, name: &str) -> Option<String> {
    serde_json::from_str(members.get(name)?.get()).ok()
}

fn of_content(raw: &RawValue) -> Option<ItemKind> {
    let Some(item) = members(raw) else {
        let text = serde_json::from_str(raw.get()).ok()?;
        return Some(ItemKind::Text { text, mime: None, is_embedded: false });
    };
    let kind = string(&item, "type").unwrap_or_default();
    match kind.as_str() {
        "text" => {
            let text = string(&item, "text")?;
            Some(ItemKind::Text { text, mime: None, is_embedded: false })
        }
        "resource" => {
            let annotations = item.get("annotations").map(|raw| (*raw).to_owned());
            of_resource(&members(item.get("resource")?)?, annotations, true)
        }
        "resource_link" => None,
        _ => {
            let mime = string(&item, "mimeType");
            let is_media = mime.is_some() || matches!(kind.as_str(), "image" | "audio");
            let data = string(&item, "data").or_else(|| string(&item, "blob"))?;
            let annotations = item.get("annotations").map(|raw| (*raw).to_owned());
            is_media.then(|| ItemKind::Media(MediaItem::new(data, mime, kind, annotations)))
        }
    }
}

fn of_resource(
    resource: &BorrowedMembers<'_>,
    annotations: Option<Box<RawValue>>,
    is_embedded: bool,
) -> Option<ItemKind> {
    let mime = string(resource, "mimeType");
    if let Some(data) = string(resource, "blob") {
        let uri = string(resource, "uri").unwrap_or_default();
        return Some(ItemKind::Media(MediaItem::new(data, mime, uri, annotations)));
    }
    let text = string(resource, "text")?;
    Some(ItemKind::Text { text, mime, is_embedded })
}

pub(super) fn text_item(text: &str, annotations: Option<&RawValue>) -> Option<Box<RawValue>> {
    #[derive(Serialize)]
    struct Text<'a> {
        r#type: &'a str,
        text: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        annotations: Option<&'a RawValue>,
    }
    to_raw_value(&Text { r#type: "text", text, annotations }).ok()
}

/// What stands in the contents of a resource where something else was.
pub(super) fn text_contents(text: &str, uri: &str) -> Option<Box<RawValue>> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Contents<'a> {
        uri: &'a str,
        mime_type: &'a str,
        text: &'a str,
    }
    to_raw_value(&Contents { uri, mime_type: "text/plain", text }).ok()
}

pub(super) fn link_item(
    artifact: &Artifact,
    name: &str,
    annotations: Option<&RawValue>,
) -> Option<Box<RawValue>> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Link<'a> {
        r#type: &'a str,
        uri: &'a str,
        name: &'a str,
        mime_type: &'a str,
        size: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        annotations: Option<&'a RawValue>,
    }
    let (uri, size) = (artifact_uri(&artifact.id), artifact.size);
    let (r#type, mime_type) = ("resource_link", artifact.mime.as_str());
    to_raw_value(&Link { r#type, uri: &uri, name, mime_type, size, annotations }).ok()
}
