//! What a server gave, part by part as it is printed: text as text, JSON laid out, data in files.
//!
//! Content of an unknown kind is shown as the JSON it is.

use serde::Deserialize;
use serde_json::value::RawValue;
use toolgate_types::{OutputPart, pretty, visible};

use crate::media_folder::{MediaFolder, UnusableMedia};

/// One item of a content, or one of the contents of a resource.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContentPart {
    r#type: Option<String>,
    text: Option<String>,
    data: Option<String>,
    blob: Option<String>,
    uri: Option<String>,
    name: Option<String>,
    mime_type: Option<String>,
    resource: Option<Box<ContentPart>>,
}

/// The parts of a content: one item, or several.
pub fn parts_of_content(content: &RawValue) -> Vec<OutputPart> {
    match serde_json::from_str::<Vec<&RawValue>>(content.get()) {
        Ok(items) => items.into_iter().flat_map(of_item).collect(),
        Err(_) => of_item(content),
    }
}

fn of_item(raw: &RawValue) -> Vec<OutputPart> {
    let parts = serde_json::from_str::<ContentPart>(raw.get()).ok().and_then(|item| match item {
        ContentPart { r#type: Some(kind), text: Some(text), .. } if kind == "text" => {
            Some(vec![OutputPart::Text(text)])
        }
        ContentPart { r#type: Some(kind), resource: Some(resource), .. } if kind == "resource" => {
            resource.into_parts()
        }
        ContentPart { r#type: Some(kind), uri: Some(uri), name, mime_type: mime, .. }
            if kind == "resource_link" =>
        {
            Some(vec![OutputPart::Link { uri, name, mime }])
        }
        // A resource's contents have no type; an item of a kind that nobody knows may have data.
        item if item.r#type.is_none() || item.data.is_some() => item.into_parts(),
        _ => None,
    });
    parts.unwrap_or_else(|| vec![OutputPart::Json(raw.to_owned())])
}

impl ContentPart {
    fn into_parts(self) -> Option<Vec<OutputPart>> {
        let Self { text, data, blob, uri, name, mime_type, .. } = self;
        let mut parts: Vec<_> = text.map(OutputPart::Text).into_iter().collect();
        if let Some(data) = data.or(blob) {
            let mime = mime_type.unwrap_or_else(|| "application/octet-stream".to_owned());
            parts.push(OutputPart::Media { mime, data });
        } else if let (true, Some(uri)) = (parts.is_empty(), uri) {
            parts.push(OutputPart::Link { uri, name, mime: mime_type });
        }
        (!parts.is_empty()).then_some(parts)
    }
}

/// The text that is printed for a part; data is written into the folder first.
pub fn part_text(part: &OutputPart, folder: &mut MediaFolder<'_>) -> Result<String, UnusableMedia> {
    Ok(match part {
        OutputPart::Text(text) => text.clone(),
        OutputPart::Json(json) => pretty(json),
        OutputPart::Media { mime, data } => {
            let (bytes, path) = folder.put(mime, data)?;
            format!("wrote {} ({bytes} bytes) to {}", visible(mime), path.display())
        }
        OutputPart::Link { uri, .. } => uri.clone(),
    })
}
