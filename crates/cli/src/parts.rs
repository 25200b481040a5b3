//! What a server gave, part by part as it is printed: text as text, JSON laid out, data in files.
//!
//! Content of an unknown kind is shown as the JSON it is.

use serde::Deserialize;
use serde_json::value::RawValue;
use toolgate_types::{Part, visible};

pub(crate) use toolgate_types::pretty;

use crate::failure::Failure;
use crate::media::Folder;

/// One item of a content, or one of the contents of a resource.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    r#type: Option<String>,
    text: Option<String>,
    data: Option<String>,
    blob: Option<String>,
    uri: Option<String>,
    name: Option<String>,
    mime_type: Option<String>,
    resource: Option<Box<Item>>,
}

/// The parts of a content: one item, or several.
pub(crate) fn of_content(content: &RawValue) -> Vec<Part> {
    match serde_json::from_str::<Vec<&RawValue>>(content.get()) {
        Ok(items) => items.into_iter().flat_map(of_item).collect(),
        Err(_) => of_item(content),
    }
}

fn of_item(raw: &RawValue) -> Vec<Part> {
    let parts = serde_json::from_str::<Item>(raw.get()).ok().and_then(|item| match item {
        Item { r#type: Some(kind), text: Some(text), .. } if kind == "text" => {
            Some(vec![Part::Text(text)])
        }
        Item { r#type: Some(kind), resource: Some(resource), .. } if kind == "resource" => {
            resource.into_parts()
        }
        Item { r#type: Some(kind), uri: Some(uri), name, mime_type: mime, .. }
            if kind == "resource_link" =>
        {
            Some(vec![Part::Link { uri, name, mime }])
        }
        // A resource's contents have no type; an item of a kind that nobody knows may have data.
        item if item.r#type.is_none() || item.data.is_some() => item.into_parts(),
        _ => None,
    });
    parts.unwrap_or_else(|| vec![Part::Json(raw.to_owned())])
}

impl Item {
    fn into_parts(self) -> Option<Vec<Part>> {
        let Self { text, data, blob, uri, name, mime_type, .. } = self;
        let mut parts: Vec<_> = text.map(Part::Text).into_iter().collect();
        if let Some(data) = data.or(blob) {
            let mime = mime_type.unwrap_or_else(|| "application/octet-stream".to_owned());
            parts.push(Part::Media { mime, data });
        } else if let (true, Some(uri)) = (parts.is_empty(), uri) {
            parts.push(Part::Link { uri, name, mime: mime_type });
        }
        (!parts.is_empty()).then_some(parts)
    }
}

/// The text that is printed for a part; data is written into the folder first.
pub(crate) fn shown(part: &Part, folder: &mut Folder<'_>) -> Result<String, Failure> {
    Ok(match part {
        Part::Text(text) => text.clone(),
        Part::Json(json) => pretty(json),
        Part::Media { mime, data } => {
            let (bytes, path) = folder.put(mime, data)?;
            format!("wrote {} ({bytes} bytes) to {}", visible(mime), path.display())
        }
        Part::Link { uri, .. } => uri.clone(),
    })
}
